/** The runs as a list: those that have begun, from their own table, and those that wait, from the cluster's. */
import * as Snowflake from "@effect/cluster/Snowflake"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { checkGiven } from "../entity/rpcs.js"
import { checkList, clusterError, type ListOptions, type Row, type Run } from "./model.js"
import type { Tables } from "./tables.js"

/** What every version of a message has. */
const readWork = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ id: Schema.String, attempt: Schema.Number }))
)

const runOf = (row: Row): Run => ({
  entity: row.entity,
  conversation: row.conversation,
  id: row.id,
  state: row.state,
  deliveries: Number(row.deliveries),
  owner: row.owner ?? undefined,
  createdAt: Number(row.created),
  changedAt: Number(row.changed)
})

export const makeList = ({ columns, isRefused, no, ownerIsGone, sql, where }: Tables) => {
  /** Begun, and no one is at it; or stored to be delivered again, and late. */
  const isStuck = (before: number) =>
    sql`r.changed < ${before} AND (r.state = 'Running' AND ${ownerIsGone} OR r.state IN ('Waiting', 'Again')
        AND NOT EXISTS (SELECT 1 FROM cluster_messages m WHERE m.id = r.request AND m.deliver_at >= ${before}))`

  const listBegun = ({ conversation, entity, limit = 50, state }: ListOptions, before: number) =>
    sql<Row>`SELECT ${columns} FROM wield_runs r WHERE ${where([
      sql`1 = 1`,
      entity === undefined ? undefined : sql`r.entity = ${entity}`,
      conversation === undefined ? undefined : sql`r.conversation = ${conversation}`,
      state === undefined || state === "Stuck" ? undefined : sql`r.state = ${state}`,
      state === "Stuck" ? isStuck(before) : undefined
    ])} ORDER BY r.changed DESC, r.created DESC LIMIT ${limit}`

  /** What was accepted and has not begun stands in the cluster's own tables only. */
  const listWaiting = (options: ListOptions, before: number) =>
    Effect.gen(function* () {
      const { conversation, entity, limit = 50, state } = options
      if (state !== undefined && state !== "Waiting" && state !== "Stuck" && state !== "Failed") return []
      const rows = yield* sql<{
        readonly id: string
        readonly entity: string
        readonly conversation: string
        readonly payload: string
        readonly due: number | string | null
        readonly reply: string | null
      }>`SELECT CAST(m.id AS TEXT) AS id, m.entity_type AS entity, m.entity_id AS conversation, m.payload,
            m.deliver_at AS due, p.payload AS reply
          FROM cluster_messages m LEFT JOIN cluster_replies p ON p.request_id = m.id AND ${isRefused} WHERE ${where([
            sql`m.kind = 0 AND m.tag IN ('prompt', 'answer')`,
            sql.or([
              ...(state === "Failed" ? [] : [sql`m.processed = ${no}`]),
              ...(state === undefined || state === "Failed" ? [sql`p.id IS NOT NULL`] : [])
            ]),
            sql`NOT EXISTS (SELECT 1 FROM wield_runs r WHERE r.request = m.id)`,
            entity === undefined ? undefined : sql`m.entity_type = ${entity}`,
            conversation === undefined ? undefined : sql`m.entity_id = ${conversation}`
          ])} ORDER BY m.rowid DESC LIMIT ${limit}`
      return rows.flatMap((row): ReadonlyArray<Run> => {
        const work = Option.getOrUndefined(readWork(row.payload))
        // A message of another package's entity, or the next attempt of a run that is listed already.
        if (work === undefined || work.attempt > 0) return []
        const createdAt = Math.max(Snowflake.timestamp(Snowflake.Snowflake(row.id)), Number(row.due ?? 0))
        if (options.state === "Stuck" && createdAt > before) return []
        const { conversation, entity } = row
        const state = row.reply === null ? "Waiting" : "Failed"
        const times = { createdAt, changedAt: createdAt }
        return [{ entity, conversation, id: work.id, state, deliveries: 0, owner: undefined, ...times }]
      })
    })

  return (options: ListOptions = {}) =>
    Effect.gen(function* () {
      yield* checkGiven(checkList, options, "Which runs are listed")
      const now = yield* Clock.currentTimeMillis
      const before = now - Duration.toMillis(options.patience ?? "1 minute")
      const runs = [...(yield* listWaiting(options, before)), ...(yield* listBegun(options, before)).map(runOf)]
      return runs.toSorted((one, other) => other.changedAt - one.changedAt).slice(0, options.limit ?? 50)
    }).pipe(Effect.mapError(clusterError("list runs")))
}
