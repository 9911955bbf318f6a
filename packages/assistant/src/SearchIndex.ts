/**
 * The search over everything an assistant remembers: memories, goals and
 * excerpts of documents, by words always, and by meaning where there is an
 * `EmbeddingModel`.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { UserId } from "./Owner.js"
import type { StoreError } from "./StoreError.js"

/**
 * What can be found.
 *
 * @since 0.1.0
 * @category models
 */
export type ItemType = "memory" | "goal" | "excerpt"

/**
 * One thing that can be found.
 *
 * @since 0.1.0
 * @category models
 */
export interface Item {
  readonly type: ItemType
  /** Of the memory, goal or excerpt. */
  readonly id: string
  readonly title: string
  readonly text: string
  /** From 1 to 10; 5 where nobody said. */
  readonly importance: number
  /** Milliseconds since 1970: what is newer ranks higher, all else being equal. */
  readonly changed: number
}

/**
 * What to find.
 *
 * @since 0.1.0
 * @category models
 */
export interface Query {
  readonly text: string
  /** All types unless given. */
  readonly types?: ReadonlyArray<ItemType> | undefined
  /** At most so many. 5 unless given. */
  readonly limit?: number | undefined
  /** Ids that are not wanted, such as of what is in the context already. */
  readonly without?: ReadonlyArray<string> | undefined
}

/**
 * Something found.
 *
 * @since 0.1.0
 * @category models
 */
export interface Hit extends Item {
  /** Between 0 and 1: comparable within one answer only. */
  readonly score: number
  /** What found it. */
  readonly by: ReadonlyArray<"words" | "meaning">
}

/**
 * What was found, best first, and how it was searched: `words` where there is no
 * embedding model, or where it failed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Found {
  readonly kind: "words" | "words and meaning"
  readonly hits: ReadonlyArray<Hit>
}

/**
 * Finds items. Every operation is about the items of one user and no other.
 *
 * @since 0.1.0
 * @category services
 */
export interface Service {
  /** Adds items or replaces those of the same type and id, as part of the transaction that is open. */
  readonly put: (user: UserId, items: ReadonlyArray<Item>) => Effect.Effect<void, StoreError>
  /** Removes items, as part of the transaction that is open. */
  readonly remove: (user: UserId, type: ItemType, ids: ReadonlyArray<string>) => Effect.Effect<void, StoreError>
  readonly search: (user: UserId, query: Query) => Effect.Effect<Found, StoreError>
  /** Pairs of items that mean nearly the same, most alike first; between 0 and 1, 1 is equal. */
  readonly alike: (
    user: UserId,
    type: ItemType,
    options: { readonly atLeast: number; readonly limit: number }
  ) => Effect.Effect<
    ReadonlyArray<{ readonly left: Item; readonly right: Item; readonly likeness: number }>,
    StoreError
  >
}

/**
 * The search over everything an assistant remembers.
 *
 * @since 0.1.0
 * @category services
 */
export class SearchIndex extends Context.Tag("@wield/assistant/SearchIndex")<SearchIndex, Service>() {}
