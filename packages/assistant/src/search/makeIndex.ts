/** The search, over whichever database the client is of. */
import * as AiError from "@effect/ai/AiError"
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { stemmer } from "stemmer"
import { makeBreathe } from "@wield/core/Time"
import type { UserId } from "../Owner.js"
import type { Found, Item, ItemType, Pair, Query, Service, Weights } from "../SearchIndex.js"
import { runOperation } from "../store/operation.js"
import type { StoreError } from "../StoreError.js"
import type { Backend, Candidate, Filter, HashedItem } from "./Backend.js"
import * as Digest from "@wield/core/Digest"
import { type Embedder, makeEmbedder } from "./embedding.js"
import { postgresBackend } from "./postgres.js"
import { sqliteBackend } from "./sqlite.js"
import { keyWords, removeMarks } from "./terms.js"
import { dotProduct, toUnit } from "./vector.js"
import { fuse, meaningScores, type Scores, searchTermsOf, synonymTerms, wordScores } from "./score.js"

interface Meaning {
  readonly service: EmbeddingModel.Service
  readonly model: string
  readonly timeout: Duration.DurationInput
  /** In bytes, where the database cannot compare vectors. */
  readonly vectorMemory: number
}

/** As many items as are embedded before the progress is reported, or before items are compared. */
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
        : makeMeaningSearch(backend, embedder, meaning.timeout)
    if (embedder !== undefined) yield* forkCatchUp(embedder, woken)
    yield* wake
    return {
      put: (user, items) =>
        Effect.zipRight(
          sql.withTransaction(
            Effect.forEach(batchesOf(items), (batch) => backend.put(user, batch.map(withHash)), { discard: true })
          ),
          wake
        ),
      remove: (user, type, ids) => backend.remove(user, type, ids),
      search: (user, query) => search(backend, meant, weights, user, query),
      alike: (user, type, { atLeast, limit }) =>
        Effect.gen(function* () {
          if (embedder !== undefined) yield* Effect.ignoreLogged(embedder.catchUp(atOnce, user))
          return yield* pairs(yield* backend.all(user, type, embedder?.model, mostCompared), atLeast, limit)
        }).pipe(runOperation("compare items")),
      reindex:
        embedder === undefined
          ? Stream.empty
          : Stream.paginateEffect(undefined, () =>
              Effect.gen(function* () {
                const made = yield* embedder.catchUp(atOnce)
                const progress = yield* backend.count(embedder.model)
                return [progress, made === 0 ? Option.none() : Option.some(undefined)] as const
              }).pipe(runOperation("embed items"))
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

const withHash = (item: Item): HashedItem => ({ item, hash: Digest.ofText(`${item.title}\n${item.text}`) })

const search = (
  backend: Backend,
  meant: ReturnType<typeof makeMeaningSearch> | undefined,
  weights: Weights,
  user: UserId,
  { limit = 5, text, types = everyType, without = [] }: Query
): Effect.Effect<Found, StoreError> =>
  Effect.gen(function* () {
    const wanted: Filter = { types, without, limit: Math.max(weights.candidates, limit) }
    const worded = weights.words > 0 ? yield* findWords(backend, user, text, weights, wanted) : undefined
    // Nothing has no meaning, and providers refuse it.
    const meaning = meant === undefined || text.trim() === "" ? undefined : yield* meant(user, text, wanted)
    const searches: Array<Scores> = []
    if (worded !== undefined) {
      const { found, sought } = worded
      // What was found by its meaning may have words that others have better.
      const scores = wordScores(sought, distinct([...found, ...(meaning ?? [])]), weights.synonyms)
      searches.push({ by: "words", weight: weights.words, found, scores })
    }
    if (meaning !== undefined) {
      searches.push({ by: "meaning", weight: weights.meaning, found: meaning, scores: meaningScores(meaning) })
    }
    return {
      kind: meaning === undefined ? "words" : "words and meaning",
      hits: fuse(searches, weights, yield* Clock.currentTimeMillis, limit)
    } satisfies Found
  }).pipe(runOperation("search"))

const mostWords = 24

const findWords = (backend: Backend, user: UserId, text: string, weights: Weights, wanted: Filter) =>
  Effect.gen(function* () {
    const words = keyWords(removeMarks(text)).slice(0, mostWords)
    const sought = searchTermsOf(words, yield* backend.frequencies(user, words, wanted.types))
    const found = [
      ...(yield* backend.byWords(user, sought, wanted)),
      ...(weights.synonyms > 0 ? yield* backend.byWords(user, synonymTerms(sought), wanted) : [])
    ]
    return { sought, found: distinct(found) }
  })

const distinct = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> => [
  ...new Map(candidates.map((candidate) => [candidate.key, candidate])).values()
]

/** Embeds what is new, beside what else is going on; when the model fails it waits, longer each time. */
const forkCatchUp = (embedder: Embedder, woken: Queue.Dequeue<void>): Effect.Effect<void, never, Scope.Scope> =>
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

/** Each item is compared with those before it; others have their turn after each, for it takes seconds of many. */
const pairs = (
  items: Effect.Effect.Success<ReturnType<Backend["all"]>>,
  atLeast: { readonly meaning: number; readonly words: number },
  limit: number
): Effect.Effect<ReadonlyArray<Pair>> =>
  Effect.gen(function* () {
    const breathe = yield* makeBreathe
    const vectors = items.map(({ vector }) =>
      vector === undefined || vector.length === 0 ? undefined : toUnit(vector)
    )
    const stems: Array<ReadonlySet<string>> = []
    const having = new Map<string, Array<number>>()
    const found: Array<Pair> = []
    for (const [index, { item }] of items.entries()) {
      const own = new Set(keyWords(`${item.title} ${item.text}`).map((word) => stemmer(word)))
      const both = new Uint32Array(index)
      for (const stem of own) {
        const others = having.get(stem) ?? []
        for (const other of others) both[other] = (both[other] ?? 0) + 1
        having.set(stem, others)
        others.push(index)
      }
      stems.push(own)
      const vector = vectors[index]
      for (let other = 0; other < index; other++) {
        const left = items[other]
        if (left === undefined) continue
        const before = vectors[other]
        const isByMeaning = vector !== undefined && before !== undefined && vector.length === before.length
        const likeness = isByMeaning
          ? dotProduct(vector, before)
          : share(both[other] ?? 0, own.size, stems[other]?.size ?? 0)
        if (likeness >= (isByMeaning ? atLeast.meaning : atLeast.words)) {
          found.push({ left: left.item, right: item, likeness })
        }
      }
      yield* breathe
    }
    return found.sort((left, right) => right.likeness - left.likeness).slice(0, limit)
  })

const share = (both: number, left: number, right: number): number => {
  const all = left + right - both
  return all === 0 ? 0 : both / all
}

/** A provider that cannot be reached, or not in time, costs the search by meaning, not the search. */
const makeMeaningSearch =
  (backend: Backend, embedder: Embedder, timeout: Duration.DurationInput) =>
  (user: UserId, text: string, wanted: Filter) =>
    // The vectors of what is new, and of the query, at once. What could not be embedded, or not soon, is no reason not to
    // look among what was.
    Effect.all(
      [
        embedder.catchUp(atOnce, user).pipe(
          Effect.timeoutOption(Duration.times(timeout, 0.25)),
          Effect.catchIf(AiError.isAiError, (error) =>
            Effect.logDebug("New items could not be embedded", error.message)
          )
        ),
        embedder.embed(text.slice(0, longest))
      ],
      { concurrency: "unbounded" }
    ).pipe(
      Effect.map(([, vector]) => vector),
      Effect.catchIf(AiError.isAiError, (error) =>
        Effect.as(Effect.logWarning("The embedding model failed: searching by words only", error.message), undefined)
      ),
      Effect.timeoutTo({
        duration: timeout,
        onSuccess: Effect.succeed,
        onTimeout: () =>
          Effect.as(
            Effect.logWarning(
              `The embedding model took more than ${Duration.format(timeout)}: searching by words only`
            ),
            undefined
          )
      }),
      Effect.flatten,
      // The time is the model's: a database that takes long to compare many vectors is waited for.
      Effect.flatMap((vector) =>
        vector === undefined ? Effect.succeed(undefined) : backend.byMeaning(user, embedder.model, vector, wanted)
      )
    )

/** Of a query so many characters are embedded: some 2,000 tokens, which every model takes. */
const longest = 8000
