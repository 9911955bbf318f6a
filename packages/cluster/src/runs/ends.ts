/** How runs ended, for those who wait for it: from the table, and from what the engine answered itself. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { describe, isUnserved, noRunnerServes } from "../entity/rpcs.js"
import { type End, nameOf } from "../entity/waiters.js"
import { clusterError, type Key, readResult, type Row, RunNotFound } from "./model.js"
import type { Tables } from "./tables.js"

const readRefusal = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Exit({ success: Schema.Unknown, failure: Schema.Unknown, defect: Schema.Defect }))
)

/** The ends of those that are over. One that this version cannot read is the error of those who wait for it. */
export const findEnds = ({ columns, isOneOf, sql }: Tables, keys: ReadonlyArray<Key>) =>
  Effect.gen(function* () {
    const rows = yield* sql<Row & { readonly result: string }>`SELECT ${columns}, r.result FROM wield_runs r
      WHERE r.result IS NOT NULL AND ${isOneOf(keys)}`
    return yield* Effect.forEach(rows, (row) =>
      Effect.map(Effect.exit(Effect.mapError(readResult(row.result), clusterError("read a result"))), (end): End => [
        row,
        end
      ])
    )
  })

/** Those that are not stored, and those whose message the engine has answered itself. */
export const findLost = ({ findStored, isOneOf, isRefused, sql }: Tables, keys: ReadonlyArray<Key>) =>
  Effect.gen(function* () {
    const begun = yield* sql<Key & { readonly request: string }>`
      SELECT entity, conversation, id, CAST(request AS TEXT) AS request FROM wield_runs WHERE ${isOneOf(keys)}`
    const requests = new Map<string, Key>(begun.map(({ request, ...key }) => [request, key]))
    const names = new Set(begun.map(nameOf))
    const missing: Array<End> = []
    for (const key of keys.filter((key) => !names.has(nameOf(key)))) {
      const request = yield* findStored(key)
      if (Option.isSome(request)) requests.set(String(request.value), key)
      else missing.push([key, Exit.fail(new RunNotFound({ ...key }))])
    }
    if (requests.size === 0) return missing
    // Ids are numbers of the database itself: no text from outside.
    const ids = sql.literal([...requests.keys()].join(","))
    const rows = yield* sql<{ readonly request: string; readonly payload: string }>`
      SELECT CAST(p.request_id AS TEXT) AS request, p.payload FROM cluster_replies p
      WHERE ${isRefused} AND p.request_id IN (${ids})`
    const refused = rows.flatMap(({ payload, request }): ReadonlyArray<End> => {
      const key = requests.get(request)
      if (key === undefined) return []
      const { conversation, id } = key
      const exit = Option.getOrUndefined(readRefusal(payload))
      const error = isUnserved(key.entity, payload)
        ? new Error(`${noRunnerServes(key.entity)}, and retry the run`)
        : exit !== undefined && Exit.isFailure(exit)
          ? Cause.squash(exit.cause)
          : payload
      return [[key, Exit.succeed({ _tag: "Failed", conversation, id, ...describe(error) })]]
    })
    return [...missing, ...refused]
  })
