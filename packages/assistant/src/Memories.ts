/** What an assistant remembers of users. */
import { SqlClient } from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeMemories } from "./memories/makeMemories.js"
import type { Memory, Source, SourceType } from "./Memory.js"
import type { InvalidMemory, MemoryNotFound, SourceNotFound } from "./MemoryError.js"
import type { UserId } from "./Owner.js"
import { type Found, SearchIndex } from "./SearchIndex.js"
import { migrate } from "./store/migrations.js"
import type { StoreError } from "./StoreError.js"

/**
 * A memory to be made.
 *
 * @category models
 */
export interface NewMemory {
  /** At most 200 characters. Blanks around it do not count, nor how its accents are encoded. */
  readonly name: string
  readonly text: string
  /** From 1 to 10; 5 unless given. */
  readonly importance?: number | undefined
  /** Words to find it by, beside those of its name and text. */
  readonly keywords?: ReadonlyArray<string> | undefined
  readonly sources?: ReadonlyArray<Source> | undefined
}

/**
 * Memories that were found, best first, and how they were searched.
 *
 * @category models
 */
export interface FoundMemories {
  readonly kind: Found["kind"]
  readonly memories: ReadonlyArray<Memory>
}

/**
 * What an assistant remembers of users. A name means the memory that was changed last of those that have it. Outdated
 * and consolidated memories are found by their ids and as sources only.
 *
 * To keep memories elsewhere, give `Assistant.layer` a layer of this service as `memories`. It keeps the rules of each
 * operation, and puts what it makes into `SearchIndex` as items of the type `memory` with its `id`; what is deleted,
 * outdated or consolidated it removes from there. `Recall` and `examine_memories` ask `byIds` for ids found there,
 * `MemoryToolkit` uses all but `merge`, which `Consolidation` uses, and completed goals use `create`. `Consolidation`
 * begins by itself only with memories of `layer`, which counts them; `Assistant.forget` and `export` know no others.
 *
 * @category services
 */
export interface Service {
  readonly create: (user: UserId, memory: NewMemory) => Effect.Effect<Memory, InvalidMemory | StoreError>
  readonly get: (user: UserId, name: string) => Effect.Effect<Memory, MemoryNotFound | StoreError>
  readonly byIds: (user: UserId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Memory>, StoreError>
  /** Adds to a memory, in a new one of the same name and contexts; the old one becomes its source. */
  readonly update: (
    user: UserId,
    name: string,
    text: string
  ) => Effect.Effect<Memory, MemoryNotFound | InvalidMemory | StoreError>
  /** Deletes a memory by its number, with those that it alone was made of, such as what it was before. */
  readonly delete: (user: UserId, number: number) => Effect.Effect<Memory, MemoryNotFound | StoreError>
  /** The newest first. */
  readonly recent: (user: UserId, count: number) => Effect.Effect<ReadonlyArray<Memory>, StoreError>
  readonly search: (user: UserId, text: string, limit: number) => Effect.Effect<FoundMemories, StoreError>
  readonly sources: (user: UserId, name: string) => Effect.Effect<ReadonlyArray<Source>, MemoryNotFound | StoreError>
  /** A source by its name. Texts of several of this name stand one after the other, the newest first. */
  readonly source: (user: UserId, type: SourceType, name: string) => Effect.Effect<Source, SourceNotFound | StoreError>
  /**
   * Makes one memory of several, which become its sources, all in one
   * transaction. What is made is in each context that one of them was in. Gives
   * nothing, and changes nothing, where one of them is not active any more.
   */
  readonly merge: (
    user: UserId,
    ids: ReadonlyArray<string>,
    into: ReadonlyArray<NewMemory>
  ) => Effect.Effect<ReadonlyArray<Memory>, StoreError>
}

/**
 * What an assistant remembers of users.
 *
 * @category services
 */
export class Memories extends Context.Tag("@wield/assistant/Memories")<Memories, Service>() {}

/**
 * Memories in the client's database; makes what tables are missing.
 *
 * @category layers
 */
export const layer: Layer.Layer<Memories, StoreError, SqlClient | SearchIndex> = Layer.effect(
  Memories,
  Effect.gen(function* () {
    yield* migrate
    return makeMemories(yield* SqlClient, yield* SearchIndex)
  })
)
