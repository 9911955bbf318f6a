import { type Json, JsonSchema } from "@wield/core"
import { Effect } from "effect"

const compile = await Effect.runPromise(JsonSchema.compiler)

const known = new Map<string, JsonSchema.Validator>()

/** A validator by the text of its schema: the same few schemas come again and again. */
export const validatorOf = (schema: Json.JsonSchema): JsonSchema.Validator => {
  const key = JSON.stringify(schema)
  const validator = known.get(key) ?? Effect.runSync(compile(schema))
  known.set(key, validator)
  return validator
}
