/** An outcome as JSON: what a page, a log or another process is given of it. */
import * as Schema from "effect/Schema"
import * as Issue from "../Issue.js"
import * as Json from "../Json.js"
import * as Note from "../Note.js"
import type { Input, Outcome, Success } from "../Outcome.js"
import { text as textOf } from "../runner/render.js"

type Tag = Outcome["_tag"]

/** Each once, which the compiler keeps; in the order of the pipeline. */
const each: { readonly [T in Tag]: true } = {
  Success: true,
  Failure: true,
  InvalidArguments: true,
  UnknownTool: true,
  Unavailable: true,
  Denied: true,
  Deferred: true,
  TimedOut: true,
  Limited: true,
  Interrupted: true,
  Uncertain: true,
  InvalidResult: true,
  Withheld: true,
  Defect: true,
  MissingContext: true
}

/** The keys of `each` are the tags, and there is one. */
export const tags = Object.keys(each) as [Tag, ...Array<Tag>]

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const JsonValue = Schema.Unknown.annotations({ description: "Any JSON value" })

export const InputJson = Schema.Struct({
  /** 1 for the first question of a call. */
  round: Schema.Number,
  asks: JsonValue,
  /** The JSON Schema of a reply. */
  accepts: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})

export const OutcomeJson = Schema.Struct({
  _tag: Schema.Literal(...tags),
  isError: Schema.Boolean,
  /** What the runner did beyond running the call, in a sentence each. */
  notes: Schema.Array(Schema.String),
  /** The exact text that a model reads. Absent while a call waits. */
  text: optional(Schema.String),
  /** The result or the failure as JSON, of Success and Failure. */
  value: optional(JsonValue),
  /** Images and files of a result beside its text; `data` is Base64. */
  images: optional(Schema.Array(Schema.Struct({ mediaType: Schema.String, data: Schema.String }))),
  /** Of InvalidArguments and MissingContext. */
  issues: optional(Schema.Array(Issue.Json)),
  /** Of UnknownTool and Unavailable: names like the one sent. */
  nearest: optional(Schema.Array(Schema.String)),
  /** Of Denied and Withheld, and of Uncertain: `begun`, `interrupted`, `lost`, `unrecorded` or `unreadable`. */
  reason: optional(Schema.String),
  /** Of Deferred. */
  waitsFor: optional(Schema.Literal("approval", "client", "input")),
  requestId: optional(Schema.String),
  input: optional(InputJson),
  why: optional(Schema.String),
  /** Of Deferred and Uncertain. */
  digest: optional(Schema.String),
  /** Of TimedOut: milliseconds. */
  timeout: optional(Schema.Number),
  /** Of Limited: milliseconds until the next call is possible. */
  retryAfter: optional(Schema.Number),
  /** Of Defect, InvalidResult and MissingContext: found again in the program's log. */
  reference: optional(Schema.String)
}).annotations({ identifier: "Outcome" })

export interface OutcomeJson extends Schema.Schema.Type<typeof OutcomeJson> {}

export const toJson = (outcome: Outcome): OutcomeJson => {
  const text = textOf(outcome)
  return {
    _tag: outcome._tag,
    isError: outcome._tag !== "Success" && outcome._tag !== "Deferred",
    notes: outcome.notes.map(Note.toText),
    ...(text === undefined ? {} : { text }),
    ...particularsOf(outcome)
  }
}

const particularsOf = (outcome: Outcome): Partial<OutcomeJson> => {
  switch (outcome._tag) {
    case "Success": {
      const images = imagesOf(outcome)
      return { value: outcome.encoded ?? null, ...(images.length === 0 ? {} : { images }) }
    }
    case "Failure":
      return { value: outcome.encoded ?? null }
    case "Interrupted":
      return {}
    case "InvalidArguments":
      return { issues: outcome.issues.map(Issue.toJson) }
    case "UnknownTool":
    case "Unavailable":
      return { nearest: outcome.nearest }
    case "Denied":
    case "Withheld":
      return { reason: outcome.reason }
    case "Deferred": {
      const { digest, input, requestId, waitsFor, why } = outcome
      return {
        waitsFor,
        requestId,
        digest,
        ...Json.withoutUndefined({ input: input && inputJson(input), why })
      }
    }
    case "Uncertain":
      return { reason: outcome.reason, digest: outcome.digest }
    case "TimedOut":
      return { timeout: outcome.limit }
    case "Limited":
      return { retryAfter: outcome.retryAfter }
    case "InvalidResult":
    case "Defect":
      // What is wrong inside the program stands in its log only.
      return { reference: outcome.reference }
    case "MissingContext":
      return {
        reference: outcome.reference,
        // Without the value: it is a hidden field.
        issues: outcome.issues.map(({ expected, path }) => ({
          path,
          expected,
          message: `${Issue.pathToText(path)}: the call context has to hold ${expected}`
        }))
      }
  }
}

const imagesOf = ({ content = [] }: Success): ReadonlyArray<{ readonly mediaType: string; readonly data: string }> =>
  content.flatMap((part) =>
    (part._tag === "Image" || part._tag === "File") && part.source._tag === "Base64"
      ? [{ mediaType: part.mediaType, data: part.source.data }]
      : []
  )

/** What is asked, without what only the handler needs. */
export const inputJson = ({ accepts, asks, round }: Input): typeof InputJson.Type => ({
  round,
  asks: Json.attempt(asks),
  accepts: { ...accepts }
})
