import { type AiError, LanguageModel, type Response } from "@effect/ai"
import { describe, expect, layer } from "@effect/vitest"
import { Consolidation, Memories, Owner, SearchIndex } from "@wield/assistant"
import { Deferred, Effect, Fiber, Layer, Option, Ref, Stream, TestClock } from "effect"
import { databases } from "../databases/databases.js"
import { endingWith } from "./models.js"
import { makeVectors } from "../search/vectors.js"

/** Each test has users of its own: the database is shared. They are consolidated in the order of their names. */
let users = 0
const newUser = () => Owner.UserId.make(`user ${String(++users).padStart(4, "0")}`)

const modelOf = (answer: (prompt: string) => Effect.Effect<string, AiError.AiError>, finish?: Response.FinishReason) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt }) =>
        Effect.map(answer(JSON.stringify(prompt)), (text) => [{ type: "text" as const, text }, ...endingWith(finish)]),
      streamText: () => Stream.empty
    })
  )

const remember = (user: Owner.UserId, ...texts: ReadonlyArray<string>) =>
  Effect.flatMap(Memories.Memories, (memories) =>
    Effect.forEach(texts, (text, number) => memories.create(user, { name: `Note ${number}`, text }))
  )

const aboutTea = (user: Owner.UserId) =>
  remember(
    user,
    "Drinks green tea each morning",
    "Drinks green tea every morning",
    "Morning drinks: green tea",
    "Owns a boat"
  )

const names = (user: Owner.UserId) =>
  Effect.flatMap(Memories.Memories, (memories) =>
    Effect.map(memories.recent(user, 50), (found) => found.map(({ name }) => name).sort())
  )

const merged = "# Reasoning\nThe same.\n\n# Tea\nGreen, in the morning.\n"

