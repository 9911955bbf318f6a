/** What adding and searching take of one user with many memories, in a libsql file and in Postgres. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { SearchIndex } from "@wield/assistant"
import { Duration, Effect, type Layer, Stream } from "effect"
import { summarise } from "../../harness/statistics.js"
import type { Measured } from "../../harness/table.js"
import { manyMemories, randomOf } from "../../task/recall/manyMemories.js"
import { questions } from "../../task/recall/questions.js"
import * as WordVectors from "../../task/recall/wordVectors.js"
import { file, layerOf, user } from "./kinds.js"
import { postgres } from "../../harness/postgres.js"

const databases: ReadonlyArray<{
  readonly name: string
  readonly client: Layer.Layer<SqlClient>
  readonly sizes: ReadonlyArray<number>
}> = [
  { name: "libsql", client: file, sizes: [1_000, 10_000, 100_000] },
  { name: "Postgres", client: postgres, sizes: [1_000, 10_000] }
]

/** A program's imports come in batches. */
const batch = 1_000

const dimensions = 384

/** Any direction: how long a search takes does not depend on what a vector means. */
const embed = (text: string): Array<number> => {
  let seed = 0
  for (let index = 0; index < text.length; index++) seed = (Math.imul(seed, 31) + text.charCodeAt(index)) | 0
  const random = randomOf(seed)
  return Array.from({ length: dimensions }, () => random() - 0.5)
}

const searches = [
  { name: "words", weights: { meaning: 0 }, isByMeaning: false },
  { name: "meaning", weights: { words: 0, synonyms: 0 }, isByMeaning: true },
  { name: "both", weights: {}, isByMeaning: true }
] as const

/** Milliseconds of wall time: a search in Postgres is work of another process. */
const timed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.map(Effect.timed(effect), ([duration]) => Duration.toMillis(duration))

/** So many questions, each so many times: its time is the shortest, which others on the machine lengthen least. */
const asked = 20
const times = 4

const measured = (name: string, items: ReadonlyArray<SearchIndex.Item>) =>
  Effect.gen(function* () {
    const put = yield* SearchIndex.SearchIndex.pipe(
      Effect.flatMap((index) =>
        timed(
          Effect.forEach(
            Array.from({ length: Math.ceil(items.length / batch) }, (_, position) => position * batch),
            (from) => index.put(user, items.slice(from, from + batch)),
            { discard: true }
          )
        )
      ),
      Effect.provide(layerOf(searches[0], embed))
    )
    const embedded = yield* SearchIndex.SearchIndex.pipe(
      Effect.flatMap(({ reindex }) => timed(Stream.runDrain(reindex))),
      Effect.provide(layerOf(searches[2], embed))
    )
    const rows = yield* Effect.forEach(searches, (search) =>
      Effect.gen(function* () {
        const index = yield* SearchIndex.SearchIndex
        const one = (number: number) => index.search(user, { text: questions[number]?.text ?? "", limit: 5 })
        yield* one(0)
        const samples = yield* Effect.forEach(
          Array.from({ length: asked }, (_, position) => position * 7),
          (number) => Effect.map(Effect.replicateEffect(timed(one(number)), times), (all) => Math.min(...all))
        )
        return summarise(samples)
      }).pipe(Effect.provide(layerOf(search, embed)))
    )
    return [
      name,
      items.length,
      Math.round((items.length * 1_000) / put),
      Math.round((items.length * 1_000) / embedded),
      ...rows.flatMap(({ maximum, median }) => [median.toFixed(1), maximum.toFixed(1)])
    ]
  })

export const latency = async (): Promise<Measured> => {
  const { places } = WordVectors.load()
  const frequentFirst = [...places.keys()].filter((word) => /^[a-z]+$/.test(word)).slice(0, 50_000)
  const rows: Array<ReadonlyArray<string | number>> = []
  for (const { client, name, sizes } of databases) {
    for (const size of sizes) {
      const items = manyMemories(size, frequentFirst, Date.now())
      rows.push(await Effect.runPromise(measured(name, items).pipe(Effect.provide(client))))
    }
  }
  return {
    tables: [
      {
        _tag: "Figures",
        title: `memories of one user, vectors of ${dimensions} dimensions: put and embedded a second, milliseconds of a search`,
        columns: [
          "database",
          "memories",
          "put/s",
          "embedded/s",
          ...searches.flatMap(({ name }) => [`${name}, median`, "max"])
        ],
        rows
      }
    ],
    goals: [],
    notes: [
      `Wall time: the median and the maximum over ${asked} questions, of each the shortest of ${times} times. Put in batches of ${batch}. The model takes no time: a provider's adds its own to every search by meaning.`
    ]
  }
}
