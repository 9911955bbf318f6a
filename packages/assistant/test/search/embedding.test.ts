/** What an embedding model does that its documentation does not say, and what the search makes of it. */
import { AiError, EmbeddingModel } from "@effect/ai"
import { describe, expect, layer } from "@effect/vitest"
import { Assistant, Memories, Owner, SearchIndex } from "@wield/assistant"
import { Chunk, Deferred, Duration, Effect, Fiber, Layer, Option, Ref, Stream, TestClock } from "effect"
import { databases } from "../databases/databases.js"
import { rowsOf } from "../laws/rows.js"

/** Each test has a user and a model of its own: the database is shared. */
let users = 0
const newUser = () => Owner.UserId.make(`user ${++users}`)

const memory = (id: string, text: string): SearchIndex.Item => ({
  type: "memory",
  id,
  title: `Note ${id}`,
  text,
  importance: 5,
  changed: 0
})

/** The first place says whether it is about dogs, the second whether about cats. */
const vectorOf = (text: string): Array<number> => [
  /kelpie|dachshund/.test(text) ? 1 : 0,
  /siamese|manx/.test(text) ? 1 : 0,
  0.1
]

const failed = (description: string) => new AiError.UnknownError({ module: "test", method: "embedMany", description })

const overloaded = new AiError.HttpResponseError({
  module: "test",
  method: "embedMany",
  reason: "StatusCode",
  request: { method: "POST", url: "http://127.0.0.1", urlParams: [], hash: Option.none(), headers: {} },
  response: { status: 429, headers: {} }
})

/** An embedding model that gives what `answer` gives, and counts how often it is asked. */
const modelOf = (answer: (inputs: ReadonlyArray<string>) => Effect.Effect<Array<Array<number>>, AiError.AiError>) =>
  Layer.effect(
    EmbeddingModel.EmbeddingModel,
    EmbeddingModel.make({
      embedMany: (inputs) =>
        Effect.map(answer(inputs), (vectors) => vectors.map((embeddings, index) => ({ index, embeddings })))
    })
  )

const pause = Effect.promise(() => new Promise((resolve) => void setTimeout(resolve, 20)))

const answering = (inputs: ReadonlyArray<string>) => Effect.succeed(inputs.map(vectorOf))

const indexed = (model: Layer.Layer<EmbeddingModel.EmbeddingModel>, name = `model ${users}`) =>
  SearchIndex.layerEmbedding({ model: name }).pipe(Layer.provide(model))

const found = (ada: Owner.UserId, text: string) =>
  Effect.flatMap(SearchIndex.SearchIndex, (index) =>
    Effect.map(index.search(ada, { text, limit: 1 }), ({ hits, kind }) => [kind, hits[0]?.id, hits[0]?.by])
  )

const put = (ada: Owner.UserId, ...items: ReadonlyArray<SearchIndex.Item>) =>
  Effect.flatMap(SearchIndex.SearchIndex, (index) => index.put(ada, items))

const byMeaning = (id: string) => ["words and meaning", id, ["meaning"]]

