/** Makes one memory of several that say nearly the same, in the background, after every few new ones. */
import * as LanguageModel from "@effect/ai/LanguageModel"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { fromStored, toStored } from "@wield/agent/SqlOperation"
import { aDuration, aNumber, type Checks, fields, orThrow } from "@wield/core/Options"
import * as Array from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Memories } from "./Memories.js"
import { sinceConsolidation } from "./memories/memoryRows.js"
import type { Memory } from "./Memory.js"
import { UserId } from "./Owner.js"
import { askForWhole, consolidationOf, memoriesIn } from "./recall/prompts.js"
import { type Pair, SearchIndex } from "./SearchIndex.js"
import { migrate } from "./store/migrations.js"
import { runOperation } from "./store/operation.js"
import type { StoreError } from "./StoreError.js"

/**
 * When memories are consolidated, and which.
 *
 * @category models
 */
export interface Options {
  /** After so many new memories of a user. 4 unless given. */
  readonly every?: number | undefined
  /** How alike two memories must be, between 0 and 1: 0.85 unless given by their meaning, 0.6 by their words. */
  readonly likeness?: number | undefined
  /** So many groups at once, at most: the largest. 3 unless given. */
  readonly groups?: number | undefined
  /** So many memories of a group, at most: those nearest to the others. 5 unless given. */
  readonly perGroup?: number | undefined
  /** How often it is looked whether there is something to do. Every minute unless given. */
  readonly interval?: Duration.DurationInput | undefined
  /** How long the language model may take for a group, which is left as it is then. 2 minutes unless given. */
  readonly timeout?: Duration.DurationInput | undefined
}

/**
 * What became of the memories of a user.
 *
 * @category models
 */
export interface Consolidated {
  /** Each group, and what was made of it: nothing where the language model gave nothing that can be used. */
  readonly groups: ReadonlyArray<{
    readonly from: ReadonlyArray<string>
    readonly into: ReadonlyArray<Memory>
  }>
}

/**
 * Makes one memory of several.
 *
 * @category services
 */
export interface Service {
  /** Consolidates the memories of a user now, however many are new. */
  readonly run: (user: UserId) => Effect.Effect<Consolidated, StoreError>
}

/**
 * Makes one memory of several.
 *
 * @category services
 */
export class Consolidation extends Context.Tag("@wield/assistant/Consolidation")<Consolidation, Service>() {}

/** What memories of a group become; nothing where it could not tell. */
type Merge = (group: ReadonlyArray<Memory>) => Effect.Effect<
  ReadonlyArray<{
    readonly from: ReadonlyArray<Memory>
    readonly into: ReadonlyArray<{ readonly name: string; readonly text: string }>
  }>
>

// What is misspelt would merge memories that are not meant.
const checkOptions = fields({
  every: aNumber,
  likeness: aNumber,
  groups: aNumber,
  perGroup: aNumber,
  interval: aDuration,
  timeout: aDuration
} satisfies Checks<Options>)

const make = (merge: Merge, options: Options) =>
  Effect.gen(function* () {
    orThrow(checkOptions(options), "The options of `Consolidation`")
    yield* migrate
    const sql = yield* SqlClient
    const index = yield* SearchIndex
    const memories = yield* Memories
    const every = options.every ?? 4

    const consolidate = (user: UserId, ids: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        // Some may have become something else since they were compared.
        const group = (yield* memories.byIds(user, ids)).filter(({ state }) => state === "active")
        const merged = group.length < 2 ? [] : yield* merge(group)
        if (merged.length === 0) return [{ from: group.map(({ name }) => name), into: [] }]
        return yield* Effect.forEach(merged, ({ from, into }) =>
          Effect.gen(function* () {
            const importance = Math.max(...from.map(({ importance }) => importance))
            const keywords = into.length === 1 ? [...new Set(from.flatMap(({ keywords }) => keywords))] : []
            const made =
              into.length === 0
                ? []
                : yield* memories.merge(
                    user,
                    from.map(({ id }) => id),
                    into.map(({ name, text }) => ({ name, text, importance, keywords }))
                  )
            yield* runOperation("count what was consolidated")(discount(sql, user, made.length))
            return { from: from.map(({ name }) => name), into: made }
          })
        )
      })

    const groupsOf = (user: UserId): Effect.Effect<Consolidated, StoreError> =>
      Effect.gen(function* () {
        const atLeast = { meaning: options.likeness ?? 0.85, words: options.likeness ?? 0.6 }
        const pairs = yield* index.alike(user, "memory", { atLeast, limit: mostPairs })
        const clusters = clustersOf(pairs, options.groups ?? 3, options.perGroup ?? 5)
        const groups = yield* Effect.forEach(clusters, (ids) => consolidate(user, ids))
        return { groups: groups.flat() }
      })

    const claim = (user: UserId, every: number) =>
      runOperation("note what is consolidated")(claimUser(sql, user, every))

    const runDue = Effect.flatMap(runOperation("find new memories")(dueUsers(sql, every)), (users) =>
      Effect.forEach(
        users.map((user) => UserId.make(user)),
        (user) => logFailure(Effect.whenEffect(groupsOf(user), claim(user, every))),
        { discard: true }
      )
    )
    yield* logFailure(runDue).pipe(
      Effect.delay(options.interval ?? "1 minute"),
      Effect.forever,
      Effect.interruptible,
      Effect.forkScoped
    )
    return { run: (user: UserId) => Effect.zipRight(claim(user, 0), groupsOf(user)) }
  })

