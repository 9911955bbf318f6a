/**
 * Makes one memory of several that say nearly the same. It runs in the
 * background, after every few new memories of a user.
 *
 * @since 0.1.0
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { LanguageModel } from "@effect/ai"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { clustersOf } from "./recall/clusters.js"
import { consolidationOf, memoriesIn } from "./recall/consolidationPrompt.js"
import { Memories } from "./Memories.js"
import type { Memory } from "./Memory.js"
import { UserId } from "./Owner.js"
import { dueUsers, settled } from "./recall/due.js"
import { SearchIndex } from "./SearchIndex.js"
import { migrate } from "./store/migrations.js"
import { stored } from "./store/stored.js"
import type { StoreError } from "./StoreError.js"

/**
 * When memories are consolidated, and which.
 *
 * @since 0.1.0
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
}

/**
 * What became of the memories of a user.
 *
 * @since 0.1.0
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
 * @since 0.1.0
 * @category services
 */
export interface Service {
  /** Consolidates the memories of a user now, however many are new. */
  readonly run: (user: UserId) => Effect.Effect<Consolidated, StoreError>
}

/**
 * Makes one memory of several.
 *
 * @since 0.1.0
 * @category services
 */
export class Consolidation extends Context.Tag("@wield/assistant/Consolidation")<Consolidation, Service>() {}

/** Gives the memories that are to stand for a group; none where it could not tell. */
type Merge = (group: ReadonlyArray<Memory>) => Effect.Effect<ReadonlyArray<{ name: string; text: string }>>

const make = (merge: Merge, options: Options) =>
  Effect.gen(function* () {
    yield* migrate
    const sql = yield* SqlClient
    const index = yield* SearchIndex
    const memories = yield* Memories
    const run = (user: UserId): Effect.Effect<Consolidated, StoreError> =>
      Effect.gen(function* () {
        const atLeast = { meaning: options.likeness ?? 0.85, words: options.likeness ?? 0.6 }
        const pairs = yield* index.alike(user, "memory", { atLeast, limit: mostPairs })
        const groups = yield* Effect.forEach(clustersOf(pairs, options.groups ?? 3, options.perGroup ?? 5), (ids) =>
          Effect.gen(function* () {
            const group = yield* memories.byIds(user, ids)
            const made = yield* merge(group)
            const into =
              made.length === 0
                ? []
                : yield* memories.merge(
                    user,
                    ids,
                    made.map((one) => ({ ...one, importance: Math.max(...group.map(({ importance }) => importance)) }))
                  )
            return { from: group.map(({ name }) => name), into }
          })
        )
        yield* stored("note what was consolidated")(settled(sql, user))
        return { groups }
      })
    const runDue = Effect.flatMap(stored("find new memories")(dueUsers(sql, options.every ?? 4)), (users) =>
      Effect.forEach(users, (user) => run(UserId.make(user)), { discard: true })
    )
    yield* runDue.pipe(
      Effect.catchAll((error) => Effect.logWarning("Memories could not be consolidated", error)),
      Effect.delay(options.interval ?? "1 minute"),
      Effect.forever,
      Effect.interruptible,
      Effect.forkScoped
    )
    return { run }
  })

const mostPairs = 500

/**
 * Consolidates by asking the language model of the program. What it answers
 * takes the place of the group in one transaction; the group stays as sources.
 *
 * @since 0.1.0
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
          model.generateText({ prompt: consolidationOf(group) }).pipe(
            Effect.map(({ text }) => memoriesIn(text)),
            Effect.catchAll((error) =>
              Effect.as(
                Effect.logWarning("Memories were not consolidated: the language model failed", error.message),
                []
              )
            )
          ),
        options
      )
    )
  )

/**
 * Consolidates where there is no language model: memories of the same words are
 * linked, the newest standing for the others, which are its sources.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWithoutModel = (
  options: Options = {}
): Layer.Layer<Consolidation, StoreError, SqlClient | SearchIndex | Memories> =>
  Layer.scoped(
    Consolidation,
    make(
      (group) => {
        const [newest] = [...group].sort((left, right) => right.changed - left.changed || right.number - left.number)
        return Effect.succeed(newest === undefined ? [] : [{ name: newest.name, text: newest.text }])
      },
      { likeness: 0.95, ...options }
    )
  )
