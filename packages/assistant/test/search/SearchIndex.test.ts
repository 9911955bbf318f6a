import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, layer } from "@effect/vitest"
import { Owner, SearchIndex } from "@wield/assistant"
import { Chunk, Effect, Layer, Stream } from "effect"
import { sized } from "../../../../test/sizes.js"
import { databases } from "../databases/databases.js"
import { makeVectors } from "./vectors.js"

const user = (name: string) => Owner.UserId.make(name)

/** Each test has a user of its own: the database is shared. */
let users = 0
const newUser = () => user(`user ${++users}`)

const memory = (id: string, title: string, text: string, more: Partial<SearchIndex.Item> = {}): SearchIndex.Item => ({
  type: "memory",
  id,
  title,
  text,
  importance: 5,
  changed: 0,
  ...more
})

const titles = (found: SearchIndex.Found) => found.hits.map(({ title }) => title)

for (const { client, name } of databases) {
  describe(`the search in ${name}`, () => {
    layer(SearchIndex.layer().pipe(Layer.provideMerge(client)))((it) => {
      it.effect("finds words by their stems, and the best first", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [
            memory("1", "Morning", "She runs along the river before breakfast"),
            memory("2", "Marathon", "She has been running marathons, and runs one each spring"),
            memory("3", "Lunch", "Soup on Mondays")
          ])
          const found = yield* index.search(ada, { text: "When does she run a marathon?" })
          expect(titles(found)).toEqual(["Marathon", "Morning"])
          expect(found.kind).toBe("words")
          expect(found.hits[0]?.by).toEqual(["words"])
        })
      )

      it.effect("finds what is said in another word", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [memory("1", "Health", "The physician is Mrs Lind"), memory("2", "Car", "A red one")])
          expect(titles(yield* index.search(ada, { text: "Which doctors are there?" }))).toEqual(["Health"])
        })
      )

      it.effect("puts the word itself before another that means the same", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [
            memory("1", "Health", "The doctor is Mrs Lind"),
            memory("2", "Health", "The physician is Mrs Lind")
          ])
          const { hits } = yield* index.search(ada, { text: "Who is the doctor?" })
          expect(hits.map(({ id }) => id)).toEqual(["1", "2"])
          const others = yield* index.search(ada, { text: "Who is the physician?" })
          expect(others.hits.map(({ id }) => id)).toEqual(["2", "1"])
        })
      )

      it.effect("puts what has the rare word of a query before what has the frequent one", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [
            ...Array.from({ length: 30 }, (_, number) => memory(`tram ${number}`, "Way", "The tram to the office")),
            memory("ferry", "Way", "The ferry to the island")
          ])
          const { hits } = yield* index.search(ada, { text: "Is there a tram or a ferry?" })
          expect(hits[0]?.id).toBe("ferry")
        })
      )

      it.effect("finds a word whose letters have marks with and without them", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [memory("1", "Café Müller", "Jalapeños"), memory("2", "Cafe Hummel", "jalapenos")])
          for (const text of ["café", "CAFE", "jalapeños", "cafe\u0301"]) {
            const { hits } = yield* index.search(ada, { text })
            expect([text, hits.length]).toEqual([text, 2])
          }
          const { hits } = yield* index.search(ada, { text: "muller" })
          expect(hits.map(({ id }) => id)).toEqual(["1"])
        })
      )

      it.effect("finds words that are written without spaces between them", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [
            memory("zh tea", "习惯", "她每天早上喝绿茶。"),
            memory("zh house", "住处", "她住在北京的一座老房子里。"),
            memory("ja tea", "習慣", "彼女は毎朝ｺｰﾋｰと緑茶を飲みます。"),
            memory("ja house", "家", "彼女は京都の古い町屋に住んでいます。"),
            memory("th tea", "นิสัย", "เธอดื่มชาเขียวทุกเช้า"),
            memory("th house", "บ้าน", "เธออาศัยอยู่ในกรุงเทพ"),
            memory("km", "ទម្លាប់", "ខ្ញុំស្រឡាញ់តែ"),
            memory("hi", "आदत", "वह हिन्दी बोलती है")
          ])
          for (const [text, id] of [
            ["谁喝绿茶？", "zh tea"],
            ["她的房子在哪里", "zh house"],
            ["緑茶はいつですか", "ja tea"],
            ["コーヒー", "ja tea"],
            ["京都について", "ja house"],
            ["ใครชอบชาเขียว", "th tea"],
            ["กรุงเทพอยู่ที่ไหน", "th house"],
            ["តែ", "km"],
            ["हिन्दी", "hi"]
          ] as const) {
            const { hits } = yield* index.search(ada, { text })
            expect([text, hits[0]?.id]).toEqual([text, id])
          }
        })
      )

      it.effect("finds a word in a long text without spaces, which is not taken apart at once", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [memory("1", "长", `绿茶${"她每天早上喝咖啡".repeat(sized(3000, 50_000))}`)])
          const { hits } = yield* index.search(ada, { text: "绿茶" })
          expect(hits.map(({ id }) => id)).toEqual(["1"])
        })
      )

      it.effect("leaves out the search by words where its weight is 0", () =>
        Effect.gen(function* () {
          const ada = newUser()
          const found = yield* Effect.flatMap(SearchIndex.SearchIndex, (index) =>
            Effect.zipRight(index.put(ada, [memory("1", "Boat", "A red boat")]), index.search(ada, { text: "boat" }))
          ).pipe(Effect.provide(SearchIndex.layer({ weights: { words: 0 } })))
          expect(titles(found)).toEqual([])
        })
      )

      it.effect("finds nothing of another user", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const [ada, bob] = [newUser(), newUser()]
          yield* index.put(ada, [memory("1", "Secret", "The code is 1234")])
          yield* index.put(bob, [memory("1", "Mine", "The code is 9999")])
          expect(titles(yield* index.search(ada, { text: "code" }))).toEqual(["Secret"])
          expect(titles(yield* index.search(bob, { text: "code" }))).toEqual(["Mine"])
          yield* index.remove(bob, "memory", ["1"])
          expect(titles(yield* index.search(ada, { text: "code" }))).toEqual(["Secret"])
          expect(titles(yield* index.search(bob, { text: "code" }))).toEqual([])
        })
      )

      it.effect("finds the new text of an item and no longer the old one", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [memory("1", "City", "Lives in Vienna")])
          yield* index.put(ada, [memory("1", "City", "Lives in Graz")])
          expect(titles(yield* index.search(ada, { text: "Vienna" }))).toEqual([])
          expect(titles(yield* index.search(ada, { text: "Graz" }))).toEqual(["City"])
        })
      )

      it.effect("gives the wanted types only, without what is not wanted, and no more than asked for", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [
            memory("1", "One", "tennis"),
            memory("2", "Two", "tennis"),
            memory("3", "Three", "tennis"),
            { ...memory("4", "Four", "tennis"), type: "goal" }
          ])
          expect(titles(yield* index.search(ada, { text: "tennis", types: ["goal"] }))).toEqual(["Four"])
          const some = yield* index.search(ada, { text: "tennis", types: ["memory"], without: ["3"], limit: 1 })
          expect(titles(some)).toHaveLength(1)
          expect(titles(some)).not.toContain("Three")
        })
      )

      it.effect("puts the newer and the more important first among equals", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const [ada, bob] = [newUser(), newUser()]
          // The test clock stands at 0.
          yield* index.put(ada, [
            memory("1", "Old", "violin", { changed: -400 * 86_400_000 }),
            memory("2", "New", "violin"),
            memory("3", "Older", "violin", { changed: -500 * 86_400_000 })
          ])
          expect(titles(yield* index.search(ada, { text: "violin" }))[0]).toBe("New")
          yield* index.put(bob, [
            memory("1", "Vital", "violin", { importance: 10 }),
            memory("2", "Trifle", "violin", { importance: 1 })
          ])
          expect(titles(yield* index.search(bob, { text: "violin" }))[0]).toBe("Vital")
        })
      )

      it.effect("takes any text for a query", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [memory("1", 'A "quoted" \0 title \ud800', "C:\\temp 'x' -- ; DROP TABLE")])
          for (const text of [
            "",
            " ",
            '"',
            "a AND",
            "NOT",
            "title:",
            "*",
            "(",
            "\0",
            "\ud800",
            "'; DROP TABLE x",
            "x".repeat(50_000),
            "owner: u"
          ]) {
            yield* index.search(ada, { text })
          }
          const [hit] = (yield* index.search(ada, { text: "quoted" })).hits
          expect(hit?.title).toBe('A "quoted" \0 title \ud800')
          expect(hit?.text).toBe("C:\\temp 'x' -- ; DROP TABLE")
        })
      )

      it.effect("undoes with the transaction what was put in it", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const sql = yield* SqlClient
          const ada = newUser()
          yield* sql
            .withTransaction(Effect.zipRight(index.put(ada, [memory("1", "Gone", "zither")]), Effect.fail("no")))
            .pipe(Effect.ignore)
          expect(titles(yield* index.search(ada, { text: "zither" }))).toEqual([])
        })
      )

      it.effect("keeps what is put at once", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* Effect.forEach(
            Array.from({ length: 20 }, (_, number) => number),
            (number) => index.put(ada, [memory(String(number), `Memory ${number}`, "harpsichord")]),
            { concurrency: "unbounded" }
          )
          expect((yield* index.search(ada, { text: "harpsichord", limit: 100 })).hits).toHaveLength(20)
        })
      )

      it.effect("keeps many items that are put together, of two of one id the last", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          const many = Array.from({ length: 250 }, (_, number) => memory(String(number), `Memory ${number}`, "spinet"))
          yield* index.put(ada, [...many, { ...memory("7", "Goal 7", "spinet"), type: "goal" }])
          yield* index.put(ada, [memory("7", "Memory 7", "celesta"), ...many, memory("8", "Memory 8", "clavichord")])
          const found = yield* index.search(ada, { text: "spinet", limit: 1000 })
          expect(new Set(titles(found)).size).toBe(250)
          expect(titles(found)).not.toContain("Memory 8")
          expect(titles(yield* index.search(ada, { text: "clavichord" }))).toEqual(["Memory 8"])
          expect(titles(yield* index.search(ada, { text: "celesta" }))).toEqual([])
          yield* index.put(ada, [])
        })
      )

      it.effect("tells what is alike by its words", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [
            memory("1", "Tea", "Prefers green tea in the morning"),
            memory("2", "Tea", "Prefers green tea each morning"),
            memory("3", "Boat", "Owns a sailing boat")
          ])
          const [pair, ...others] = yield* index.alike(ada, "memory", {
            atLeast: { words: 0.5, meaning: 2 },
            limit: 10
          })
          expect([pair?.left.id, pair?.right.id].sort()).toEqual(["1", "2"])
          expect(others).toEqual([])
        })
      )
    })

    const vectors = makeVectors()
    layer(
      SearchIndex.layerEmbedding({ model: "test-1" }).pipe(Layer.provide(vectors.layer), Layer.provideMerge(client))
    )((it) => {
      it.effect("finds by meaning what no word tells", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [
            memory("1", "Rex", "It barks at night"),
            memory("2", "Tom", "It purrs"),
            memory("3", "Work", "The wages come on Friday")
          ])
          const found = yield* index.search(ada, { text: "canine", limit: 1 })
          expect(found.kind).toBe("words and meaning")
          expect(titles(found)).toEqual(["Rex"])
          expect(found.hits[0]?.by).toEqual(["meaning"])
        })
      )

      it.effect("puts what the model has no vector for behind what it knows", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [memory("1", "Void", "void"), memory("2", "Rex", "puppy"), memory("3", "Void", "void")])
          expect(titles(yield* index.search(ada, { text: "canine", limit: 1 }))).toEqual(["Rex"])
        })
      )

      it.effect("finds by the old meaning no longer what has another text", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [memory("1", "Pet", "puppy"), memory("2", "Other", "kitten")])
          yield* index.search(ada, { text: "canine" })
          yield* index.put(ada, [memory("1", "Pet", "kitten"), memory("2", "Other", "puppy")])
          expect(titles(yield* index.search(ada, { text: "canine", limit: 1 }))).toEqual(["Other"])
        })
      )

      it.effect("embeds a text once, and again when it has changed", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const [ada, bob] = [newUser(), newUser()]
          const times = (text: string) => vectors.asked.filter((asked) => asked.includes(text)).length
          yield* index.put(ada, [memory("1", "Pet", "a dog called Ajax")])
          yield* index.search(ada, { text: "animals" })
          yield* index.put(ada, [memory("1", "Pet", "a dog called Ajax", { importance: 9 })])
          yield* index.put(bob, [memory("1", "Pet", "a dog called Ajax")])
          yield* index.search(ada, { text: "animals" })
          yield* index.search(bob, { text: "animals" })
          expect(times("Ajax")).toBe(1)
          yield* index.put(ada, [memory("1", "Pet", "a cat called Ajax")])
          yield* index.search(ada, { text: "animals" })
          expect(times("Ajax")).toBe(2)
        })
      )

      it.effect("searches by words, and says so, while the model fails", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [memory("1", "Cellar", "The kitten hides in the cellar")])
          vectors.state.isFailing = true
          const found = yield* index
            .search(ada, { text: "cellar" })
            .pipe(Effect.ensuring(Effect.sync(() => void (vectors.state.isFailing = false))))
          expect(found.kind).toBe("words")
          expect(titles(found)).toEqual(["Cellar"])
          expect((yield* index.search(ada, { text: "cellar" })).kind).toBe("words and meaning")
        })
      )

      it.effect("makes vectors anew for another model, and tells how far it is", () =>
        Effect.gen(function* () {
          const ada = newUser()
          yield* Effect.flatMap(SearchIndex.SearchIndex, (index) => index.put(ada, [memory("1", "Rex", "a puppy")]))
          const other = makeVectors()
          const progress = yield* Effect.flatMap(SearchIndex.SearchIndex, ({ reindex }) =>
            Stream.runCollect(reindex)
          ).pipe(Effect.provide(SearchIndex.layerEmbedding({ model: "test-2" }).pipe(Layer.provide(other.layer))))
          const last = Chunk.toReadonlyArray(progress).at(-1)
          expect(last?.done).toBe(last?.total)
          expect(other.asked.some((text) => text.includes("a puppy"))).toBe(true)
        })
      )

      it.effect("tells what is alike by its meaning", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const ada = newUser()
          yield* index.put(ada, [
            memory("1", "Rex", "puppy"),
            memory("2", "Ajax", "canine"),
            memory("3", "Tom", "kitten")
          ])
          const [pair, ...others] = yield* index.alike(ada, "memory", {
            atLeast: { words: 2, meaning: 0.9 },
            limit: 10
          })
          expect([pair?.left.id, pair?.right.id].sort()).toEqual(["1", "2"])
          expect(others).toEqual([])
        })
      )
    })
  })
}
