/** The search over memories, goals and excerpts, by words, and by meaning where there is an `EmbeddingModel`. */
import type * as AiError from "@effect/ai/AiError"
import { EmbeddingModel } from "@effect/ai/EmbeddingModel"
import { SqlClient } from "@effect/sql/SqlClient"
import { aDuration, aName, aNumber, type Checks, fields, orThrow } from "@wield/core/Options"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import type { Duration, Stream } from "effect"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { UserId } from "./Owner.js"
import { make } from "./search/makeIndex.js"
import { migrate } from "./store/migrations.js"
import type { StoreError } from "./StoreError.js"

/**
 * What can be found.
 *
 * @category models
 */
export type ItemType = "memory" | "goal" | "excerpt"

/**
 * One thing that can be found.
 *
 * @category models
 */
export interface Item {
  readonly type: ItemType
  /** Of the memory, goal or excerpt. */
  readonly id: string
  readonly title: string
  readonly text: string
  /** From 1 to 10; 5 unless given. */
  readonly importance: number
  /** Milliseconds since 1970: what is newer ranks higher, all else being equal. */
  readonly changed: number
}

/**
 * What to find.
 *
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
 * @category models
 */
export interface Hit extends Item {
  /** Between 0 and 1: comparable within one answer only. */
  readonly score: number
  /** What found it. */
  readonly by: ReadonlyArray<"words" | "meaning">
}

/**
 * What was found, best first; by `words` alone without an embedding model, or where it failed.
 *
 * @category models
 */
export interface Found {
  readonly kind: "words" | "words and meaning"
  readonly hits: ReadonlyArray<Hit>
}

/**
 * Two items, and how alike they are: between 0 and 1, 1 is equal.
 *
 * @category models
 */
export interface Pair {
  readonly left: Item
  readonly right: Item
  readonly likeness: number
}

/**
 * Finds items. Every operation is about the items of one user and no other.
 *
 * @category services
 */
export interface Service {
  /** Adds or replaces items of a type and id, as part of the open transaction. */
  readonly put: (user: UserId, items: ReadonlyArray<Item>) => Effect.Effect<void, SqlError>
  /** Removes items, as part of the transaction that is open. */
  readonly remove: (user: UserId, type: ItemType, ids: ReadonlyArray<string>) => Effect.Effect<void, SqlError>
  readonly search: (user: UserId, query: Query) => Effect.Effect<Found, StoreError>
  /**
   * Pairs of items that mean nearly the same, most alike first. They are
   * compared by their meaning where both have a vector, by their words
   * otherwise; the newest 2,000 items of the type are compared.
   */
  readonly alike: (
    user: UserId,
    type: ItemType,
    options: { readonly atLeast: { readonly meaning: number; readonly words: number }; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Pair>, StoreError>
  /**
   * Makes the vectors that are missing, of all users, as after a change of the model; what is new needs no call.
   * Tells how far it is after each batch. After a failure or an interruption the next one goes on there.
   */
  readonly reindex: Stream.Stream<Progress, StoreError | AiError.AiError>
}

/**
 * How many items have a vector of the model, or a text that it refuses.
 *
 * @category models
 */
export interface Progress {
  readonly done: number
  readonly total: number
}

/**
 * How the order of what was found comes about: an item is worth the share that it has of what the words of the query
 * tell (BM25), and how near it is in meaning to the nearest, both between 0 and 1. Their weighted sum counts by up to
 * `recency` more for what is new, and `importance` more for what is important. A weight of 0 leaves that search out.
 *
 * @category models
 */
export interface Weights {
  /** The search by the words of the query. 1 unless given. */
  readonly words: number
  /** What a word counts that means the same as one of the query, between 0 and 1 of that one. 0.6 unless given. */
  readonly synonyms: number
  /** The search by meaning. 0.7 unless given. */
  readonly meaning: number
  /** How many items each search contributes. 50 unless given. */
  readonly candidates: number
  /** 0.1 unless given. */
  readonly recency: number
  /** Days after which an item counts as half as new. 30 unless given. */
  readonly halfLife: number
  /** 0.1 unless given. */
  readonly importance: number
}

/**
 * The weights unless others are given.
 *
 * @category constants
 */
export const weights: Weights = {
  words: 1,
  synonyms: 0.6,
  meaning: 0.7,
  candidates: 50,
  recency: 0.1,
  halfLife: 30,
  importance: 0.1
}

/**
 * The search over everything an assistant remembers.
 *
 * @category services
 */
export class SearchIndex extends Context.Tag("@wield/assistant/SearchIndex")<SearchIndex, Service>() {}

/**
 * The search by words, in SQLite or Postgres; makes what tables are missing.
 *
 * @category layers
 */
export const layer = (
  options: { readonly weights?: Partial<Weights> | undefined } = {}
): Layer.Layer<SearchIndex, StoreError, SqlClient> =>
  Layer.scoped(
    SearchIndex,
    Effect.gen(function* () {
      orThrow(fields({ weights: checkWeights })(options), "What `SearchIndex.layer` takes")
      yield* migrate
      return yield* make(yield* SqlClient, { ...weights, ...options.weights }, undefined)
    })
  )

const checkWeights = fields({
  words: aNumber,
  synonyms: aNumber,
  meaning: aNumber,
  candidates: aNumber,
  recency: aNumber,
  halfLife: aNumber,
  importance: aNumber
} satisfies Checks<Weights>)

/**
 * How many bytes of vectors are held in memory unless given: 128 MiB.
 *
 * @category constants
 */
export const vectorMemory: number = 128 * 1024 * 1024

/**
 * The search by words and by meaning. `model` names the embedding model: a
 * vector of another model is made again, and so is one of other
 * dimensions. A search that has waited for the model for `timeout` goes on by
 * words alone; 10 seconds unless given.
 *
 * @category layers
 */
export const layerEmbedding = (
  options: EmbeddingOptions
): Layer.Layer<SearchIndex, StoreError, SqlClient | EmbeddingModel> =>
  Layer.scoped(
    SearchIndex,
    Effect.gen(function* () {
      orThrow(checkEmbedding(options), "What `SearchIndex.layerEmbedding` takes")
      yield* migrate
      const service = yield* EmbeddingModel
      return yield* make(
        yield* SqlClient,
        { ...weights, ...options.weights },
        {
          service,
          model: options.model,
          timeout: options.timeout ?? "10 seconds",
          vectorMemory: options.vectorMemory ?? vectorMemory
        }
      )
    })
  )

interface EmbeddingOptions {
  readonly model: string
  readonly weights?: Partial<Weights> | undefined
  readonly timeout?: Duration.DurationInput | undefined
  readonly vectorMemory?: number | undefined
}

const checkEmbedding = fields(
  { model: aName, weights: checkWeights, timeout: aDuration, vectorMemory: aNumber } satisfies Checks<EmbeddingOptions>,
  ["model"]
)
