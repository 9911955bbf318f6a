/** How a call ended, as JSON text. */
import type * as Journal from "@wield/core/Journal"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InputJson, JsonObject } from "../conversation/entries.js"

const edited = { edited: Schema.optional(JsonObject) }

const Ending = Schema.Union(
  Schema.TaggedStruct("Success", { encoded: Schema.Unknown, ...edited }),
  Schema.TaggedStruct("Failure", { encoded: Schema.Unknown, ...edited }),
  Schema.TaggedStruct("Denied", { reason: Schema.String, ...edited }),
  Schema.TaggedStruct("TimedOut", { limit: Schema.JsonNumber, ...edited }),
  Schema.TaggedStruct("InvalidResult", { reference: Schema.String, ...edited }),
  Schema.TaggedStruct("Defect", { reference: Schema.String, ...edited }),
  Schema.TaggedStruct("Asked", {
    input: InputJson,
    digest: Schema.String,
    isApproved: Schema.Boolean,
    reply: Schema.optional(Schema.String),
    ...edited
  })
)

const asText: Schema.Schema<Journal.Ending, string> = Schema.parseJson(Ending)

/** Fails on what has no JSON text. */
export const endingToText = (ending: Journal.Ending): Effect.Effect<string, unknown> =>
  Effect.try(() => JSON.stringify(ending))

/** Fails on an unknown ending, such as one of a later version. */
export const endingFromText = Schema.decode(asText)
