/** The goals of users. What completes a goal leaves a memory of it. */
import { SqlClient } from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Goal } from "./Goal.js"
import type { GoalNameTaken, GoalNotFound, InvalidGoal } from "./GoalError.js"
import { makeGoals } from "./goals/makeGoals.js"
import { Memories } from "./Memories.js"
import { insertMemory } from "./memories/memoryRows.js"
import type { Memory } from "./Memory.js"
import type { UserId } from "./Owner.js"
import { SearchIndex } from "./SearchIndex.js"
import { migrate } from "./store/migrations.js"
import { shortenName } from "./store/name.js"
import type { StoreError } from "./StoreError.js"

/**
 * A goal to be made.
 *
 * @category models
 */
export interface NewGoal {
  /** At most 200 characters. Blanks around it do not count, nor how its accents are encoded. */
  readonly name: string
  readonly description?: string | undefined
  readonly strategy?: string | undefined
  readonly endCondition?: string | undefined
  /** `3 DAYS`: hours, days, weeks, months or years, in any case, singular or plural. */
  readonly timeToCompletion?: string | undefined
  /** From 0, the highest, to 4. */
  readonly priority?: number | undefined
}

/**
 * A goal with the id that the search and the current context know it by.
 *
 * @category models
 */
export interface StoredGoal {
  readonly id: string
  readonly goal: Goal
}

/**
 * The goals of users. Names are unique among the active goals of a user.
 *
 * @category services
 */
export interface Service {
  readonly create: (user: UserId, goal: NewGoal) => Effect.Effect<StoredGoal, GoalNameTaken | InvalidGoal | StoreError>
  readonly rename: (
    user: UserId,
    from: string,
    to: string
  ) => Effect.Effect<StoredGoal, GoalNotFound | GoalNameTaken | InvalidGoal | StoreError>
  readonly addUpdate: (
    user: UserId,
    name: string,
    text: string
  ) => Effect.Effect<StoredGoal, GoalNotFound | InvalidGoal | StoreError>
  /** Gives the memory that is left of it. */
  readonly complete: (
    user: UserId,
    name: string,
    comments?: string
  ) => Effect.Effect<{ readonly goal: Goal; readonly memory: Memory }, GoalNotFound | StoreError>
  /** Deletes a goal and its updates, active or completed. The memory that a completed one has left stays. */
  readonly delete: (user: UserId, name: string) => Effect.Effect<void, GoalNotFound | StoreError>
  /** The active goal of this name, otherwise the one that was completed last. */
  readonly get: (user: UserId, name: string) => Effect.Effect<StoredGoal, GoalNotFound | StoreError>
  readonly byIds: (user: UserId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StoredGoal>, StoreError>
  /** Those that were changed last first. */
  readonly list: (user: UserId, state: "active" | "completed") => Effect.Effect<ReadonlyArray<StoredGoal>, StoreError>
}

/**
 * The goals of users.
 *
 * @category services
 */
export class Goals extends Context.Tag("@wield/assistant/Goals")<Goals, Service>() {}

/**
 * Goals in the client's database; makes what tables are missing. Memories are those of `Memories.layer`.
 *
 * @category layers
 */
export const layer: Layer.Layer<Goals, StoreError, SqlClient | SearchIndex> = Layer.effect(
  Goals,
  Effect.gen(function* () {
    yield* migrate
    const [sql, index] = [yield* SqlClient, yield* SearchIndex]
    return makeGoals(sql, index, (user, memory) => insertMemory(sql, index, user, memory))
  })
)

/**
 * The same, with memories of completed goals by `Memories.create`, last in the transaction that completes the goal.
 * A memory that the service finds invalid is a defect.
 *
 * @category layers
 */
export const layerWithMemories: Layer.Layer<Goals, StoreError, SqlClient | SearchIndex | Memories> = Layer.effect(
  Goals,
  Effect.gen(function* () {
    yield* migrate
    const memories = yield* Memories
    return makeGoals(yield* SqlClient, yield* SearchIndex, (user, memory) =>
      memories
        .create(user, { ...memory, name: shortenName(memory.name) })
        .pipe(Effect.catchTag("InvalidMemory", Effect.die))
    )
  })
)
