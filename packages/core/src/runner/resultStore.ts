/** Results that were too large to show at once, and the tool by which the model reads on in them. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Facts from "../Facts.js"
import { decoder, encoder } from "../internal/codec.js"
import type { ResultBound } from "../Policy.js"
import { monotonic } from "../Time.js"
import * as ToolDefinition from "../ToolDefinition.js"
import type { Entry } from "../toolset/model.js"

/** The name of the tool that reads on. */
export const readResult = "read_result"

const defaultCapacity = 100

export class ResultStore {
  readonly maxBytes: number
  readonly headCharacters: number
  /** Whether the model may read on. */
  readonly isReadable: boolean
  readonly #timeToLive: number
  readonly #capacity: number
  readonly #kept = new Map<string, { readonly text: string; readonly until: number }>()

  constructor(bound: ResultBound) {
    this.maxBytes = bound.maxBytes
    this.headCharacters = bound.headCharacters ?? Math.floor(bound.maxBytes / 2)
    this.isReadable = bound.readOn !== false
    this.#timeToLive = Duration.toMillis(bound.timeToLive ?? "1 hour")
    this.#capacity = bound.capacity ?? defaultCapacity
  }

  /** Keeps a text; a caller with the handle can read it, so it cannot be guessed. */
  keep(text: string, now: number): string {
    const handle = crypto.randomUUID()
    this.#kept.set(handle, { text, until: now + this.#timeToLive })
    // A Map keeps the order of insertion, so the first key is the oldest.
    for (const [oldest, { until }] of this.#kept) {
      if (this.#kept.size <= this.#capacity && until > now) break
      this.#kept.delete(oldest)
    }
    return handle
  }

  read(handle: string, now: number): string | undefined {
    const kept = this.#kept.get(handle)
    return kept !== undefined && kept.until > now ? kept.text : undefined
  }
}

/** A piece of text that does not end, nor begin, inside of a character. */
export const slice = (text: string, from: number, length: number): { readonly text: string; readonly end: number } => {
  const start = isInsidePair(text, from) ? from - 1 : from
  const wanted = Math.min(text.length, start + Math.max(1, length))
  const end = isInsidePair(text, wanted) ? wanted + 1 : wanted
  return { text: text.slice(start, end), end }
}

const isInsidePair = (text: string, index: number): boolean => {
  const code = text.charCodeAt(index)
  const before = text.charCodeAt(index - 1)
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff
}

const Parameters = Schema.Struct({ handle: Schema.String, offset: Schema.NonNegativeInt })

const Success = Schema.Struct({
  text: Schema.String,
  /** Where the next piece begins; null at the end. */
  next: Schema.NullOr(Schema.Number),
  total: Schema.Number
})

const Failure = Schema.Struct({ error: Schema.String })

/** Stated, not derived: every program would load what derives it. */
const definition = ToolDefinition.make({
  name: readResult,
  description: "Reads on in a result that was too large to show at once.",
  inputSchema: {
    type: "object",
    required: ["handle", "offset"],
    properties: {
      handle: { type: "string", description: "The handle that came with the shortened result" },
      offset: { type: "integer", description: "Where to read on, in characters", minimum: 0 }
    },
    additionalProperties: false
  },
  outputSchema: {
    type: "object",
    required: ["text", "next", "total"],
    properties: {
      text: { type: "string" },
      next: { anyOf: [{ type: "number" }, { type: "null" }] },
      total: { type: "number" }
    },
    additionalProperties: false
  },
  facts: { ...Facts.unstated, isReadOnly: true, isDestructive: false, isIdempotent: true, isOpenWorld: false }
})

const codecs = {
  parameters: Parameters,
  decode: decoder(Parameters, "ignore"),
  decodeStrict: decoder(Parameters, "error"),
  encode: encoder(Parameters),
  encodeSuccess: encoder(Success),
  encodeFailure: encoder(Failure),
  decodeSuccess: decoder(Success, "ignore"),
  decodeFailure: decoder(Failure, "ignore")
}

export const readResultEntry = (store: ResultStore): Entry => ({
  definition,
  ...codecs,
  handler: (parameters) =>
    Effect.flatMap(monotonic, (now): Effect.Effect<unknown, unknown> => {
      // Decoded by the tool's own schema.
      const { handle, offset } = parameters as typeof Parameters.Type
      const text = store.read(handle, now)
      if (text === undefined)
        return Effect.fail({
          error:
            "There is no result of this handle any more. The tool was run: call it again only if it changes nothing"
        })
      const piece = slice(text, Math.min(offset, text.length), store.headCharacters)
      return Effect.succeed({
        text: piece.text,
        next: piece.end < text.length ? piece.end : null,
        total: text.length
      })
    }),
  hidden: undefined,
  context: Context.empty(),
  isRaising: false,
  isContent: false,
  isFresh: true
})
