/** A specification as an object, read from JSON or YAML, of a version that can be imported. */
import { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import { parse } from "yaml"
import { InvalidOpenApi } from "../OpenApiError.js"

export const documentOf = (specification: unknown): Effect.Effect<Json.JsonSchema, InvalidOpenApi> =>
  Effect.gen(function* () {
    const given = typeof specification === "string" ? yield* read(specification) : specification
    if (!Json.isObject(given)) {
      return yield* new InvalidOpenApi({ problem: "it is no object, but a specification begins with `openapi: 3.…`" })
    }
    const { swagger } = given
    if (swagger !== undefined && !/^2(\.0)?$/.test(String(swagger))) {
      return yield* new InvalidOpenApi({ problem: `its \`swagger\` is ${JSON.stringify(swagger)}, not "2.0"` })
    }
    if (swagger !== undefined) return given
    const version = given["openapi"]
    if (typeof version !== "string" || !/^3\.[0-2](\.|$)/.test(version)) {
      const found = version === undefined ? "it has no `openapi`" : `its \`openapi\` is ${JSON.stringify(version)}`
      return yield* new InvalidOpenApi({ problem: `${found}; versions 3.0, 3.1 and Swagger 2.0 can be read` })
    }
    return given
  })

const read = (text: string): Effect.Effect<unknown, InvalidOpenApi> => {
  const yaml = Effect.try({
    try: (): unknown => parse(text, { merge: true }),
    catch: (error) => new InvalidOpenApi({ problem: `it is neither JSON nor YAML: ${firstLine(messageOf(error))}` })
  })
  // JSON is YAML, but YAML's parser takes some fifty times as long.
  return /^\s*\{/.test(text)
    ? Effect.orElse(
        Effect.try((): unknown => JSON.parse(text)),
        () => yaml
      )
    : yaml
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const firstLine = (message: string): string => message.split("\n", 1)[0] ?? message
