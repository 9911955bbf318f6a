/** What an entry states of its tool, and otherwise what its method, document or statement implies. */
import * as Facts from "@wield/core/Facts"
import * as Either from "effect/Either"
import type { OperationDefinitionNode } from "graphql"
// The package's index loads six times as much, and most manifests have no document.
import { parse } from "graphql/language/parser.js"
import type { ApiEntry, Entry } from "../ManifestEntry.js"

export const factsOf = (entry: Entry, kind?: string): Facts.Facts =>
  Facts.make({ ...implied(entry, kind), ...entry.facts })

const implied = (entry: Entry, kind: string | undefined): Partial<Facts.Facts> => {
  switch (entry._tag) {
    case "Local":
      return { kind: "local" }
    case "Client":
      return { kind: "client" }
    case "Api":
      return { kind: "api", ...impliedByCall(entry, kind) }
  }
}

const readOnly: Partial<Facts.Facts> = { isReadOnly: true, isDestructive: false, isIdempotent: true }

const impliedByCall = ({ api }: ApiEntry, kind: string | undefined): Partial<Facts.Facts> => {
  if (api.query === undefined) {
    // A path is read unless the entry says otherwise.
    const method = api.method ?? "GET"
    if (safe.has(method)) return readOnly
    return { isIdempotent: method === "PUT" || method === "DELETE" }
  }
  const operation = kind === "sql" ? undefined : operationOf(api.query, api.operation)
  if (operation !== undefined) return operation === "query" ? readOnly : {}
  return kind === "graphql" || api.isWriting ? {} : readOnly
}

const safe: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"])

const operationOf = (query: string, name: string | undefined): string | undefined =>
  Either.try(() => parse(query, { noLocation: true })).pipe(
    Either.map(({ definitions }) => {
      const operations = definitions.filter(
        (node): node is OperationDefinitionNode => node.kind === "OperationDefinition"
      )
      const named = operations.filter((node) => name === undefined || node.name?.value === name)
      // Of several, the one that does most.
      return named.find(({ operation }) => operation !== "query")?.operation ?? named[0]?.operation
    }),
    Either.getOrUndefined
  )
