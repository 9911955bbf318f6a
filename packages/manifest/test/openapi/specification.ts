/** Small specifications for tests. */
import { OpenApi } from "@wield/manifest"
import type { ManifestEntry } from "@wield/manifest"
import * as Effect from "effect/Effect"

type Parts = { readonly [key: string]: unknown }

/** A specification of one operation: `POST /things/{id}` unless given. */
export const specification = (
  operation: Parts,
  rest: Parts & { readonly path?: string; readonly method?: string } = {}
): Parts => {
  const { method = "post", path = "/things", ...document } = rest
  return {
    openapi: "3.1.0",
    info: { title: "Things", version: "1" },
    servers: [{ url: "https://things.example" }],
    paths: { [path]: { [method]: { operationId: "thing", ...operation } } },
    ...document
  }
}

export const json = (schema: unknown, required = true): Parts => ({
  requestBody: { required, content: { "application/json": { schema } } }
})

/** The only entry of a specification, and what was noted. */
export const imported = (
  document: unknown,
  options?: OpenApi.Options
): Effect.Effect<
  {
    readonly entry: ManifestEntry.ApiEntry
    readonly properties: unknown
    readonly required: unknown
    readonly rules: ReadonlyArray<string>
  } & OpenApi.Imported,
  Effect.Effect.Error<ReturnType<typeof OpenApi.entries>> | string
> =>
  Effect.flatMap(OpenApi.entries(document, options), (all) => {
    const [entry] = all.entries
    if (entry === undefined) return Effect.fail(JSON.stringify(all.problems))
    const { properties, required } = entry.function.parameters
    return Effect.succeed({ ...all, entry, properties, required, rules: all.problems.map((problem) => problem.rule) })
  })
