/** What a database does for the search. Every operation is about one user's items, or says that it is not. */
import type { SqlError } from "@effect/sql/SqlError"
import type * as Effect from "effect/Effect"
import type { UserId } from "../Owner.js"
import type { Item, ItemType } from "../SearchIndex.js"

/** An item that a search has found, with a number by which it is better than those with a smaller one. */
export interface Candidate extends Item {
  readonly key: number
  readonly rank: number
}

/** A word to look for, and how much it tells: the more, the fewer items have it. */
export interface SearchTerm {
  readonly word: string
  readonly rarity: number
}

export interface Frequencies {
  readonly total: number
  readonly having: ReadonlyArray<number>
}

export interface Filter {
  readonly types: ReadonlyArray<ItemType>
  readonly limit: number
  readonly without: ReadonlyArray<string>
}

export interface Pending {
  readonly key: number
  readonly user: string
  readonly hash: string
  readonly title: string
  readonly text: string
}

export interface EmbeddedItem extends Pick<Pending, "key" | "user" | "hash"> {
  readonly vector: ReadonlyArray<number>
}

export interface HashedItem {
  readonly item: Item
  readonly hash: string
}

export interface Backend {
  /** No two of the same type and id, and no more than a statement has room for. */
  readonly put: (user: UserId, items: ReadonlyArray<HashedItem>) => Effect.Effect<void, SqlError>
  readonly remove: (user: UserId, type: ItemType, ids: ReadonlyArray<string>) => Effect.Effect<void, SqlError>
  readonly frequencies: (
    user: UserId,
    words: ReadonlyArray<string>,
    types: ReadonlyArray<ItemType>
  ) => Effect.Effect<Frequencies, SqlError>
  /** Those that have one of the words at least, in about the order of how well they have them. */
  readonly byWords: (
    user: UserId,
    words: ReadonlyArray<SearchTerm>,
    wanted: Filter
  ) => Effect.Effect<ReadonlyArray<Candidate>, SqlError>
  readonly byMeaning: (
    user: UserId,
    model: string,
    vector: ReadonlyArray<number>,
    wanted: Filter
  ) => Effect.Effect<ReadonlyArray<Candidate>, SqlError>
  /** Of all users unless one is given. */
  readonly pending: (model: string, limit: number, user?: UserId) => Effect.Effect<ReadonlyArray<Pending>, SqlError>
  /** Vectors that the model has made of the same texts before, by their hashes. */
  readonly known: (
    model: string,
    hashes: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<number>>, SqlError>
  /** Leaves out items whose text has changed meanwhile. */
  readonly keep: (model: string, embedded: ReadonlyArray<EmbeddedItem>) => Effect.Effect<void, SqlError>
  /** Vectors of the model with other dimensions no longer count; false if there were no such vectors. */
  readonly discardOthers: (model: string, dimensions: number) => Effect.Effect<boolean, SqlError>
  readonly count: (model: string) => Effect.Effect<{ readonly done: number; readonly total: number }, SqlError>
  readonly all: (
    user: UserId,
    type: ItemType,
    model: string | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<{ readonly item: Item; readonly vector: Float32Array | undefined }>, SqlError>
}
