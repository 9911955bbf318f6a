/** Asks an API for its schema. */
import { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import { getIntrospectionQuery } from "graphql"
import { type ExecutionError, RequestFailed } from "../ExecutionError.js"
import { type Api, ask, within } from "./execute.js"

export const introspection = (
  api: Api
): Effect.Effect<{ readonly __schema: { readonly [key: string]: unknown } }, ExecutionError> => {
  const asked = (options: Parameters<typeof getIntrospectionQuery>[0]) =>
    ask(
      api,
      { query: getIntrospectionQuery(options), variables: {}, operationName: "IntrospectionQuery" },
      true,
      Math.max(api.maxBytes, maxBytes)
    )
  // Without these, deprecated arguments do not exist for whoever reads the answer; servers that are older refuse them.
  return asked({ inputValueDeprecation: true, oneOf: true }).pipe(
    Effect.catchTag("GraphQlErrors", () => asked({ inputValueDeprecation: true })),
    Effect.catchTag("GraphQlErrors", () => asked({})),
    within(api.timeout),
    Effect.flatMap(({ value }) => {
      const schema = Json.isObject(value) ? value["__schema"] : undefined
      return Json.isObject(schema)
        ? Effect.succeed({ __schema: schema })
        : new RequestFailed({ reason: "invalid-answer", detail: "the answer to the introspection query has no schema" })
    })
  )
}

/** Schemas of large APIs have several MiB. */
const maxBytes = 32 * 1024 * 1024
