/** Goals in an SQL database. Each operation is one transaction. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { toStored } from "@wield/agent/SqlOperation"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { v7 } from "uuid"
import { dropEverywhere } from "../store/contextRows.js"
import { type Goal, toText } from "../Goal.js"
import { GoalNameTaken, GoalNotFound, InvalidGoal } from "../GoalError.js"
import type { NewGoal, Service, StoredGoal } from "../Goals.js"
import type { NewMemory } from "../Memories.js"
import type { Memory } from "../Memory.js"
import type { UserId } from "../Owner.js"
import type { Item, Service as SearchIndex } from "../SearchIndex.js"
import { isName, longestName, nameOf, shortenName } from "../store/name.js"
import { runChange, runOperation } from "../store/operation.js"
import type { StoreError } from "../StoreError.js"
import { goalsWhere } from "./goalRows.js"

/** Keeps the memory of a completed goal, within the transaction that completes it. */
type Remember = (user: UserId, memory: NewMemory) => Effect.Effect<Memory, SqlError | StoreError>

export const makeGoals = (sql: SqlClient, index: SearchIndex, remember: Remember): Service => {
  const failUnknown = (user: UserId, name: string, state: "active" | "any") =>
    Effect.flatMap(
      goalsWhere(sql, user, state === "active" ? sql`g.state = 'active'` : sql`1 = 1`, maxKnownNames),
      (known) => new GoalNotFound({ name: shortenName(name), known: [...new Set(known.map(({ goal }) => goal.name))] })
    )

  const findGoal = (user: UserId, said: string, state: "active" | "any") =>
    Effect.gen(function* () {
      const name = nameOf(said)
      const [active] = yield* goalsWhere(sql, user, sql`g.name = ${toStored(name)} AND g.state = 'active'`, 1)
      if (active !== undefined) return active
      const [completed] = state === "active" ? [] : yield* goalsWhere(sql, user, sql`g.name = ${toStored(name)}`, 1)
      return completed ?? (yield* failUnknown(user, said, state))
    })

  const requireFreeName = (user: UserId, name: string): Effect.Effect<void, GoalNameTaken | SqlError> =>
    Effect.flatMap(
      sql`SELECT id FROM wield_assistant_goals WHERE user_id = ${toStored(user)}
        AND name = ${toStored(name)} AND state = 'active'`,
      (rows) => (rows.length === 0 ? Effect.void : new GoalNameTaken({ name }))
    )

  const readAgain = (user: UserId, id: string) =>
    Effect.flatMap(goalsWhere(sql, user, sql`g.id = ${id}`, 1), ([goal]) =>
      goal === undefined ? Effect.dieMessage("A goal that was written is not there") : Effect.succeed(goal)
    )

  /** Has a goal found by what it says now. */
  const reindex = (user: UserId, id: string) =>
    Effect.tap(readAgain(user, id), (goal) => Effect.flatMap(goalItem(goal), (item) => index.put(user, [item])))

  /** A goal that is no longer active is in no context, and not found. */
  const retire = (user: UserId, id: string) =>
    Effect.zipRight(dropEverywhere(sql, user, "goal", [id]), index.remove(user, "goal", [id]))

  const append = (id: string, text: string, at: number) =>
    sql`INSERT INTO wield_assistant_goal_updates (goal_id, position, text, created)
      SELECT ${id}, COUNT(*), ${toStored(text)}, ${at} FROM wield_assistant_goal_updates WHERE goal_id = ${id}`

  const touch = (id: string, at: number) => sql`UPDATE wield_assistant_goals SET changed = ${at} WHERE id = ${id}`

  return {
    create: (user, goal) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        const name = yield* validName(goal.name)
        const { due, priority } = yield* checkGoal(goal, now)
        yield* requireFreeName(user, name)
        const id = yield* Effect.sync(() => v7())
        const at = DateTime.toEpochMillis(now)
        yield* sql`INSERT INTO wield_assistant_goals ${sql.insert({
          id,
          user_id: toStored(user),
          name: toStored(name),
          description: orNull(goal.description),
          strategy: orNull(goal.strategy),
          end_condition: orNull(goal.endCondition),
          due: due === undefined ? null : DateTime.toEpochMillis(due),
          priority: priority ?? null,
          state: "active",
          created: at,
          changed: at
        })}`
        return yield* reindex(user, id)
      }).pipe(runChange(sql, "create a goal", user)),

    rename: (user, from, to) =>
      Effect.gen(function* () {
        const name = yield* validName(to)
        const { goal, id } = yield* findGoal(user, from, "active")
        if (goal.name !== name) yield* requireFreeName(user, name)
        const at = DateTime.toEpochMillis(yield* DateTime.now)
        yield* sql`UPDATE wield_assistant_goals SET name = ${toStored(name)}, changed = ${at} WHERE id = ${id}`
        return yield* reindex(user, id)
      }).pipe(runChange(sql, "rename a goal", user)),

    addUpdate: (user, name, text) =>
      Effect.gen(function* () {
        if (text.trim() === "") return yield* new InvalidGoal({ field: "status", expected: "a text", received: text })
        const { id } = yield* findGoal(user, name, "active")
        const at = DateTime.toEpochMillis(yield* DateTime.now)
        yield* touch(id, at)
        yield* append(id, text, at)
        return yield* reindex(user, id)
      }).pipe(runChange(sql, "add a status update", user)),

    complete: (user, name, comments) =>
      Effect.gen(function* () {
        const { id } = yield* findGoal(user, name, "active")
        const at = DateTime.toEpochMillis(yield* DateTime.now)
        const completed = yield* sql`UPDATE wield_assistant_goals SET state = 'completed', changed = ${at}
          WHERE id = ${id} AND state = 'active' RETURNING id`
        // Another call has completed or deleted it since it was read.
        if (completed.length === 0) return yield* failUnknown(user, name, "active")
        if (comments !== undefined && comments.trim() !== "") yield* append(id, comments, at)
        yield* retire(user, id)
        const { goal } = yield* readAgain(user, id)
        const text = toText(goal)
        const memory = yield* remember(user, {
          name: `Completed goal: ${goal.name}`,
          text,
          sources: [{ type: "Goal", name: goal.name, text }]
        })
        return { goal, memory }
      }).pipe(runChange(sql, "complete a goal", user)),

    delete: (user, name) =>
      Effect.gen(function* () {
        const { id } = yield* findGoal(user, name, "any")
        yield* sql`DELETE FROM wield_assistant_goal_updates WHERE goal_id = ${id}`
        yield* sql`DELETE FROM wield_assistant_goals WHERE id = ${id}`
        yield* retire(user, id)
      }).pipe(runChange(sql, "delete a goal", user)),

    get: (user, name) => runOperation("read a goal")(findGoal(user, name, "any")),

    byIds: (user, ids) =>
      ids.length === 0
        ? Effect.succeed([])
        : runOperation("read goals")(goalsWhere(sql, user, sql`g.id IN ${sql.in(ids)}`)),

    list: (user, state) => runOperation("list goals")(goalsWhere(sql, user, sql`g.state = ${state}`))
  }
}

