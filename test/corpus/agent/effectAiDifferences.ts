/** In what the requests of @effect/ai's packages may differ from the recorded ones, in words. */
import { Json } from "@wield/core"
import type { Said } from "./said.js"
import { parsed } from "./words.js"

export interface SaidDifference {
  readonly name: string
  readonly why: string
  readonly apply: (said: Said) => Said
}

interface Message {
  readonly results?: ReadonlyArray<{ readonly value?: unknown }>
  readonly media?: unknown
  readonly text?: string
}

const ofMessages =
  (change: (message: Message) => Message) =>
  (said: Said): Said => ({
    ...said,
    // They are what `saidOf` has made.
    messages: said.messages.map((message) => change(message as Message))
  })

export const effectAiDifferences: ReadonlyArray<SaidDifference> = [
  {
    name: "text of results as JSON",
    why: "the package writes every result as JSON, a text in quotes",
    apply: ofMessages((message) =>
      message.results === undefined
        ? message
        : {
            ...message,
            results: message.results.map((result) =>
              "value" in result ? { ...result, value: parsed(parsed(result.value)) } : result
            )
          }
    )
  },
  {
    name: "media left out of results",
    why: "results of @effect/ai are JSON: the model reads that they were left out",
    apply: ofMessages((message) =>
      message.media === undefined
        ? message
        : { ...message, media: Array.isArray(message.media) ? message.media.length : 0 }
    )
  },
  {
    name: "one call at a time",
    why: "@effect/ai has no word for it",
    apply: (said) => ({ ...said, options: Json.isObject(said.options) ? { ...said.options, isParallel: true } : {} })
  },
  {
    name: "space behind instructions",
    why: "instructions of several blocks are sent as they are; the recorded client had cut them otherwise",
    apply: (said) => ({ ...said, instructions: said.instructions.trim() })
  },
  {
    name: "typographic quotes",
    why: "the recorder straightened them in requests, not in the text of streams",
    apply: ofMessages((message) =>
      message.text === undefined
        ? message
        : { ...message, text: message.text.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"') }
    )
  }
]
