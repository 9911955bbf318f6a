/**
 * One decoded model response: what it says, what it calls, what it cost, why
 * it ended, and the provider's own message kept verbatim.
 */
import { isObject, type Json } from "./Json.js"
import type { Maker, Native } from "./Message.js"
import type { ToolCall } from "./ToolCall.js"

/**
 * Text for the user.
 *
 * @category models
 */
export interface TextPart {
  readonly _tag: "Text"
  readonly text: string
}

/**
 * What the model shows of its reasoning; empty where the provider sends it
 * encrypted.
 *
 * @category models
 */
export interface ReasoningPart {
  readonly _tag: "Reasoning"
  readonly text: string
  /** The reasoning as its API takes it back: signed, encrypted, or a field of a message. */
  readonly native?: Native | undefined
}

/**
 * The model declined to answer.
 *
 * @category models
 */
export interface RefusalPart {
  readonly _tag: "Refusal"
  readonly text: string
}

/**
 * A tool call. One with `executedBy: "provider"` was run by the model's own
 * API (a web search, a code interpreter) and is not for the runner.
 *
 * @category models
 */
export interface CallPart {
  readonly _tag: "Call"
  readonly call: ToolCall
  readonly executedBy: "application" | "provider"
  /** The name as it stands in the provider's message, where names had to be mapped. */
  readonly nativeName: string
  /** The id as it stands in the provider's message; `undefined` where the API sent none and one was made. */
  readonly nativeId: string | undefined
  /**
   * Name of the wire format that it came in; absent where that is unknown. Its
   * API takes the id back as it is, another may refuse it or another call of it.
   */
  readonly format?: string | undefined
  /** A call that the provider ran, with its result, as its API takes it back. */
  readonly native?: Native | undefined
}

/**
 * One part of a turn, in the order in which the model produced it.
 *
 * @category models
 */
export type Part = TextPart | ReasoningPart | RefusalPart | CallPart

/**
 * Why a response ended, in one vocabulary: `stop` (it is finished), `calls`
 * (it waits for results), `length` (a token limit), `filter` (withheld by the
 * provider's policy), `paused` (the provider asks to be called again to go
 * on), `background` (the provider goes on by itself: ask it for the response of
 * this `id`), `error`, `other` (see `nativeFinish`).
 *
 * @category models
 */
export type Finish = "stop" | "calls" | "length" | "filter" | "paused" | "background" | "error" | "other"

/**
 * Tokens of one response; `undefined` where the API does not say. `input`
 * includes what was read from and written to a cache, `output` includes
 * reasoning.
 *
 * @category models
 */
export interface Usage {
  readonly input: number | undefined
  readonly output: number | undefined
  readonly reasoning: number | undefined
  readonly cacheRead: number | undefined
  readonly cacheWrite: number | undefined
}

/**
 * One decoded model response.
 *
 * @category models
 */
export interface Turn {
  /** Name of the wire format it came in. */
  readonly format: string
  readonly id: string | undefined
  readonly model: string | undefined
  readonly parts: ReadonlyArray<Part>
  readonly usage: Usage
  readonly finish: Finish
  /** The provider's own word for `finish`. */
  readonly nativeFinish: string | undefined
  /**
   * What the next request's history must contain for this turn, byte for byte
   * as the provider sent it (signatures, encrypted reasoning): one message, or
   * several items where the API has items.
   */
  readonly native: ReadonlyArray<Json>
  /** Who made it, where the model knows: see `Message.Native`. */
  readonly from?: Maker | undefined
  /** False when a stream ended before the response did. */
  readonly isComplete: boolean
}

/**
 * A usage about which nothing is known.
 *
 * @category constructors
 */
export const unknownUsage: Usage = {
  input: undefined,
  output: undefined,
  reasoning: undefined,
  cacheRead: undefined,
  cacheWrite: undefined
}

/**
 * Two usages together. What only one of them knows is taken from it, so a sum
 * over responses of which some say nothing is what the others say: at least so
 * many tokens.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Turn } from "@wield/core"
 *
 * const first = { ...Turn.unknownUsage, input: 100, output: 20 }
 * assert.strictEqual(Turn.addUsage(first, { ...Turn.unknownUsage, input: 130 }).input, 230)
 * ```
 *
 * @category combinators
 */
