/**
 * The schemas of which those of a request and an answer consist. What is
 * `undefined` in the program is absent in JSON.
 */
import { Json } from "@wield/core"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Absent in JSON, `undefined` in the program. */
export const absent = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalToRequired(schema, Schema.UndefinedOr(Schema.typeSchema(schema)), {
    decode: Option.getOrUndefined,
    encode: Option.fromNullable
  })

/**
 * A JSON object, handed on as it is: what is in it was JSON text, or was parsed
 * by the runner. A record would lose a key named `__proto__`.
 */
export const JsonObject = Schema.declare((value: unknown): value is Json.JsonObject => Json.isObject(value), {
  identifier: "a JSON object"
})

export const FactsJson = Schema.Struct({
  kind: Schema.Literal("local", "api", "client", "provider"),
  title: absent(Schema.String),
  isReadOnly: Schema.Boolean,
  isDestructive: Schema.Boolean,
  isIdempotent: Schema.Boolean,
  isOpenWorld: Schema.Boolean,
  disclosure: Schema.Literal("none", "endpoint", "any"),
  isSequential: Schema.Boolean,
  examples: Schema.Array(JsonObject)
})

export const CallJson = Schema.Struct({ id: Schema.String, name: Schema.String, arguments: Schema.Unknown })

export const ResponseJson = Schema.Union(
  Schema.TaggedStruct("Approve", { arguments: Schema.optional(JsonObject) }),
  Schema.TaggedStruct("Deny", { reason: Schema.String }),
  Schema.TaggedStruct("Result", { encoded: Schema.Unknown }),
  Schema.TaggedStruct("Failure", { encoded: Schema.Unknown })
)
