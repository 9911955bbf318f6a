/** The input schema of a definition, as JSON that can be rewritten and sent. */
import type { Json, Loss } from "@wield/core"
import { isBounded } from "./jsonExtent.js"
import { toJsonObject } from "./toJson.js"

export const inputSchema = (
  subject: string,
  schema: Json.JsonSchema
): { readonly schema: Json.JsonObject; readonly losses: ReadonlyArray<Loss.Loss> } =>
  isBounded(schema)
    ? { schema: toJsonObject(schema), losses: [] }
    : // Cut somewhere, it would allow what the full schema forbids, and nobody would know where.
      { schema: { type: "object" }, losses: [unwritable(subject)] }

export const unwritable = (subject: string): Loss.Loss => ({
  subject,
  path: [],
  keyword: "schema",
  reason: "The schema nests too deep to be written, or contains itself: it is sent as an object of any properties."
})
