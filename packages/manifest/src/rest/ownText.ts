/** A text of a configuration that stays what it is: secret if it came from the environment. */
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export const ownText: Schema.Schema<string | Redacted.Redacted> = Schema.Union(
  Schema.String,
  Schema.RedactedFromSelf(Schema.String)
).annotations({ message: () => "expected a text", jsonSchema: { type: "string" } })
