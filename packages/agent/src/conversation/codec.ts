/**
 * Entries as JSON text, the same text for the same entry.
 */
import * as Json from "@wield/core/Json"
import * as Message from "@wield/core/Message"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Entry } from "../Conversation.js"

const Count = Schema.UndefinedOr(Schema.JsonNumber)

const ResponseFacts = Schema.Struct({
  model: Schema.UndefinedOr(Schema.String),
  usage: Schema.Struct({ input: Count, output: Count, reasoning: Count, cacheRead: Count, cacheWrite: Count }),
  finish: Schema.Literal("stop", "calls", "length", "filter", "paused", "background", "error", "other"),
  isComplete: Schema.Boolean,
  offered: Schema.optional(Schema.Array(Schema.String))
})

/** Any object is taken as it is: what JSON cannot say is dropped or refused when it becomes text. */
export const JsonObject = Schema.declare((value): value is Json.JsonObject => Json.isObject(value), {
  identifier: "JsonObject"
})

const JsonSchema = Schema.declare((value): value is Json.JsonSchema => Json.isObject(value), {
  identifier: "a JSON Schema"
})

export const JsonValue = Schema.declare((value): value is Json.Json => value !== undefined, {
  identifier: "a JSON value"
})

/** What a call asks for that waits for input. */
export const InputJson = Schema.Struct({
  round: Schema.JsonNumber,
  asks: JsonValue,
  accepts: JsonSchema,
  state: Schema.optional(JsonValue)
})

export const entrySchema = Schema.Struct({
  id: Schema.String,
  message: Message.Message,
  at: Schema.JsonNumber,
  turn: Schema.optional(ResponseFacts),
  answers: Schema.optional(Schema.Array(Schema.JsonNumber)),
  responses: Schema.optional(Schema.Array(Schema.String)),
  summaryOf: Schema.optional(Schema.String),
  metadata: Schema.optional(JsonObject)
})

/** An entry as it stands in JSON. */
export type EntryEncoded = typeof entrySchema.Encoded

/** Fails on what has no JSON text, such as a bigint among the arguments. */
export const entryToText = Schema.encodeEither(Schema.parseJson(entrySchema))

/** Fails on anything but an entry. */
export const entryFromText = Schema.decodeEither(Schema.parseJson(entrySchema))

/** Two entries are one if they are the same text; what has no text is only the same as itself. */
export const isSameEntry = (one: Entry, other: Entry): boolean => {
  if (one === other) return true
  const text = entryToText(one)
  const otherText = entryToText(other)
  return Either.isRight(text) && Either.isRight(otherText) && text.right === otherText.right
}
