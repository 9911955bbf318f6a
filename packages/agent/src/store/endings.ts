/**
 * How a call ended, as JSON text.
 */
import type { Journal } from "@wield/core"
import * as Schema from "effect/Schema"
import { JsonObject } from "../conversation/codec.js"

const edited = { edited: Schema.optional(JsonObject) }

const Ending = Schema.Union(
  Schema.TaggedStruct("Success", { encoded: Schema.Unknown, ...edited }),
  Schema.TaggedStruct("Failure", { encoded: Schema.Unknown, ...edited }),
  Schema.TaggedStruct("Denied", { reason: Schema.String, ...edited }),
  Schema.TaggedStruct("TimedOut", { limit: Schema.JsonNumber, ...edited }),
  Schema.TaggedStruct("InvalidResult", { reference: Schema.String, ...edited }),
  Schema.TaggedStruct("Defect", { reference: Schema.String, ...edited })
)

const asText: Schema.Schema<Journal.Ending, string> = Schema.parseJson(Ending)

/** Fails on what has no JSON text. */
export const endingToText = Schema.encode(asText)

/** Fails on what is no ending, such as one of a later version. */
export const endingFromText = Schema.decode(asText)