for (const { client, name } of databases) {
  describe(`an embedding model over ${name}`, () => {
    layer(client)((it) => {
      it.effect("that refuses one text has the others embedded, and is not asked for that one again and again", () =>
        Effect.gen(function* () {
          const ada = newUser()
          const refusals = yield* Ref.make(0)
          const model = modelOf((inputs) =>
            inputs.some((input) => input.includes("poison"))
              ? Effect.zipRight(
                  Ref.update(refusals, (count) => count + 1),
                  failed("the input is too long")
                )
              : answering(inputs)
          )
          yield* Effect.gen(function* () {
            yield* put(ada, memory("1", "a dachshund"), memory("2", "poison"), memory("3", "a manx"))
            expect(yield* found(ada, "kelpie")).toEqual(byMeaning("1"))
            const { hits } = yield* Effect.flatMap(SearchIndex.SearchIndex, (index) =>
              index.search(ada, { text: "poison?" })
            )
            expect(hits.map(({ by, id }) => [id, by])[0]).toEqual(["2", ["words"]])
            const before = yield* Ref.get(refusals)
            yield* put(ada, memory("4", "a kelpie"))
            expect(yield* found(ada, "siamese")).toEqual(byMeaning("3"))
            expect(yield* Ref.get(refusals)).toBe(before)
          }).pipe(Effect.provide(indexed(model)))
        })
      )

      it.effect("that is overloaded is not asked for each text by itself, and has lost none of them", () =>
        Effect.gen(function* () {
          const ada = newUser()
          const asked = yield* Ref.make(0)
          const isOverloaded = yield* Ref.make(true)
          const model = modelOf((inputs) =>
            Effect.zipRight(
              Ref.update(asked, (count) => count + 1),
              Effect.if(Ref.get(isOverloaded), { onTrue: () => overloaded, onFalse: () => answering(inputs) })
            )
          )
          yield* Effect.gen(function* () {
            yield* put(ada, ...Array.from({ length: 20 }, (_, number) => memory(String(number), `dachshund ${number}`)))
            expect(yield* found(ada, "kelpie")).toEqual(["words", undefined, undefined])
            expect(yield* Ref.get(asked)).toBeLessThan(5)
            yield* Ref.set(isOverloaded, false)
            const { hits } = yield* Effect.flatMap(SearchIndex.SearchIndex, (index) =>
              index.search(ada, { text: "kelpie", limit: 50 })
            )
            expect(hits).toHaveLength(20)
          }).pipe(Effect.provide(indexed(model)))
        })
      )

      it.effect("that fails for a while is asked again, though nothing new comes", () =>
        Effect.gen(function* () {
          const ada = newUser()
          const isFailing = yield* Ref.make(true)
          const embedded = yield* Ref.make(0)
          const model = modelOf((inputs) =>
            Effect.if(Ref.get(isFailing), {
              onTrue: () => failed("no network"),
              onFalse: () =>
                Effect.zipRight(
                  Ref.update(embedded, (count) => count + inputs.length),
                  answering(inputs)
                )
            })
          )
          yield* Effect.gen(function* () {
            yield* put(ada, memory("1", "a dachshund"))
            yield* TestClock.adjust("10 seconds")
            yield* Ref.set(isFailing, false)
            yield* Effect.repeat(Effect.zipRight(TestClock.adjust("1 minute"), Effect.yieldNow()), {
              until: () => Effect.map(Ref.get(embedded), (count) => count > 0),
              times: 1000
            })
            expect(yield* Ref.get(embedded)).toBeGreaterThan(0)
          }).pipe(Effect.provide(indexed(model)))
        })
      )

      it.effect("that gives fewer vectors than it was asked for costs the search by meaning only", () =>
        Effect.gen(function* () {
          const ada = newUser()
          const isShort = yield* Ref.make(true)
          const model = modelOf((inputs) =>
            Effect.flatMap(Ref.get(isShort), (isShort) =>
              answering(isShort && inputs.length > 1 ? inputs.slice(1) : inputs)
            )
          )
          yield* Effect.gen(function* () {
            yield* put(ada, memory("1", "a dachshund"), memory("2", "a manx"), memory("3", "the cellar"))
            expect((yield* found(ada, "cellar")).slice(1, 2)).toEqual(["3"])
            yield* Ref.set(isShort, false)
            expect(yield* found(ada, "kelpie")).toEqual(byMeaning("1"))
          }).pipe(Effect.provide(indexed(model)))
        })
      )

      it.effect("whose numbers are none of a text leaves that text to the words", () =>
        Effect.gen(function* () {
          const ada = newUser()
          const model = modelOf((inputs) =>
            Effect.succeed(inputs.map((input) => (input.includes("odd") ? [Number.NaN, 0, 0] : vectorOf(input))))
          )
          yield* Effect.gen(function* () {
            yield* put(ada, memory("1", "a dachshund"), memory("2", "an odd thing"))
            expect(yield* found(ada, "kelpie")).toEqual(byMeaning("1"))
            expect((yield* found(ada, "odd thing?")).slice(1)).toEqual(["2", ["words"]])
          }).pipe(Effect.provide(indexed(model)))
        })
      )

      it.effect("that gives vectors of other dimensions under its old name has everything embedded anew", () =>
        Effect.gen(function* () {
          const ada = newUser()
          yield* Effect.gen(function* () {
            yield* put(ada, memory("1", "a dachshund"), memory("2", "a manx"))
            expect(yield* found(ada, "kelpie")).toEqual(byMeaning("1"))
          }).pipe(Effect.provide(indexed(modelOf(answering))))
          const longer = modelOf((inputs) => Effect.succeed(inputs.map((input) => [...vectorOf(input), 0, 0])))
          yield* Effect.gen(function* () {
            yield* put(ada, memory("3", "the cellar"))
            yield* found(ada, "siamese")
            expect(yield* found(ada, "siamese")).toEqual(byMeaning("2"))
          }).pipe(Effect.provide(indexed(longer)))
        })
      )

      it.effect("that gives no vector for a query leaves those of the items, and the search goes by words", () =>
        Effect.gen(function* () {
          const ada = newUser()
          let embedded = 0
          const model = modelOf((inputs) => {
            embedded += inputs.filter((input) => input.includes("Note")).length
            const vectors = inputs.map((input) =>
              input === "empty manx" ? [] : input === "odd manx" ? [Number.NaN, 0, 0] : vectorOf(input)
            )
            return Effect.succeed(vectors)
          })
          yield* Effect.gen(function* () {
            yield* put(ada, memory("1", "a dachshund"), memory("2", "a manx"))
            expect(yield* found(ada, "kelpie")).toEqual(byMeaning("1"))
            for (const query of ["empty manx", "odd manx"]) {
              expect(yield* found(ada, query)).toEqual(["words", "2", ["words"]])
              yield* pause
            }
            expect(yield* found(ada, "siamese")).toEqual(byMeaning("2"))
            expect(embedded).toBe(2)
          }).pipe(Effect.provide(indexed(model)))
        })
      )

      it.effect("that takes long holds up no search for longer than the time it has", () =>
        Effect.gen(function* () {
          const ada = newUser()
          const model = modelOf(() => Effect.never)
          yield* Effect.gen(function* () {
            yield* put(ada, memory("1", "a dachshund"))
            const search = yield* Effect.fork(found(ada, "dachshund"))
            yield* Effect.repeat(Effect.zipRight(TestClock.adjust("1 second"), Effect.yieldNow()), {
              until: () => Effect.map(Fiber.poll(search), Option.isSome),
              times: 1000
            })
            expect(yield* Fiber.join(search)).toEqual(["words", "1", ["words"]])
          }).pipe(
            Effect.provide(
              SearchIndex.layerEmbedding({ model: `model ${users}`, timeout: Duration.seconds(3) }).pipe(
                Layer.provide(model)
              )
            )
          )
        })
      )

      it.effect("that one search has asked is asked by the next one, where the first was interrupted", () =>
        Effect.gen(function* () {
          const ada = newUser()
          const begun = yield* Deferred.make<void>()
          let isFirst = true
          const model = modelOf((inputs) => {
            if (!inputs.includes("kelpie")) return answering(inputs)
            if (!isFirst) return answering(inputs)
            isFirst = false
            return Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
          })
          yield* Effect.gen(function* () {
            yield* put(ada, memory("1", "a dachshund"))
            expect(yield* found(ada, "dachshund")).toEqual(["words and meaning", "1", ["words", "meaning"]])
            const first = yield* Effect.fork(found(ada, "kelpie"))
            yield* Deferred.await(begun)
            const second = yield* Effect.fork(found(ada, "kelpie"))
            yield* pause
            yield* Fiber.interrupt(first)
            expect(yield* Fiber.join(second)).toEqual(byMeaning("1"))
          }).pipe(Effect.provide(indexed(model)))
        })
      )

      it.effect("that is changed for another one is not waited for until all is embedded anew", () =>
        Effect.gen(function* () {
          const ada = newUser()
          const many = Array.from({ length: 300 }, (_, number) => memory(String(number), `dachshund ${number}`))
          yield* put(ada, ...many).pipe(Effect.provide(indexed(modelOf(answering), `old ${users}`)))
          const gate = yield* Deferred.make<void>()
          const batches = yield* Ref.make(0)
          // From its second batch on it waits.
          const slow = modelOf((inputs) =>
            inputs.length === 1
              ? answering(inputs)
              : Effect.flatMap(
                  Ref.getAndUpdate(batches, (count) => count + 1),
                  (count) =>
                    count === 1 ? Effect.zipRight(Deferred.await(gate), answering(inputs)) : answering(inputs)
                )
          )
          yield* Effect.gen(function* () {
            const { reindex } = yield* SearchIndex.SearchIndex
            const progress = yield* Effect.fork(Stream.runCollect(reindex))
            yield* Effect.repeat(Effect.yieldNow(), {
              until: () => Effect.map(Ref.get(batches), (count) => count >= 2)
            })
            const search = yield* Effect.fork(found(ada, "kelpie"))
            // An hour of the four is for what is new; what the database takes is real time.
            yield* Effect.repeat(Effect.zipRight(TestClock.adjust("1 minute"), pause), {
              until: () => Effect.map(Fiber.poll(search), Option.isSome),
              times: 1000
            })
            // It has what was embedded before the model began to wait.
            expect((yield* Fiber.join(search))[0]).toBe("words and meaning")
            yield* Deferred.succeed(gate, undefined)
            const told = Chunk.toReadonlyArray(yield* Fiber.join(progress))
            expect(told.length).toBeGreaterThan(1)
            expect(told.at(-1)?.total).toBeGreaterThanOrEqual(300)
            expect(told.at(-1)?.done).toBe(told.at(-1)?.total)
          }).pipe(
            Effect.provide(
              SearchIndex.layerEmbedding({ model: `new ${users}`, timeout: "4 hours" }).pipe(Layer.provide(slow))
            )
          )
        })
      )

      it.effect("that is asked for texts of a user who is forgotten meanwhile leaves nothing of them", () =>
        Effect.gen(function* () {
          const ada = newUser()
          const begun = yield* Deferred.make<void>()
          const gate = yield* Deferred.make<void>()
          const model = modelOf((inputs) =>
            Deferred.succeed(begun, undefined).pipe(
              Effect.zipRight(Deferred.await(gate)),
              Effect.zipRight(answering(inputs))
            )
          )
          yield* Effect.gen(function* () {
            const memories = yield* Memories.Memories
            const { reindex } = yield* SearchIndex.SearchIndex
            yield* memories.create(ada, { name: "Pet", text: "a dachshund" })
            const embedding = yield* Effect.fork(Stream.runDrain(reindex))
            yield* Deferred.await(begun)
            yield* Assistant.forget(ada)
            yield* Deferred.succeed(gate, undefined)
            yield* Fiber.join(embedding)
            expect(Object.values(yield* rowsOf(ada)).flat()).toEqual([])
          }).pipe(Effect.provide(Assistant.layerEmbedding({ model: `model ${users}` }).pipe(Layer.provide(model))))
        })
      )
    })
  })
}