/** The background looks once a minute; what it does with a database takes real time. */
const until = <E, R>(condition: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(Effect.zipRight(TestClock.adjust("61 seconds"), Effect.zipRight(Effect.yieldNow(), condition)), {
    until: (isTrue) => isTrue,
    times: 2000
  })

const isConsolidated = (user: Owner.UserId) => Effect.map(names(user), (found) => found.includes("Tea"))

for (const { client, name } of databases) {
  describe(`consolidation over ${name}`, () => {
    layer(Memories.layer.pipe(Layer.provideMerge(SearchIndex.layer()), Layer.provideMerge(client)))((it) => {
      it.effect("goes on with other users, and with later memories, after a defect of the language model", () =>
        Effect.gen(function* () {
          const [ada, bob] = [newUser(), newUser()]
          const isBroken = yield* Ref.make(true)
          const model = modelOf((prompt) =>
            Effect.flatMap(Ref.getAndSet(isBroken, false), (isBroken) =>
              isBroken ? Effect.dieMessage(`broken by ${prompt.length} letters`) : Effect.succeed(merged)
            )
          )
          yield* aboutTea(ada)
          yield* aboutTea(bob)
          yield* Effect.gen(function* () {
            yield* until(isConsolidated(bob))
            expect(yield* names(bob)).toEqual(["Note 3", "Tea"])
            expect(yield* names(ada)).toHaveLength(4)
            yield* remember(ada, "Sails", "Rows", "Swims", "Dives")
            yield* until(isConsolidated(ada))
            expect(yield* names(ada)).toContain("Tea")
          }).pipe(Effect.provide(Consolidation.layer().pipe(Layer.provide(model))))
        })
      )

      it.effect("leaves a group as it is that the language model takes too long for", () =>
        Effect.gen(function* () {
          const ada = newUser()
          yield* aboutTea(ada)
          const run = yield* Effect.flatMap(Consolidation.Consolidation, ({ run }) => run(ada)).pipe(
            Effect.provide(
              Consolidation.layer({ timeout: "30 seconds" }).pipe(Layer.provide(modelOf(() => Effect.never)))
            ),
            Effect.fork
          )
          yield* until(Effect.map(Fiber.poll(run), Option.isSome))
          expect((yield* Fiber.join(run)).groups).toMatchObject([{ into: [] }])
          expect(yield* names(ada)).toHaveLength(4)
        })
      )

      it.effect("replaces nothing by an answer that was cut off", () =>
        Effect.gen(function* () {
          for (const finish of ["length", "content-filter", "error", "tool-calls", "pause"] as const) {
            const ada = newUser()
            yield* aboutTea(ada)
            const model = modelOf(() => Effect.succeed("# Reasoning\nThe same.\n\n# Tea\nGreen, in the m"), finish)
            const { groups } = yield* Effect.flatMap(Consolidation.Consolidation, ({ run }) => run(ada)).pipe(
              Effect.provide(Consolidation.layer().pipe(Layer.provide(model)))
            )
            expect(groups).toMatchObject([{ into: [] }])
            expect(yield* names(ada)).toEqual(["Note 0", "Note 1", "Note 2", "Note 3"])
          }
        })
      )

      it.effect("asks the language model once though two processes see to it, and counts what is new meanwhile", () =>
        Effect.gen(function* () {
          const ada = newUser()
          yield* aboutTea(ada)
          const asked = yield* Ref.make(0)
          const begun = yield* Deferred.make<void>()
          const gate = yield* Deferred.make<void>()
          const model = modelOf(() =>
            Ref.update(asked, (count) => count + 1).pipe(
              Effect.zipRight(Deferred.succeed(begun, undefined)),
              Effect.zipRight(Deferred.await(gate)),
              Effect.as(merged)
            )
          )
          const process = Consolidation.layer({ timeout: "10 days" }).pipe(Layer.provide(model), Layer.fresh)
          yield* Effect.gen(function* () {
            yield* until(Deferred.isDone(begun))
            for (let minute = 0; minute < 20; minute++) yield* until(Effect.succeed(true))
            expect(yield* Ref.get(asked)).toBe(1)
            yield* remember(
              ada,
              "Sails a red boat on Sundays",
              "Sails a red boat each Sunday",
              "A red boat she sails Sundays",
              "Dives"
            )
            yield* Deferred.succeed(gate, undefined)
            yield* until(Effect.map(Ref.get(asked), (count) => count > 1))
          }).pipe(Effect.provide(Layer.merge(process, Layer.fresh(process))))
        })
      )

      it.effect("does not take what it has made itself for something new", () =>
        Effect.gen(function* () {
          const ada = newUser()
          yield* aboutTea(ada)
          const asked = yield* Ref.make(0)
          const many = [
            "# Reasoning\nAll.",
            ...["Tea", "Cup", "Pot", "Leaf", "Hour"].map((name) => `# ${name}\nGreen tea each morning: ${name}`)
          ]
          const model = modelOf(() =>
            Effect.as(
              Ref.update(asked, (count) => count + 1),
              many.join("\n\n")
            )
          )
          yield* Effect.gen(function* () {
            yield* until(isConsolidated(ada))
            for (let minute = 0; minute < 20; minute++) yield* until(Effect.succeed(true))
            expect(yield* Ref.get(asked)).toBe(1)
          }).pipe(Effect.provide(Consolidation.layer({ likeness: 0.4 }).pipe(Layer.provide(model))))
        })
      )

      it.effect(
        "takes headers within a note for its text, and keeps the words that memories were given to be found by",
        () =>
          Effect.gen(function* () {
            const ada = newUser()
            const memories = yield* Memories.Memories
            for (const keyword of ["sencha", "matcha"]) {
              yield* memories.create(ada, { name: "Tea", text: "Drinks green tea", keywords: [keyword] })
            }
            const answer = "## Reasoning\nThe same.\n## Tea ##\nGreen.\n### When\nMornings.\n```\n## no header\n```\n"
            const { groups } = yield* Effect.flatMap(Consolidation.Consolidation, ({ run }) => run(ada)).pipe(
              Effect.provide(Consolidation.layer().pipe(Layer.provide(modelOf(() => Effect.succeed(answer)))))
            )
            expect(groups).toMatchObject([
              {
                into: [
                  {
                    name: "Tea",
                    text: "Green.\n### When\nMornings.\n```\n## no header\n```",
                    keywords: ["matcha", "sencha"]
                  }
                ]
              }
            ])
          })
      )

      const withoutModel = (user: Owner.UserId) => Effect.flatMap(Consolidation.Consolidation, ({ run }) => run(user))

      it.effect("hides nothing without a language model that says something else", () =>
        Effect.gen(function* () {
          const ada = newUser()
          const memories = yield* Memories.Memories
          const long = Array.from({ length: 40 }, (_, number) => `word${number}`).join(" ")
          const said = [
            ["Tea", "Ada likes green tea"],
            ["Tea", "Ada does not like green tea"],
            ["Locker", `The code is 1234 ${long}`],
            ["Locker", `The code is 4321 ${long}`],
            ["Allergic to nuts?", "Yes"],
            ["Allergic to these?", "Yes"],
            ["Cake", "None,  please"],
            ["cake", "none, please"]
          ] as const
          for (const [name, text] of said) yield* memories.create(ada, { name, text })
          yield* withoutModel(ada).pipe(Effect.provide(Consolidation.layerWithoutModel()))
          expect(yield* names(ada)).toEqual([...said.slice(0, 6).map(([name]) => name), "cake"].sort())
        })
      )
    })

    layer(
      Memories.layer.pipe(
        Layer.provideMerge(SearchIndex.layerEmbedding({ model: "words" }).pipe(Layer.provide(makeVectors().layer))),
        Layer.provideMerge(client)
      )
    )((it) => {
      it.effect("hides nothing that an embedding model takes for the same, without a language model", () =>
        Effect.gen(function* () {
          const ada = newUser()
          yield* remember(ada, "A puppy", "A canine")
          const { groups } = yield* Effect.flatMap(Consolidation.Consolidation, ({ run }) => run(ada)).pipe(
            Effect.provide(Consolidation.layerWithoutModel())
          )
          expect(groups).toMatchObject([{ into: [] }])
          expect(yield* names(ada)).toHaveLength(2)
        })
      )
    })
  })
}
