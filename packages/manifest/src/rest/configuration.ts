/** What the configuration of every API over HTTP has. */
import * as Schema from "effect/Schema"
import * as ExecutorFactory from "../ExecutorFactory.js"
import { Expected } from "../file/decode.js"
import type { Auth } from "../RestExecutor.js"
import type * as Redacted from "effect/Redacted"

const Milliseconds = Schema.NonNegative

/** A text of a configuration that stays what it is: secret if it came from the environment. */
const ownText: Schema.Schema<string | Redacted.Redacted> = Schema.Union(
  Schema.String,
  Schema.RedactedFromSelf(Schema.String)
).annotations({ [Expected]: "a text", jsonSchema: { type: "string" } })

export const fields = {
  url: ExecutorFactory.Text,
  headers: Schema.optional(Schema.Record({ key: Schema.String, value: ownText })),
  auth: Schema.optional(
    Schema.Union(
      // As in files of Acorn: all that the header Authorization has.
      ExecutorFactory.Text,
      Schema.Struct({ type: Schema.Literal("bearer"), token: ExecutorFactory.Text }),
      Schema.Struct({
        type: Schema.Literal("basic"),
        username: ExecutorFactory.Text,
        password: ExecutorFactory.Text
      }),
      Schema.Struct({
        type: Schema.Literal("apiKey"),
        in: Schema.Literal("header", "query", "cookie"),
        name: Schema.NonEmptyString,
        value: ExecutorFactory.Text
      }),
      Schema.Struct({
        type: Schema.Literal("oauth2"),
        tokenUrl: ExecutorFactory.Text,
        clientId: ExecutorFactory.Text,
        clientSecret: ExecutorFactory.Text,
        scope: Schema.optional(Schema.String),
        audience: Schema.optional(Schema.String),
        clientAuthentication: Schema.optional(Schema.Literal("basic", "body"))
      })
    )
  ),
  timeout: Schema.optional(Milliseconds),
  retry: Schema.optional(
    Schema.Struct({
      times: Schema.optional(Schema.Int.pipe(Schema.nonNegative())),
      baseDelay: Schema.optional(Milliseconds),
      maxDelay: Schema.optional(Milliseconds)
    })
  ),
  maxBytes: Schema.optional(Schema.Positive)
} as const

/** The `auth` of a configuration; a text is all of the header `Authorization`. */
export const authOf = (auth: Schema.Schema.Type<typeof fields.auth>): { readonly auth?: Auth } =>
  auth === undefined
    ? {}
    : { auth: "type" in auth ? auth : { type: "apiKey", in: "header", name: "authorization", value: auth } }
