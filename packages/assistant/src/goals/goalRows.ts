/** Goals as rows, and back. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { fromStored, toStored } from "@wield/agent/SqlOperation"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Goal, StatusUpdate } from "../Goal.js"
import type { UserId } from "../Owner.js"

interface Row {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly strategy: string | null
  readonly end_condition: string | null
  readonly due: number | string | null
  readonly priority: number | string | null
  readonly state: "active" | "completed"
  readonly created: number | string
}

interface UpdateRow {
  readonly goal_id: string
  readonly text: string
  readonly created: number | string
}

const text = (value: string | null) => (value === null ? undefined : fromStored(value))

const time = (value: number | string) => DateTime.unsafeMake(Number(value))

export const goalsWhere = (sql: SqlClient, user: UserId, condition: Fragment, limit = 1000) =>
  Effect.gen(function* () {
    const rows = yield* sql<Row>`
      SELECT g.id, g.name, g.description, g.strategy, g.end_condition, g.due, g.priority, g.state, g.created
      FROM wield_assistant_goals g WHERE g.user_id = ${toStored(user)} AND ${condition}
      ORDER BY g.changed DESC, g.id DESC LIMIT ${limit}`
    if (rows.length === 0) return []
    const updates = yield* sql<UpdateRow>`SELECT goal_id, text, created FROM wield_assistant_goal_updates
      WHERE goal_id IN ${sql.in(rows.map(({ id }) => id))} ORDER BY position`
    return rows.map((row) => ({
      id: row.id,
      goal: new Goal({
        name: fromStored(row.name),
        description: text(row.description),
        strategy: text(row.strategy),
        endCondition: text(row.end_condition),
        due: row.due === null ? undefined : time(row.due),
        priority: row.priority === null ? undefined : Number(row.priority),
        state: row.state,
        created: time(row.created),
        updates: updates
          .filter((update) => update.goal_id === row.id)
          .map((update) => new StatusUpdate({ text: fromStored(update.text), at: time(update.created) }))
      })
    }))
  })
