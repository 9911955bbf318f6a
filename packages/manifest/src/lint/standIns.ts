/**
 * Executors that check entries and call nothing: with them, linting takes the
 * same way as loading, so that both find the same.
 */
import * as Either from "effect/Either"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { GraphQLSchema } from "graphql"
import type { Executor } from "../Executor.js"
import type { ExecutorFactory } from "../ExecutorFactory.js"
import { check as checkGraphQl } from "../graphql/check.js"
import { looksLikeGraphQl } from "../load/looksLikeGraphQl.js"
import type { ApiDeclaration, Manifest } from "../load/Manifest.js"
import { check as checkRest } from "../rest/check.js"
import { check as checkSql, checkAnyDialect } from "../sql/check.js"
import { targetOf } from "../sql/connection.js"
import type { Options } from "./Options.js"

/** By the names of their APIs in lower case: for each API that is known, or for all where nothing is known of any. */
export const standIns = (
  manifest: Manifest,
  options: Options,
  factories: ReadonlyArray<ExecutorFactory<unknown>>,
  schemas: ReadonlyMap<string, GraphQLSchema>
): { readonly [name: string]: Executor } => {
  const given = Object.entries(options.executors ?? {}).map(([name, one]) => [name.toLowerCase(), one] as const)
  const declared = manifest.apis.flatMap((api) => {
    const name = api.name.toLowerCase()
    const check = checkOf(api, factories, schemas.get(name))
    return check === undefined ? [] : [[name, standIn(api.type, check)] as const]
  })
  // Tools alone say nothing of executors: which are meant is told by the entries.
  const isBare = manifest.apis.length === 0 && options.executors === undefined
  const meant = isBare
    ? manifest.entries.flatMap((entry) => {
        if (entry._tag !== "Api") return []
        const name = entry.api.name.toLowerCase()
        return [[name, guessed(schemas.get(name))] as const]
      })
    : []
  return Object.fromEntries([...meant, ...declared, ...given])
}

type Check = Executor["check"]

const standIn = (kind: string, check: Check): Executor => ({
  kind,
  check,
  prepare: () => () => Effect.dieMessage("The linter calls nothing")
})

/** `undefined` for a type that nobody knows, which loading reports. */
const checkOf = (
  { configuration, type }: ApiDeclaration,
  factories: ReadonlyArray<ExecutorFactory<unknown>>,
  schema: GraphQLSchema | undefined
): Check | undefined => {
  if (type === "graphql") return (entry) => checkGraphQl(entry, schema)
  if (type === "sql" || type === "jdbc") {
    const { url } = configuration
    const target =
      typeof url === "string" ? Either.getOrUndefined(targetOf({ url: Redacted.make(url) }, ".")) : undefined
    return target === undefined ? checkAnyDialect : (entry) => checkSql(entry, target.dialect)
  }
  return factories.find(({ types }) => types.includes(type))?.check
}

const guessed = (schema: GraphQLSchema | undefined): Executor =>
  standIn("guessed", (entry) => {
    if (entry.api.query === undefined) return checkRest(entry)
    return schema !== undefined || looksLikeGraphQl(entry.api.query)
      ? checkGraphQl(entry, schema)
      : checkAnyDialect(entry)
  })
