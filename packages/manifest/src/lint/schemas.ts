/** The GraphQL schemas that documents are checked against. */
import * as Either from "effect/Either"
import type { GraphQLSchema } from "graphql"
import { read } from "../graphql/schema.js"
import type { Manifest } from "../load/Manifest.js"
import type { Problem } from "../Problem.js"
import type { Options } from "./Options.js"

export interface Schemas {
  /** By the names of their APIs in lower case. */
  readonly all: ReadonlyMap<string, GraphQLSchema>
  readonly problems: ReadonlyArray<Problem>
}

/** Those that are given, and those that configurations hold. Problems of the latter belong to the configuration. */
export const schemasOf = (manifest: Manifest, given: NonNullable<Options["schemas"]>): Schemas => {
  const all = new Map<string, GraphQLSchema>()
  const problems: Array<Problem> = []
  for (const { configuration, name, type } of manifest.apis) {
    if (type !== "graphql" || configuration["schema"] === undefined) continue
    const schema = read(configuration["schema"])
    if (Either.isRight(schema)) all.set(name.toLowerCase(), schema.right)
  }
  for (const [name, text] of Object.entries(given)) {
    const schema = read(text)
    if (Either.isRight(schema)) all.set(name.toLowerCase(), schema.right)
    else {
      const message = `The schema of the API ${JSON.stringify(name)}: ${schema.left.message}`
      problems.push({ severity: "error", rule: "graphql-schema", message, tool: undefined, path: [], place: undefined })
    }
  }
  return { all, problems }
}
