import { describe, expect, layer } from "@effect/vitest"
import { Agent, Conversation, Tokens } from "@wield/agent"
import {
  Assistant,
  Consolidation,
  CurrentContext,
  Documents,
  Goals,
  Memories,
  Owner,
  Recall,
  ReflectionToolkit,
  SearchIndex,
  StoreError,
  Transcript,
  UserProfile
} from "@wield/assistant"
import { CallContext, Content, type Message, ToolCall, type ToolResult, ToolRunner, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Layer, TestClock } from "effect"
import { slowDatabases } from "../databases/databases.js"
import { newUser } from "../users/newUser.js"
import { makeModel } from "./models.js"

const spoken = Layer.succeed(Transcript.Transcript, {
  last: () => Effect.succeed([{ role: "user", text: "I am tired of Graz" } as const])
})

const user = Effect.gen(function* () {
  return newUser(yield* ToolRunner.make(yield* Toolset.fromToolkit(ReflectionToolkit.toolkit)))
})

for (const { client, name } of slowDatabases) {
  const services = () =>
    Layer.mergeAll(Memories.layer, Goals.layer, CurrentContext.layer, spoken).pipe(
      Layer.provideMerge(SearchIndex.layer()),
      Layer.provideMerge(client)
    )

  describe(`recall over ${name}`, () => {
    layer(services())((it) => {
      const ownerOf = (name: string) => ({
        user_id: Owner.UserId.make(`${name} ${Math.random()}`),
        conversation_id: Owner.ConversationId.make("conversation")
      })

      it.effect("tells an agent's model what the latest messages bring to mind", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const goals = yield* Goals.Goals
          const ada = ownerOf("ada")
          yield* memories.create(ada.user_id, { name: "Allergies", text: "She must not eat peanuts" })
          yield* memories.create(ada.user_id, { name: "Boat", text: "It is blue" })
          yield* memories.create(ownerOf("bob").user_id, { name: "Bob", text: "He eats peanuts all day" })
          yield* goals.create(ada.user_id, { name: "Eat more fruit" })
          const model = yield* ScriptedModel.make([ScriptedModel.text("Noted")])
          const agent = yield* Agent.make({ model, instructions: "Be kind", prepare: Recall.prepare() })
          yield* Agent.run(agent, { prompt: "Can I eat this peanut bar?", context: ada })
          const [request] = yield* model.requests
          const text = JSON.stringify(request)
          expect(text).toContain("Be kind")
          expect(text).toContain("must not eat peanuts")
          expect(text).toContain("Eat more fruit")
          expect(text).not.toContain("It is blue")
          expect(text).not.toContain("He eats peanuts")
        })
      )

      it.effect("has what is in the context before it whatever is said, and nothing twice", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const context = yield* CurrentContext.CurrentContext
          const ada = ownerOf("ada")
          const boat = yield* memories.create(ada.user_id, { name: "Boat", text: "It is blue" })
          yield* context.add(ada.user_id, ada.conversation_id, { type: "memory", id: boat.id })
          const told = yield* CallContext.provide(Recall.recall(["What about my boat?"]), { ...ada })
          expect(told.split("It is blue")).toHaveLength(2)
          const other = { ...ada, conversation_id: "another" }
          expect(yield* CallContext.provide(Recall.recall(["Good morning"]), other)).toBe("")
        })
      )

      it.effect("does not tell of a goal that was completed while it was put in the context", () =>
        Effect.gen(function* () {
          const goals = yield* Goals.Goals
          const context = yield* CurrentContext.CurrentContext
          const ada = ownerOf("ada")
          const { id } = yield* goals.create(ada.user_id, { name: "Run" })
          yield* goals.complete(ada.user_id, "Run")
          yield* context.add(ada.user_id, ada.conversation_id, { type: "goal", id })
          expect(yield* CallContext.provide(Recall.recall(["Good morning"]), { ...ada })).toBe("")
        })
      )

      it.effect("is told what the user has just said, whatever was said before and however much", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const ada = ownerOf("ada")
          yield* memories.create(ada.user_id, { name: "Allergies", text: "She must not eat peanuts" })
          yield* memories.create(ada.user_id, { name: "Boat", text: "It is blue and lies in the harbour of Trieste" })
          yield* memories.create(ada.user_id, { name: "Harbour", text: "Berth 12 of the harbour, paid until May" })
          yield* memories.create(ada.user_id, { name: "Trieste", text: "The harbour master of Trieste is Mr Rossi" })
          const before =
            "Your boat lies in the harbour of Trieste, the berth is paid, and Mr Rossi is the harbour master."
          const model = yield* ScriptedModel.make([
            ScriptedModel.text(
              `${before} ${"Sails want care in winter, ropes in spring, and paint each year. ".repeat(20)}`
            ),
            ScriptedModel.text("No.")
          ])
          const agent = yield* Agent.make({ model, prepare: Recall.prepare({ memories: 2 }) })
          const conversation = yield* Conversation.make()
          yield* Agent.run(agent, { prompt: "How is my boat?", conversation, context: ada })
          yield* Agent.run(agent, { prompt: "May I eat this peanut bar?", conversation, context: ada })
          const asked = (yield* model.requests).map((request) => JSON.stringify(request))
          expect(asked[0]).not.toContain("must not eat peanuts")
          expect(asked[1]).toContain("must not eat peanuts")
        })
      )

      it.effect("still knows what it is about when the user says little", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const ada = ownerOf("ada")
          yield* memories.create(ada.user_id, { name: "Boat", text: "It is blue" })
          const said = ["Tell me of my boat", "It floats.", "And its colour?"]
          expect(yield* CallContext.provide(Recall.recall(said), { ...ada })).toContain("It is blue")
        })
      )

      it.effect("is brought to mind by what was said, not by the summary of it", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const ada = ownerOf("ada")
          yield* memories.create(ada.user_id, { name: "Boat", text: "It is blue" })
          yield* memories.create(ada.user_id, { name: "Allergies", text: "She must not eat peanuts" })
          const entry = (id: string, text: string): Conversation.Entry => ({
            id,
            at: 0,
            message: { _tag: "User", content: [{ _tag: "Text", text }], native: undefined }
          })
          const entries = [
            entry("1", "peanuts?"),
            { ...entry("2", "They spoke of the boat"), summaryOf: "1" },
            { ...entry("3", "They spoke of the boat again"), summaryOf: "1" }
          ]
          const model = yield* ScriptedModel.make([ScriptedModel.text("Noted")])
          const agent = yield* Agent.make({ model, prepare: Recall.prepare({ messages: 2 }) })
          const conversation = yield* Conversation.make({ entries })
          yield* Agent.run(agent, { prompt: "Well?", conversation, context: ada })
          const instructions = JSON.stringify(yield* model.requests)
          expect(instructions).toContain("must not eat peanuts")
          expect(instructions).not.toContain("It is blue")
        })
      )

      it.effect("brings nothing to mind by none of the messages", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const ada = ownerOf("ada")
          yield* memories.create(ada.user_id, { name: "Boat", text: "It is blue" })
          const recalled = (messages: number) =>
            CallContext.provide(Recall.recall(["What of the boat?"], { messages }), ada)
          expect(yield* recalled(0)).toBe("")
          expect(yield* recalled(1)).toContain("It is blue")
        })
      )

      /** What each turn of an agent was told beside its messages, while its model calls tools one after the other. */
      const toldWhile = (
        calls: ReadonlyArray<readonly [name: string, parameters: object]>,
        owner: ReturnType<typeof ownerOf>,
        prompt: string,
        options: Recall.Options = {}
      ) =>
        Effect.gen(function* () {
          const model = yield* ScriptedModel.make([
            ...calls.map(([name, parameters], index) => ScriptedModel.call(name, parameters, { id: `call ${index}` })),
            ScriptedModel.text("Done")
          ])
          const toolset = yield* Toolset.fromToolkit(Assistant.toolkit)
          const agent = yield* Agent.make({ model, toolset, prepare: Recall.prepare(options) })
          yield* Agent.run(agent, { prompt, context: owner })
          return (yield* model.requests).map(({ messages }) =>
            messages.flatMap((message) => (message._tag === "System" ? [message.text] : [])).join("\n")
          )
        }).pipe(
          Effect.provide(
            Assistant.layerToolkit.pipe(Layer.provide(Documents.layer()), Layer.provide(UserProfile.layer))
          )
        )

      it.effect("does not tell again what a tool has shown in this conversation", () =>
        Effect.gen(function* () {
          const ada = ownerOf("ada")
          const [, created, printed, set, completed] = yield* toldWhile(
            [
              ["create_memory", { name: "Boat", text: "The boat is blue" }],
              ["print_memory", { memory_name: "Boat" }],
              ["create_goal", { goal_name: "Sail the boat", description: "Round the island" }],
              ["mark_goal_completed", { goal_name: "Sail the boat" }]
            ],
            ada,
            "What of my boat?"
          )
          expect([created, printed, set, completed]).toEqual(["", "", "", ""])
          const [again] = yield* toldWhile([], { ...ada }, "What of my boat?")
          expect(again).toContain("The boat is blue")
          expect(again).toContain("Completed goal: Sail the boat")
        })
      )

      it.effect("tells in its place what else comes to mind", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const ada = ownerOf("ada")
          yield* memories.create(ada.user_id, { name: "Boat", text: "A boat, a boat, a boat" })
          yield* memories.create(ada.user_id, { name: "Harbour", text: "Where the boat lies in the long winter" })
          const [before, after] = yield* toldWhile(
            [["print_memory", { memory_name: "Boat" }]],
            ada,
            "What of my boat?",
            {
              memories: 1
            }
          )
          expect(before).toContain("A boat, a boat")
          expect(before).not.toContain("Where the boat lies")
          expect(after).toContain("Where the boat lies")
          expect(after).not.toContain("A boat, a boat")
        })
      )

      it.effect("tells what has changed since a tool has shown it, or what it showed long ago", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const ada = ownerOf("ada")
          yield* memories.create(ada.user_id, { name: "Boat", text: "The boat is blue" })
          const shown: Recall.Options & { readonly results: ReadonlyArray<ToolResult.ToolResult> } = {
            results: [
              {
                id: "1",
                name: "search_memory",
                isError: false,
                content: [Content.json({ memories: [{ ...(yield* memories.get(ada.user_id, "Boat")) }] })]
              }
            ]
          }
          const told = CallContext.provide(Recall.recall(["my boat"], shown), { ...ada })
          expect(yield* told).toBe("")
          yield* memories.update(ada.user_id, "Boat", "It is red now")
          expect(yield* told).toContain("It is red now")
          const calls = [["print_memory", { memory_name: "Boat" }]] as const
          expect((yield* toldWhile(calls, ada, "my boat"))[1]).toBe("")
          expect((yield* toldWhile(calls, ada, "my boat", { reach: 20 }))[1]).toContain("It is red now")
        })
      )

      it.effect("tells what stands in a summary only", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const ada = ownerOf("ada")
          const memory = yield* memories.create(ada.user_id, { name: "Boat", text: "The boat is blue" })
          const call = ToolCall.make("1", "print_memory", '{"memory_name":"Boat"}')
          const result = { id: "1", name: "print_memory", isError: false, content: [Content.json({ ...memory })] }
          const messages: ReadonlyArray<Message.Message> = [
            Conversation.user("my boat?"),
            {
              _tag: "Assistant",
              parts: [{ _tag: "Call", call, executedBy: "application", nativeName: "print_memory", nativeId: "1" }],
              native: undefined
            },
            { _tag: "Results", results: [result], native: undefined },
            Conversation.user("And my boat?")
          ]
          const entries = yield* Effect.forEach(messages, (message) => Conversation.entry(message))
          const summary = yield* Conversation.entry(Conversation.user("They spoke."), {
            summaryOf: entries[2]?.id ?? ""
          })
          const instructionsFor = (entries: ReadonlyArray<Conversation.Entry>) =>
            Effect.gen(function* () {
              const model = yield* ScriptedModel.make([ScriptedModel.text("Blue")])
              const agent = yield* Agent.make({ model, prepare: Recall.prepare() })
              const conversation = yield* Conversation.make({ entries })
              yield* Agent.run(agent, { prompt: "Well?", conversation, context: ada })
              return JSON.stringify((yield* model.requests)[0]?.messages.filter(({ _tag }) => _tag === "System"))
            })
          expect(yield* instructionsFor(entries)).not.toContain("The boat is blue")
          expect(yield* instructionsFor([...entries, summary])).toContain("The boat is blue")
        })
      )

      it.effect("lets the turn go on without it where the store fails", () =>
        Effect.gen(function* () {
          const broken = Layer.succeed(SearchIndex.SearchIndex, {
            ...(yield* SearchIndex.SearchIndex),
            search: () =>
              new StoreError.StoreError({ operation: "search", detail: "the disk is gone", cause: undefined })
          })
          const model = yield* ScriptedModel.make([ScriptedModel.text("Hello")])
          const agent = yield* Agent.make({ model, instructions: "Be kind", prepare: Recall.prepare() })
          const { text } = yield* Agent.run(agent, { prompt: "Hi", context: ownerOf("ada") }).pipe(
            Effect.provide(broken)
          )
          expect(text).toBe("Hello")
          expect(JSON.stringify(yield* model.requests)).toContain("Be kind")
        })
      )

      it.effect("keeps within its budget of tokens", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const ada = ownerOf("ada")
          yield* memories.create(ada.user_id, { name: "Violin, long", text: "violin ".repeat(2000) })
          yield* memories.create(ada.user_id, { name: "Violin, short", text: "A violin" })
          const told = yield* CallContext.provide(Recall.recall(["violin"], { tokens: 50 }), { ...ada })
          expect(told).toContain("Violin, short")
          expect(told).not.toContain("Violin, long")
          const { text: count } = yield* Tokens.estimate().counts
          for (const tokens of [1, 20, 50, 60, 100, 3000]) {
            const told = yield* CallContext.provide(Recall.recall(["violin"], { tokens }), { ...ada })
            expect(count(told)).toBeLessThanOrEqual(tokens)
          }
        })
      )

      it.effect("fails with what is missing where nobody says whose memories they are", () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(CallContext.provide(Recall.recall(["x"]), { user_id: "" }))
          expect(error).toMatchObject({ _tag: "OwnerUnknown", fields: ["user_id", "conversation_id"] })
        })
      )
    })
  })

  describe(`reflection over ${name}`, () => {
    const model = makeModel()
    layer(ReflectionToolkit.layer.pipe(Layer.provideMerge(services()), Layer.provide(model.layer)))((it) => {
      it.effect("answers from memories and goals, and names those it has used", () =>
        Effect.gen(function* () {
          const { call, owner } = yield* user
          const memories = yield* Memories.Memories
          yield* memories.create(owner, { name: "Doctor", text: "Mrs Lind, on Tuesdays" })
          yield* memories.create(owner, { name: "Doctor Who", text: "She likes the series" })
          model.state.answer = "Her doctor is Mrs Lind [1]."
          const { encoded } = yield* call("examine_memories", { query: "Who is her doctor? Mrs Lind?" })
          expect(encoded).toMatchObject({
            answer: "Her doctor is Mrs Lind [1].",
            search: "words",
            sources: [{ type: "memory", name: "Doctor" }]
          })
          expect((encoded as { sources: ReadonlyArray<unknown> }).sources).toHaveLength(1)
        })
      )

      it.effect("gives what it has found where the model fails, and nothing where nothing was found", () =>
        Effect.gen(function* () {
          const { call, owner } = yield* user
          model.state.answer = undefined
          expect((yield* call("examine_memories", { query: "doctor" })).encoded).toEqual({
            answer: null,
            search: "words",
            sources: []
          })
          yield* Effect.flatMap(Memories.Memories, (memories) =>
            memories.create(owner, { name: "Doctor", text: "Mrs Lind" })
          )
          expect((yield* call("examine_memories", { query: "doctor" })).encoded).toMatchObject({
            answer: null,
            sources: [{ name: "Doctor" }]
          })
          expect((yield* call("contemplate", {})).encoded).toMatchObject({ _tag: "ModelUnavailable" })
        })
      )

      it.effect("gives no half of an answer where the model was cut off", () =>
        Effect.gen(function* () {
          const { call, owner } = yield* user
          yield* Effect.flatMap(Memories.Memories, (memories) =>
            memories.create(owner, { name: "Doctor", text: "Mrs Lind" })
          )
          model.state.answer = "Her doctor is not"
          for (const finish of ["length", "content-filter", "error", "tool-calls", "pause"] as const) {
            model.state.finish = finish
            expect((yield* call("examine_memories", { query: "doctor" })).encoded).toMatchObject({
              answer: null,
              sources: [{ name: "Doctor" }]
            })
            expect((yield* call("contemplate", {})).encoded).toMatchObject({ _tag: "ModelUnavailable" })
          }
          model.state.finish = "stop"
          expect((yield* call("contemplate", {})).encoded).toEqual({ thoughts: "Her doctor is not" })
        }).pipe(Effect.ensuring(Effect.sync(() => (model.state.finish = undefined))))
      )

      it.effect("contemplates the conversation with what is in its context", () =>
        Effect.gen(function* () {
          const { call, conversation, owner } = yield* user
          const memories = yield* Memories.Memories
          const context = yield* CurrentContext.CurrentContext
          const { id } = yield* memories.create(owner, { name: "Home", text: "Lives in Graz" })
          yield* context.add(owner, conversation, { type: "memory", id })
          model.state.answer = "She may want to move."
          expect((yield* call("contemplate", { contemplation_prompt: "moving" })).encoded).toEqual({
            thoughts: "She may want to move."
          })
          const asked = model.state.asked.at(-1) ?? ""
          for (const part of ["moving", "Lives in Graz", "I am tired of Graz"]) expect(asked).toContain(part)
        })
      )

      it.effect("answers nothing from the memories of another user", () =>
        Effect.gen(function* () {
          const [ada, bob] = [yield* user, yield* user]
          yield* Effect.flatMap(Memories.Memories, (memories) =>
            memories.create(ada.owner, { name: "Secret", text: "zeppelin" })
          )
          model.state.answer = "nothing"
          const { encoded } = yield* bob.call("examine_memories", { query: "secret zeppelin", user_id: ada.owner })
          expect(encoded).toMatchObject({ answer: null, sources: [] })
        })
      )
    })
  })

  describe(`consolidation over ${name}`, () => {
    const model = makeModel()
    layer(Consolidation.layer().pipe(Layer.provideMerge(services()), Layer.provide(model.layer)))((it) => {
      const alike = (user: Owner.UserId) =>
        Effect.flatMap(Memories.Memories, (memories) =>
          Effect.forEach(
            [
              "Drinks green tea each morning",
              "Drinks green tea every morning",
              "Morning drinks: green tea",
              "Owns a boat"
            ],
            (text, index) => memories.create(user, { name: `Note ${index}`, text, importance: index + 1 })
          )
        )

      it.effect(
        "makes one memory of those that say the same, once there are enough new ones, and keeps them as sources",
        () =>
          Effect.gen(function* () {
            const owner = Owner.UserId.make(`ada ${Math.random()}`)
            const memories = yield* Memories.Memories
            yield* alike(owner)
            model.state.answer =
              "# Reasoning\nAll three are about tea.\n\n# Green tea in the morning\nDrinks it each morning.\n"
            yield* TestClock.adjust("61 seconds")
            yield* Effect.repeat(memories.recent(owner, 10), { until: (found) => found.length === 2 })
            const found = yield* memories.recent(owner, 10)
            expect(found.map(({ name }) => name).sort()).toEqual(["Green tea in the morning", "Note 3"])
            const merged = yield* memories.get(owner, "Green tea in the morning")
            expect(merged.importance).toBe(3)
            const sources = yield* memories.sources(owner, "Green tea in the morning")
            expect(sources.map(({ name }) => name).sort()).toEqual(["Note 0", "Note 1", "Note 2"])
          })
      )

      it.effect("leaves memories as they are where the model answers nothing that can be used, or fails", () =>
        Effect.gen(function* () {
          const consolidation = yield* Consolidation.Consolidation
          const memories = yield* Memories.Memories
          for (const answer of [
            undefined,
            "",
            "no headers",
            "# Tea\nwithout a reasoning",
            "# Reasoning\nx\n# \n",
            "# Reasoning\nonly that"
          ]) {
            const owner = Owner.UserId.make(`ada ${Math.random()}`)
            yield* alike(owner)
            model.state.answer = answer
            const { groups } = yield* consolidation.run(owner)
            expect(groups).toMatchObject([{ into: [] }])
            expect(yield* memories.recent(owner, 10)).toHaveLength(4)
          }
        })
      )
    })

    layer(Consolidation.layerWithoutModel().pipe(Layer.provideMerge(services())))((it) => {
      it.effect("links memories of the same words where there is no language model", () =>
        Effect.gen(function* () {
          const owner = Owner.UserId.make(`ada ${Math.random()}`)
          const memories = yield* Memories.Memories
          const consolidation = yield* Consolidation.Consolidation
          yield* memories.create(owner, { name: "Tea", text: "Drinks green tea" })
          yield* memories.create(owner, { name: "Tea", text: "Drinks green tea" })
          yield* memories.create(owner, { name: "Tea", text: "Drinks black tea at noon" })
          yield* consolidation.run(owner)
          expect(yield* memories.recent(owner, 10)).toHaveLength(2)
          expect(yield* memories.sources(owner, "Tea")).toHaveLength(2)
        })
      )
    })
  })
}
