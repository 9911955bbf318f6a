/**
 * Entries: as JSON text, the same text for the same entry, and what an append
 * means for those that are there, the one rule that every store keeps.
 */
import * as Json from "@wield/core/Json"
import * as Message from "@wield/core/Message"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { v7 } from "uuid"
import type { Entry } from "../Conversation.js"
import { AppendConflict, EntryIdTaken } from "../ConversationError.js"

/** An id that no other process makes and that sorts by time: UUID version 7. */
export const newId: Effect.Effect<string> = Effect.map(Clock.currentTimeMillis, (now) => v7({ msecs: now }))

const Count = Schema.UndefinedOr(Schema.JsonNumber)

const ResponseFacts = Schema.Struct({
  model: Schema.UndefinedOr(Schema.String),
  usage: Schema.Struct({ input: Count, output: Count, reasoning: Count, cacheRead: Count, cacheWrite: Count }),
  finish: Schema.Literal("stop", "calls", "length", "filter", "paused", "background", "error", "other"),
  isComplete: Schema.Boolean,
  isStopped: Schema.optional(Schema.Literal(true)),
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

export const decisionSchema = Schema.Struct({
  request: Schema.String,
  call: Schema.String,
  name: Schema.String,
  shown: JsonObject,
  why: Schema.optional(Schema.String),
  response: Schema.Literal("Approve", "Deny", "Result", "Failure", "Reply"),
  arguments: Schema.optional(JsonObject),
  reason: Schema.optional(Schema.String),
  by: Schema.optional(Schema.Struct({ who: Schema.String, way: Schema.optional(Schema.String) })),
  at: Schema.JsonNumber
})

export const entrySchema = Schema.Struct({
  id: Schema.String,
  message: Message.Message,
  at: Schema.JsonNumber,
  turn: Schema.optional(ResponseFacts),
  answers: Schema.optional(Schema.Array(Schema.JsonNumber)),
  found: Schema.optional(Schema.Array(Schema.String)),
  responses: Schema.optional(Schema.Array(Schema.String)),
  decisions: Schema.optional(Schema.Array(decisionSchema)),
  ends: Schema.optional(Schema.Array(Schema.String)),
  summaryOf: Schema.optional(Schema.String),
  isCopy: Schema.optional(Schema.Literal(true)),
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

/** The entries that are still to be appended, or why they cannot be. */
export const entriesToAppend = <E extends { readonly id: string }>(
  conversation: string,
  existing: ReadonlyArray<E>,
  entries: ReadonlyArray<E>,
  after: string | undefined,
  isSame: (one: E, other: E) => boolean
): Either.Either<ReadonlyArray<E>, AppendConflict | EntryIdTaken> => {
  if (entries.length === 0) return Either.right([])
  const taken = (entry: string) => Either.left(new EntryIdTaken({ conversation, entry }))
  const last = existing.at(-1)?.id
  const conflict = () => Either.left(new AppendConflict(Json.withoutUndefined({ conversation, after, last })))

  const ids = new Map(existing.map((entry) => [entry.id, entry]))
  const seen = new Set<string>()
  for (const entry of entries) {
    const other = ids.get(entry.id)
    if (seen.has(entry.id) || (other !== undefined && !isSame(other, entry))) return taken(entry.id)
    seen.add(entry.id)
  }

  const place = after === undefined ? 0 : existing.findIndex((entry) => entry.id === after) + 1
  if (after !== undefined && place === 0) return conflict()

  // What was sent before and is sent again stands there already; only what comes after it is new.
  let there = 0
  while (there < entries.length && place + there < existing.length) {
    if (existing[place + there]?.id !== entries[there]?.id) return conflict()
    there++
  }
  const rest = entries.slice(there)
  const elsewhere = rest.find((entry) => ids.has(entry.id))
  return elsewhere === undefined ? Either.right(rest) : taken(elsewhere.id)
}

/** Another writer has appended meanwhile, maybe the same entries. */
export const isConflict = (error: unknown): error is AppendConflict | EntryIdTaken =>
  Predicate.isTagged(error, "AppendConflict") || Predicate.isTagged(error, "EntryIdTaken")
