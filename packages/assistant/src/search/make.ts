/** The search, over whichever database the client is of. */
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { UserId } from "../Owner.js"
import type { Found, Item, ItemType, Query, Service, Weights } from "../SearchIndex.js"
import type { StoreError } from "../StoreError.js"
import { stored } from "../store/stored.js"
import { pairs } from "./alike.js"
import type { Backend, Candidate, Hashed, Wanted } from "./Backend.js"
import { digest } from "./digest.js"
import { type Embedder, makeEmbedder } from "./embedding.js"
import { findMeant, type Meant } from "./meant.js"
import { postgresBackend } from "./postgres.js"
import { fused, meaningScores, type Scored } from "./rank.js"
import { sqliteBackend } from "./sqlite.js"
import { tellingWords, unmarked } from "./terms.js"
import { soughtOf, synonymsSought, wordScores } from "./wordScore.js"

export interface Meaning {
  readonly service: EmbeddingModel.Service
  readonly model: string
  /** How long a search waits for the model. */
  readonly timeout: Duration.DurationInput
  /** In bytes, where the database cannot compare vectors. */
  readonly vectorMemory: number
}

/** As many items as are embedded before it is told how far it is, or before items are compared. */
const atOnce = 96

const everyType: ReadonlyArray<ItemType> = ["memory", "goal", "excerpt"]

export const make = (
  sql: SqlClient,
  weights: Weights,
  meaning: Meaning | undefined
): Effect.Effect<Service, never, Scope.Scope> =>
  Effect.gen(function* () {
    const backend = yield* sql.onDialectOrElse({
      pg: () => postgresBackend(sql, meaning?.vectorMemory),
      orElse: () => Effect.succeed(sqliteBackend(sql))
    })
    const woken = yield* Queue.sliding<void>(1)
    const wake = meaning === undefined ? Effect.void : Effect.asVoid(Queue.offer(woken, undefined))
    const embedder =
      meaning === undefined ? undefined : yield* makeEmbedder(backend, meaning.service, meaning.model, wake)
    const meant =
      embedder === undefined || meaning === undefined || weights.meaning === 0
        ? undefined
        : findMeant(backend, embedder, meaning.timeout)
    if (embedder !== undefined) yield* catchingUp(embedder, woken)
    yield* wake
    return {
      put: (user, items) =>
        Effect.zipRight(
          sql.withTransaction(
            Effect.forEach(batchesOf(items), (batch) => backend.put(user, batch.map(hashed)), { discard: true })
          ),
          wake
        ),
      remove: (user, type, ids) => backend.remove(user, type, ids),
      search: (user, query) => search(backend, meant, weights, user, query),
      alike: (user, type, { atLeast, limit }) =>
        Effect.gen(function* () {
          if (embedder !== undefined) yield* Effect.ignoreLogged(embedder.catchUp(atOnce, user))
          return yield* pairs(yield* backend.all(user, type, embedder?.model, mostCompared), atLeast, limit)
        }).pipe(stored("compare items")),
      reindex:
        embedder === undefined
          ? Stream.empty
          : Stream.paginateEffect(undefined, () =>
              Effect.gen(function* () {
                const made = yield* embedder.catchUp(atOnce)
                const progress = yield* backend.count(embedder.model)
                return [progress, made === 0 ? Option.none() : Option.some(undefined)] as const
              }).pipe(stored("embed items"))
            )
    }
  })

/** As many items as a statement takes: of each there are ten values, and of most texts some kilobytes. */
const itemsAtOnce = 100

/** Of two items of the same type and id the last one counts, as if they came one after the other. */
const batchesOf = (items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> => {
  const last = [...new Map(items.map((item) => [`${item.type} ${item.id}`, item])).values()]
  return Array.chunksOf(last, itemsAtOnce)
}

const hashed = (item: Item): Hashed => ({ item, hash: digest(`${item.title}\n${item.text}`) })

const search = (
  backend: Backend,
  meant: Meant | undefined,
  weights: Weights,
  user: UserId,
  { limit = 5, text, types = everyType, without = [] }: Query
): Effect.Effect<Found, StoreError> =>
  Effect.gen(function* () {
    const wanted: Wanted = { types, without, limit: Math.max(weights.candidates, limit) }
    const worded = weights.words > 0 ? yield* findWords(backend, user, text, weights, wanted) : undefined
    // Nothing has no meaning, and providers refuse it.
    const meaning = meant === undefined || text.trim() === "" ? undefined : yield* meant(user, text, wanted)
    const searches: ReadonlyArray<Scored> = [
      ...(worded === undefined
        ? []
        : [
            {
              by: "words",
              weight: weights.words,
              found: worded.found,
              // What was found by its meaning may have words that others have better.
              scores: wordScores(worded.sought, distinct([...worded.found, ...(meaning ?? [])]), weights.synonyms)
            } as const
          ]),
      ...(meaning === undefined
        ? []
        : [{ by: "meaning", weight: weights.meaning, found: meaning, scores: meaningScores(meaning) } as const])
    ]
    return {
      kind: meaning === undefined ? "words" : "words and meaning",
      hits: fused(searches, weights, yield* Clock.currentTimeMillis, limit)
    } satisfies Found
  }).pipe(stored("search"))

/** Of a longer query the first words are looked for. */
const mostWords = 24

/** What has a word of the query, or one that means the same. */
const findWords = (backend: Backend, user: UserId, text: string, weights: Weights, wanted: Wanted) =>
  Effect.gen(function* () {
    const words = tellingWords(unmarked(text)).slice(0, mostWords)
    const sought = soughtOf(words, yield* backend.frequencies(user, words, wanted.types))
    const found = [
      ...(yield* backend.byWords(user, sought, wanted)),
      ...(weights.synonyms > 0 ? yield* backend.byWords(user, synonymsSought(sought), wanted) : [])
    ]
    return { sought, found: distinct(found) }
  })

const distinct = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> => [
  ...new Map(candidates.map((candidate) => [candidate.key, candidate])).values()
]

/** Embeds what is new, beside what else is going on; when the model fails it waits, longer each time. */
const catchingUp = (embedder: Embedder, woken: Queue.Dequeue<void>): Effect.Effect<void, never, Scope.Scope> =>
  Queue.take(woken).pipe(
    // Until the transaction that has woken it is over; what it misses is found by the next search.
    Effect.zipRight(Effect.sleep("50 millis")),
    Effect.zipRight(
      embedder.catchUp(Number.POSITIVE_INFINITY).pipe(
        Effect.tapError((error) => Effect.logWarning("New items could not be embedded yet", error.message)),
        Effect.retry(Schedule.exponential("1 second").pipe(Schedule.union(Schedule.spaced("1 minute"))))
      )
    ),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped,
    Effect.asVoid
  )

/** Comparing all with all takes the square of their number: 2,000 are two million pairs, some seconds. */
const mostCompared = 2000