/** What goes wrong with the memories of one user, defects included, ends nothing for the others, nor for the next time. */
const logFailure = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  Effect.catchAllCause(effect, (cause) =>
    Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.logWarning("Memories could not be consolidated", cause)
  ).pipe(Effect.asVoid)

const mostPairs = 500

/**
 * Consolidates by the language model of the program. The group stays as sources; a cut answer changes nothing.
 *
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<Consolidation, StoreError, SqlClient | SearchIndex | Memories | LanguageModel.LanguageModel> =>
  Layer.scoped(
    Consolidation,
    Effect.flatMap(LanguageModel.LanguageModel, (model) =>
      make(
        (group) =>
          askForWhole(model, consolidationOf(group)).pipe(
            Effect.map((text) => [{ from: group, into: memoriesIn(text) }]),
            Effect.timeout(options.timeout ?? "2 minutes"),
            Effect.catchAll((error) =>
              Effect.as(
                Effect.logWarning("Memories were not consolidated: the language model gave no answer", error.message),
                []
              )
            )
          ),
        options
      )
    )
  )

/**
 * Consolidates without a language model: memories of the same name and text are linked to the newest of them.
 *
 * @category layers
 */
export const layerWithoutModel = (
  options: Options = {}
): Layer.Layer<Consolidation, StoreError, SqlClient | SearchIndex | Memories> =>
  Layer.scoped(
    Consolidation,
    make((group) => Effect.succeed(equalAmong(group).map((from) => ({ from, into: from.slice(0, 1) }))), {
      likeness: 0.95,
      ...options
    })
  )

/** The users whose memories are due for consolidation. */
const dueUsers = (sql: SqlClient, every: number): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.map(
    sql<{ readonly user_id: string }>`SELECT user_id FROM wield_assistant_counters
      WHERE name = ${sinceConsolidation} AND value >= ${every} ORDER BY user_id`,
    (rows) => rows.map(({ user_id }) => fromStored(user_id))
  )

/**
 * Begins to count again; false where there are not so many new ones. It comes first: of two processes one asks the
 * language model, and after a failure the next few memories are another occasion.
 */
const claimUser = (sql: SqlClient, user: UserId, every: number): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql`UPDATE wield_assistant_counters SET value = 0
      WHERE user_id = ${toStored(user)} AND name = ${sinceConsolidation} AND value >= ${every}
      RETURNING value`,
    (rows) => rows.length > 0
  )

/** What was made of other memories is nothing new. */
const discount = (sql: SqlClient, user: UserId, made: number): Effect.Effect<void, SqlError> =>
  sql`UPDATE wield_assistant_counters SET value = value - ${made}
    WHERE user_id = ${toStored(user)} AND name = ${sinceConsolidation} AND value >= ${made}`

/** Groups of memories that are alike, the largest first; in a group each is alike to most of the others. */
const clustersOf = (pairs: ReadonlyArray<Pair>, groups: number, perGroup: number) => {
  const near = new Map<string, Map<string, number>>()
  const link = (from: string, to: string, likeness: number) =>
    near.set(from, (near.get(from) ?? new Map<string, number>()).set(to, likeness))
  for (const { left, likeness, right } of pairs) {
    link(left.id, right.id, likeness)
    link(right.id, left.id, likeness)
  }
  const found: Array<ReadonlyArray<string>> = []
  const taken = new Set<string>()
  // Around the one with the most neighbours; a chain of likenesses makes no group, for its ends are not alike.
  const centres = [...near].sort(([, left], [, right]) => right.size - left.size || sum(right) - sum(left))
  for (const [centre, neighbours] of centres) {
    if (taken.has(centre)) continue
    const members = [centre]
    for (const [id] of [...neighbours].sort(([, left], [, right]) => right - left)) {
      if (members.length === perGroup) break
      const alike = members.filter((member) => near.get(member)?.has(id) === true).length
      if (!taken.has(id) && alike * 2 > members.length) members.push(id)
    }
    if (members.length < 2) continue
    for (const id of members) taken.add(id)
    found.push(members)
  }
  return found.sort((left, right) => right.length - left.length).slice(0, groups)
}

const sum = (neighbours: ReadonlyMap<string, number>): number =>
  [...neighbours.values()].reduce((total, likeness) => total + likeness, 0)

/** Groups of two and more, in each the newest first. Texts that are merely alike may differ in the one word that matters. */
const equalAmong = (memories: ReadonlyArray<Memory>): ReadonlyArray<ReadonlyArray<Memory>> =>
  Object.values(Array.groupBy(memories, textKey))
    .filter(({ length }) => length > 1)
    .map((same) => same.toSorted((left, right) => right.changed - left.changed || right.number - left.number))

const textKey = ({ name, text }: Memory): string => `${foldText(name)}\n${foldText(text)}`

const foldText = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim()