export const addUsage = (left: Usage, right: Usage): Usage => ({
  input: addCounts(left.input, right.input),
  output: addCounts(left.output, right.output),
  reasoning: addCounts(left.reasoning, right.reasoning),
  cacheRead: addCounts(left.cacheRead, right.cacheRead),
  cacheWrite: addCounts(left.cacheWrite, right.cacheWrite)
})

const addCounts = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined ? right : right === undefined ? left : left + right

/**
 * The turn and what is native in it, with who made it: another server or model
 * family is not sent what only this one can read.
 *
 * @category combinators
 */
export const mark = (turn: Turn, from: Maker): Turn => ({
  ...turn,
  from,
  parts: turn.parts.map((part) =>
    (part._tag === "Reasoning" || part._tag === "Call") && part.native !== undefined
      ? { ...part, native: { ...part.native, from } }
      : part
  )
})

/**
 * What a turn leaves beside its message for the next request.
 *
 * @category accessors
 */
export const native = ({ format, from, native: json }: Turn): Native =>
  from === undefined ? { format, json } : { format, json, from }

/**
 * The text of a turn, its text parts joined.
 *
 * @category accessors
 */
export const text = ({ parts }: Pick<Turn, "parts">): string =>
  parts
    .filter((part) => part._tag === "Text")
    .map((part) => part.text)
    .join("")

/**
 * The calls that the application has to run, in order. Calls that the
 * provider ran itself are left out.
 *
 * @category accessors
 */
export const calls = ({ parts }: Pick<Turn, "parts">): ReadonlyArray<ToolCall> => {
  const out: Array<ToolCall> = []
  for (const part of parts) {
    if (part._tag === "Call" && part.executedBy === "application") out.push(part.call)
  }
  return out
}

/**
 * Whether a turn says all that the model meant to say. It does not where its
 * stream broke off, where a limit or a filter cut it, where it failed, and where
 * it waits for the results of calls or for another request. Text that takes the
 * place of other text must be whole.
 *
 * @category accessors
 */
export const isWhole = ({ finish, isComplete }: Turn): boolean => {
  switch (finish) {
    case "stop":
    // A word of the provider that has no meaning here: many servers have words of their own for the end.
    case "other":
      return isComplete
    case "calls":
    case "length":
    case "filter":
    case "paused":
    case "background":
    case "error":
      return false
  }
}

/**
 * What a model says that it has read: a page that its API searched, say.
 *
 * @category models
 */
export interface Source {
  readonly url: string
  readonly title?: string
}

/**
 * The pages that a turn cites, each once, in their order: of `annotations` and
 * `citations` as APIs write them in their messages. Only addresses of the web,
 * for a page makes links of them. Gemini's stand beside its messages, and are
 * not found.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Turn } from "@wield/core"
 *
 * const annotation = { type: "url_citation", url: "https://example.com/rain", title: "Rain" }
 * const native = [{ type: "message", content: [{ type: "output_text", text: "Rain.", annotations: [annotation] }] }]
 * assert.deepStrictEqual(Turn.sources({ native }), [{ url: "https://example.com/rain", title: "Rain" }])
 * ```
 *
 * @category accessors
 */
export const sources = ({ native }: Pick<Turn, "native">): ReadonlyArray<Source> => {
  const found = new Map<string, Source>()
  const waiting: Array<Json> = [...native].toReversed()
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (Array.isArray(value)) waiting.push(...value.toReversed())
    if (!isObject(value)) continue
    for (const [key, field] of Object.entries(value).toReversed()) {
      if (typeof field === "object" && field !== null) waiting.push(field)
      if ((key !== "annotations" && key !== "citations") || !Array.isArray(field)) continue
      for (const { title, url } of field.flatMap(citedBy)) {
        if (typeof url !== "string" || !/^https?:\/\//i.test(url) || found.has(url)) continue
        found.set(url, { url, ...(typeof title === "string" && title !== "" ? { title } : {}) })
      }
    }
  }
  return [...found.values()]
}

type Fields = { readonly [name: string]: unknown }

/** By OpenAI and those like it, Anthropic, Cohere and Bedrock. */
const citedBy = (citation: unknown): ReadonlyArray<Fields> => {
  if (!isObject(citation)) return []
  const { document, location, source, sources, title, url, url_citation } = citation
  if (url !== undefined) return [{ url, title }]
  if (isObject(url_citation)) return [url_citation]
  if (isObject(location) && isObject(location["web"])) return [{ url: location["web"]["url"], title }]
  if (isObject(document)) return [document]
  if (Array.isArray(sources)) return sources.flatMap(citedBy)
  return [{ url: source, title }]
}