const orNull = (text: string | undefined): string | null => (text === undefined ? null : toStored(text))

const validName = (said: string): Effect.Effect<string, InvalidGoal> => {
  const name = nameOf(said)
  return isName(name)
    ? Effect.succeed(name)
    : new InvalidGoal({
        field: "name",
        expected: `a name of at most ${longestName} characters`,
        received: shortenName(said)
      })
}

const checkGoal = ({ priority, timeToCompletion }: NewGoal, now: DateTime.Utc) =>
  Effect.gen(function* () {
    if (priority !== undefined && !(Number.isInteger(priority) && priority >= 0 && priority <= 4)) {
      return yield* new InvalidGoal({
        field: "priority",
        expected: "an integer from 0, the highest, to 4",
        received: String(priority)
      })
    }
    return { priority, due: timeToCompletion === undefined ? undefined : yield* dueAfter(timeToCompletion, now) }
  })

const goalItem = ({ goal, id }: StoredGoal): Effect.Effect<Item> =>
  Effect.map(DateTime.now, (now) => ({
    type: "goal",
    id,
    title: goal.name,
    text: toText(goal),
    importance: importanceOf(goal),
    changed: DateTime.toEpochMillis(now)
  }))

/** Priorities 0 to 4 as importances 9 to 1; 5 without a priority. */
const importanceOf = ({ priority }: Goal): number => (priority === undefined ? 5 : 9 - 2 * priority)

const units = ["hour", "day", "week", "month", "year"] as const

/** Farther than people plan; dates beyond it cannot be written. */
const most = 100_000

/** When it will be over, by the calendar: a month after 31 January is the last of February. */
const dueAfter = (text: string, now: DateTime.Utc): Either.Either<DateTime.Utc, InvalidGoal> => {
  const [, number = "", name = ""] = /^\s*(\d+)\s+([a-z]+?)s?\s*$/i.exec(text) ?? []
  const unit = units.find((known) => known === name.toLowerCase())
  const amount = Number(number)
  if (unit === undefined || amount > most) {
    return Either.left(
      new InvalidGoal({
        field: "time_to_completion",
        expected: `a number and one of HOURS, DAYS, WEEKS, MONTHS, YEARS, such as "3 DAYS"`,
        received: text.slice(0, 100)
      })
    )
  }
  return Either.right(DateTime.add(now, { [`${unit}s`]: amount }))
}

export const maxKnownNames = 50
