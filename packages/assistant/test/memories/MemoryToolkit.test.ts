import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, layer } from "@effect/vitest"
import { CurrentContext, Memories, MemoryToolkit, Owner, SearchIndex, Transcript } from "@wield/assistant"
import { ToolRunner, Toolset } from "@wield/core"
import { Effect, Layer } from "effect"
import { databases } from "../databases/databases.js"
import { newUser } from "../users/newUser.js"

const spoken = Layer.succeed(Transcript.Transcript, {
  last: () => Effect.succeed([{ role: "user", text: "I moved to Graz" } as const])
})

const user = Effect.gen(function* () {
  const toolset = Toolset.combine(
    yield* Toolset.fromToolkit(MemoryToolkit.toolkit),
    yield* Toolset.fromToolkit(MemoryToolkit.noteToolkit)
  )
  return newUser(yield* ToolRunner.make(toolset))
})

for (const { client, name } of databases) {
  const services = Layer.mergeAll(Memories.layer, CurrentContext.layer, spoken).pipe(
    Layer.provideMerge(SearchIndex.layer()),
    Layer.provideMerge(client)
  )
  describe(`the tools for memories over ${name}`, () => {
    layer(Layer.mergeAll(MemoryToolkit.layer, MemoryToolkit.noteLayer).pipe(Layer.provideMerge(services)))((it) => {
      it.effect("make a memory, show it, keep it in the context, and tell what it was made of", () =>
        Effect.gen(function* () {
          const { call, conversation, owner } = yield* user
          const made = yield* call("create_memory", { name: "Home of Ada", text: "She lives in Graz" })
          expect(made).toMatchObject({ _tag: "Success", encoded: { number: 1, name: "Home of Ada", importance: 5 } })
          expect((yield* call("print_memory", { memory_name: "Home of Ada" })).encoded).toEqual(made.encoded)
          const context = yield* CurrentContext.CurrentContext
          expect(yield* context.members(owner, conversation)).toHaveLength(1)
          const sources = yield* call("get_source_list_for_memory", { memory_name: "Home of Ada" })
          expect(sources.encoded).toMatchObject([{ source_type: "ContextMessageSet" }])
          const [source] = sources.encoded as ReadonlyArray<{ source_type: string; source_name: string }>
          expect((yield* call("get_source_content", { ...source })).encoded).toMatchObject({
            text: "user: I moved to Graz"
          })
        })
      )

      it.effect("update a memory and keep the old one as its source", () =>
        Effect.gen(function* () {
          const { call, owner } = yield* user
          yield* call("create_memory", { name: "Job", text: "Baker" })
          const updated = yield* call("update_outdated_or_incorrect_memory", {
            memory_name: "Job",
            update_text: "Now a pilot"
          })
          expect(updated.encoded).toMatchObject({ text: "Baker\n\nUpdate (1970-01-01T00:00:00.000Z):\nNow a pilot" })
          expect((yield* call("get_source_list_for_memory", { memory_name: "Job" })).encoded).toEqual([
            { source_type: "Memory", source_name: "Job" }
          ])
          expect(
            (yield* call("get_source_content", { source_type: "Memory", source_name: "Job" })).encoded
          ).toMatchObject({
            text: "# Job\nBaker"
          })
          const { hits } = yield* Effect.flatMap(SearchIndex.SearchIndex, (index) =>
            index.search(owner, { text: "baker" })
          )
          expect(hits).toHaveLength(1)
        })
      )

      it.effect("drop a memory from the context and leave it as it is", () =>
        Effect.gen(function* () {
          const { call, conversation, owner } = yield* user
          yield* call("create_memory", { name: "Tea", text: "Green" })
          const context = yield* CurrentContext.CurrentContext
          expect((yield* call("drop_memory_from_current_context", { memory_name: "Tea" })).encoded).toEqual({
            dropped: "Tea"
          })
          expect(yield* context.members(owner, conversation)).toEqual([])
          expect((yield* call("drop_memory_from_current_context", { memory_name: "Tea" }))._tag).toBe("Success")
          expect((yield* call("add_memory_to_current_context", { memory_name: "Tea" })).encoded).toEqual({
            added: "Tea"
          })
          expect(yield* context.members(owner, conversation)).toHaveLength(1)
        })
      )

      it.effect("drop one memory from the context of one conversation, and leave every other where it is", () =>
        Effect.gen(function* () {
          const { call, conversation, owner } = yield* user
          const context = yield* CurrentContext.CurrentContext
          const other = Owner.ConversationId.make(`another ${conversation}`)
          yield* call("create_memory", { name: "Tea", text: "Green" })
          yield* call("create_memory", { name: "Cake", text: "Lemon" })
          const members = yield* context.members(owner, conversation)
          yield* Effect.forEach(members, (member) => context.add(owner, other, member))
          yield* call("drop_memory_from_current_context", { memory_name: "Tea" })
          expect(yield* context.members(owner, conversation)).toEqual(members.slice(1))
          expect(yield* context.members(owner, other)).toEqual(members)
          yield* call("delete_memory", { memory_id: 1 })
          expect(yield* context.members(owner, other)).toEqual(members.slice(1))
        })
      )

      it.effect("keep an updated memory in each context that it was in", () =>
        Effect.gen(function* () {
          const { call, conversation, owner } = yield* user
          yield* call("create_memory", { name: "Tea", text: "Green" })
          yield* call("create_memory", { name: "Cake", text: "None" })
          yield* call("drop_memory_from_current_context", { memory_name: "Cake" })
          for (const memory_name of ["Tea", "Cake"]) {
            yield* call("update_outdated_or_incorrect_memory", { memory_name, update_text: "Black" })
          }
          const context = yield* CurrentContext.CurrentContext
          const memories = yield* Memories.Memories
          expect(yield* context.members(owner, conversation)).toEqual([
            { type: "memory", id: (yield* memories.get(owner, "Tea")).id }
          ])
        })
      )

      it.effect("keep what was made of several memories in each context that one of them was in, once", () =>
        Effect.gen(function* () {
          const { owner } = yield* user
          const context = yield* CurrentContext.CurrentContext
          const memories = yield* Memories.Memories
          const [monday, tuesday, friday] = ["monday", "tuesday", "friday"].map((day) =>
            Owner.ConversationId.make(`${day} of ${owner}`)
          ) as [Owner.ConversationId, Owner.ConversationId, Owner.ConversationId]
          const [first, second, other] = yield* Effect.forEach(["One", "Two", "Other"], (name) =>
            memories.create(owner, { name, text: name })
          )
          const put = (conversation: Owner.ConversationId, memory: { readonly id: string } | undefined) =>
            context.add(owner, conversation, { type: "memory", id: memory?.id ?? "" })
          yield* put(monday, first)
          yield* put(monday, second)
          yield* put(tuesday, second)
          yield* put(friday, other)
          const ids = [first?.id ?? "", second?.id ?? ""]
          const [made] = yield* memories.merge(owner, ids, [{ name: "Both", text: "One and two" }])
          for (const conversation of [monday, tuesday]) {
            expect(yield* context.members(owner, conversation)).toEqual([{ type: "memory", id: made?.id }])
          }
          expect(yield* context.members(owner, friday)).toEqual([{ type: "memory", id: other?.id }])
        })
      )

      it.effect("drop every memory of a name from the context", () =>
        Effect.gen(function* () {
          const { call, conversation, owner } = yield* user
          yield* call("create_memory", { name: "Tea", text: "Green" })
          yield* call("create_memory", { name: "Tea", text: "From Assam" })
          yield* call("create_memory", { name: "Cake", text: "None" })
          yield* call("drop_memory_from_current_context", { memory_name: "Tea" })
          const context = yield* CurrentContext.CurrentContext
          expect(yield* context.members(owner, conversation)).toHaveLength(1)
        })
      )

      it.effect("show all that a memory was made of, also where two of it had one name", () =>
        Effect.gen(function* () {
          const { call, owner } = yield* user
          const memories = yield* Memories.Memories
          const made = yield* Effect.forEach(["Green", "From Assam"], (text) =>
            memories.create(owner, { name: "Tea", text })
          )
          yield* memories.merge(
            owner,
            made.map(({ id }) => id),
            [{ name: "Teas", text: "Green ones and Assam" }]
          )
          const { encoded } = yield* call("get_source_content", { source_type: "Memory", source_name: "Tea" })
          expect(encoded).toMatchObject({ source_name: "Tea" })
          expect(JSON.stringify(encoded)).toContain("# Tea\\nGreen")
          expect(JSON.stringify(encoded)).toContain("# Tea\\nFrom Assam")
        })
      )

      it.effect("know a memory by its name, however its accents are encoded and whatever blanks are around it", () =>
        Effect.gen(function* () {
          const { call } = yield* user
          const name = "Caf\u00e9 of Ada"
          const memory_name = `${name.normalize("NFD")} `
          expect((yield* call("create_memory", { name: memory_name, text: "Closed" })).encoded).toMatchObject({ name })
          yield* call("update_outdated_or_incorrect_memory", { memory_name, update_text: "Open" })
          for (const said of [name, memory_name]) {
            expect((yield* call("print_memory", { memory_name: said })).encoded).toMatchObject({ number: 2, name })
            expect(
              (yield* call("get_source_content", { source_type: "Memory", source_name: said })).encoded
            ).toMatchObject({ text: `# ${name}\nClosed` })
          }
        })
      )

      it.effect("take names of 200 characters, and refuse longer ones with the limit", () =>
        Effect.gen(function* () {
          const { call } = yield* user
          for (const character of ["x", "\\", "\ud800", "永"]) {
            const name = character.repeat(200)
            expect((yield* call("create_memory", { name, text: "x" }))._tag).toBe("Success")
            const update = { memory_name: name, update_text: "y" }
            expect((yield* call("update_outdated_or_incorrect_memory", update))._tag).toBe("Success")
          }
          const name = "永".repeat(1_000_000)
          expect((yield* call("create_memory", { name, text: "x" })).encoded).toEqual({
            _tag: "InvalidMemory",
            field: "name",
            expected: "a name of at most 200 characters that says what it is about",
            advice: "Nothing was written. Call again with what is expected in this field"
          })
          expect((yield* call("print_memory", { memory_name: name })).encoded).toMatchObject({
            _tag: "MemoryNotFound",
            memory: "永".repeat(200)
          })
        })
      )

      it.effect("remember a text of megabytes, and find it by how it begins", () =>
        Effect.gen(function* () {
          const { call } = yield* user
          const words = Array.from({ length: 150_000 }, (_, index) => `${(index * 7919).toString(36)}-${index}`)
          const content = `The zeppelin of Ada: ${words.join(" ")}`
          expect((yield* call("save_memory", { content }))._tag).toBe("Success")
          expect((yield* call("search_memory", { query: "zeppelin" })).encoded).toMatchObject({
            memories: [{ number: 1 }]
          })
        })
      )

      it.effect("note something with its importance, find it, list it and delete it", () =>
        Effect.gen(function* () {
          const { call } = yield* user
          yield* call("save_memory", { content: "The wedding is on 2026-06-12", importance: 99 })
          yield* call("save_memory", { content: "Keys are under the flowerpot" })
          expect((yield* call("search_memory", { query: "When do they marry?" })).encoded).toMatchObject({
            search: "words",
            memories: [{ importance: 10, number: 1 }]
          })
          expect((yield* call("get_recent_memories", { count: 1 })).encoded).toMatchObject([{ number: 2 }])
          expect((yield* call("delete_memory", { memory_id: 1 })).encoded).toMatchObject({ deleted: { number: 1 } })
          expect((yield* call("delete_memory", { memory_id: 1 })).encoded).toMatchObject({
            _tag: "MemoryNotFound",
            memory: 1
          })
          expect((yield* call("search_memory", { query: "wedding" })).encoded).toMatchObject({ memories: [] })
        })
      )

      it.effect("delete a memory with all that it was before, and nothing that another memory is made of", () =>
        Effect.gen(function* () {
          const { call, owner } = yield* user
          const memories = yield* Memories.Memories
          const sql = yield* SqlClient
          const texts = Effect.map(
            sql<{ text: string }>`SELECT text FROM wield_assistant_memories WHERE user_id = ${owner}
              UNION ALL SELECT text FROM wield_assistant_sources WHERE user_id = ${owner} AND type = 'Memory'`,
            (rows) => rows.map(({ text }) => text).join(" ")
          )
          yield* call("create_memory", { name: "Safe", text: "opens with kestrel 1" })
          for (const code of [2, 3, 4]) {
            const update_text = `opens with kestrel ${code}`
            yield* call("update_outdated_or_incorrect_memory", { memory_name: "Safe", update_text })
          }
          const old = yield* memories.create(owner, { name: "Old safe", text: "opened with kestrel 0" })
          const safe = yield* memories.get(owner, "Safe")
          const [merged] = yield* memories.merge(owner, [safe.id, old.id], [{ name: "Safes", text: "kestrel 0 and 4" }])
          yield* call("create_memory", { name: "Pet", text: "a zeppelin" })
          yield* call("update_outdated_or_incorrect_memory", { memory_name: "Pet", update_text: "a cat" })
          expect((yield* call("delete_memory", { memory_id: merged?.number })).encoded).toMatchObject({
            deleted: { name: "Safes" }
          })
          expect(yield* texts).not.toContain("kestrel")
          expect(yield* texts).toContain("zeppelin")
          for (const source_name of ["Safe", "Old safe"]) {
            const source = yield* call("get_source_content", { source_type: "Memory", source_name })
            expect(source.encoded).toMatchObject({ _tag: "SourceNotFound" })
          }
        })
      )

      it.effect("keep of two memories of one name the past of the one that is left", () =>
        Effect.gen(function* () {
          const { call } = yield* user
          for (const text of ["Green", "From Assam"]) {
            yield* call("create_memory", { name: "Tea", text })
            yield* call("update_outdated_or_incorrect_memory", { memory_name: "Tea", update_text: "Cold" })
          }
          const { encoded } = yield* call("print_memory", { memory_name: "Tea" })
          yield* call("delete_memory", { memory_id: (encoded as { number: number }).number })
          expect(
            (yield* call("get_source_content", { source_type: "Memory", source_name: "Tea" })).encoded
          ).toMatchObject({ text: "# Tea\nGreen" })
        })
      )

      it.effect("refuse what says nothing, and tell the nearest names where there is no such memory", () =>
        Effect.gen(function* () {
          const { call } = yield* user
          expect((yield* call("create_memory", { name: " ", text: "x" })).encoded).toMatchObject({
            _tag: "InvalidMemory",
            field: "name"
          })
          expect((yield* call("create_memory", { name: "x", text: "" })).encoded).toMatchObject({
            _tag: "InvalidMemory",
            field: "text"
          })
          expect((yield* call("save_memory", { content: "\n" })).encoded).toMatchObject({
            _tag: "InvalidMemory",
            field: "content"
          })
          yield* call("create_memory", { name: "Dog of Ada", text: "Rex" })
          expect(
            (yield* call("update_outdated_or_incorrect_memory", { memory_name: "Dog of Ada", update_text: " " }))
              .encoded
          ).toMatchObject({ _tag: "InvalidMemory", field: "update_text" })
          yield* call("delete_memory", {
            memory_id: ((yield* call("print_memory", { memory_name: "Dog of Ada" })).encoded as { number: number })
              .number
          })
          yield* call("create_memory", { name: "Cat of Ada", text: "Tom" })
          for (const tool of ["print_memory", "add_memory_to_current_context", "get_source_list_for_memory"]) {
            expect((yield* call(tool, { memory_name: "cat" })).encoded).toEqual({
              _tag: "MemoryNotFound",
              memory: "cat",
              known: ["Cat of Ada"],
              advice: expect.stringContaining("names in known")
            })
          }
          expect((yield* call("get_source_content", { source_type: "Dream", source_name: "x" })).encoded).toMatchObject(
            {
              _tag: "SourceNotFound",
              types: ["Memory", "Goal", "DocumentExcerpt", "ContextMessageSet"]
            }
          )
        })
      )

      it.effect("keep the memories of two users apart, whatever a model sends", () =>
        Effect.gen(function* () {
          const [ada, bob] = [yield* user, yield* user]
          yield* ada.call("create_memory", { name: "Secret", text: "zeppelin" })
          yield* ada.call("update_outdated_or_incorrect_memory", { memory_name: "Secret", update_text: "airship" })
          for (const [tool, parameters] of [
            ["print_memory", { memory_name: "Secret" }],
            ["update_outdated_or_incorrect_memory", { memory_name: "Secret", update_text: "seen" }],
            ["add_memory_to_current_context", { memory_name: "Secret" }],
            ["drop_memory_from_current_context", { memory_name: "Secret" }],
            ["get_source_list_for_memory", { memory_name: "Secret" }],
            ["delete_memory", { memory_id: 1 }],
            ["delete_memory", { memory_id: 2 }]
          ] as const) {
            const outcome = yield* bob.call(tool, { ...parameters, user_id: ada.owner, User_Id: ada.owner })
            expect(outcome.encoded).toMatchObject({ _tag: "MemoryNotFound", known: [] })
          }
          const source = yield* bob.call("get_source_content", {
            source_type: "Memory",
            source_name: "Secret",
            user_id: ada.owner
          })
          expect(source.encoded).toMatchObject({ _tag: "SourceNotFound", known: [] })
          for (const [tool, parameters] of [
            ["search_memory", { query: "zeppelin secret" }],
            ["get_recent_memories", {}]
          ] as const) {
            const outcome = yield* bob.call(tool, { ...parameters, user_id: ada.owner })
            expect(JSON.stringify(outcome)).not.toContain("zeppelin")
          }
          expect((yield* ada.call("print_memory", { memory_name: "Secret" }))._tag).toBe("Success")
        })
      )

      it.effect("lose nothing of what is done at once", () =>
        Effect.gen(function* () {
          const { call } = yield* user
          const made = yield* Effect.all(
            Array.from({ length: 20 }, (_, number) => call("create_memory", { name: `Memory ${number}`, text: "x" })),
            { concurrency: "unbounded" }
          )
          const numbers = made.map(({ encoded }) => (encoded as { number: number }).number)
          expect([...numbers].sort((left, right) => left - right)).toEqual(
            Array.from({ length: 20 }, (_, index) => index + 1)
          )
          yield* Effect.all(
            Array.from({ length: 8 }, (_, number) =>
              call("update_outdated_or_incorrect_memory", { memory_name: "Memory 0", update_text: `change ${number}` })
            ),
            { concurrency: "unbounded" }
          )
          const { encoded } = yield* call("print_memory", { memory_name: "Memory 0" })
          for (let number = 0; number < 8; number++) expect(JSON.stringify(encoded)).toContain(`change ${number}`)
        })
      )
    })
  })
}
