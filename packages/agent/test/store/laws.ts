import { expect, type Vitest } from "@effect/vitest"
import { Agent, Conversation, ConversationError, ConversationStore, DeferredCall } from "@wield/agent"
import { Approval, Content, Journal, type Message, ToolCall, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, TestClock } from "effect"

/** Entries with these ids, in their order. */
const entriesOf = (...ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (id) => Conversation.entry(Conversation.user(`I am ${id}`), { id }))

const idsOf = <E>(conversation: Conversation.Conversation<E>) =>
  Effect.map(conversation.entries, (entries) => entries.map(({ id }) => id))

/** Without what the tests before have left. */
const emptyStore = Effect.gen(function* () {
  const store = yield* ConversationStore.ConversationStore
  const { conversations } = yield* store.list({ limit: 1000 })
  yield* Effect.forEach(conversations, ({ id }) => store.delete(id))
  return store
})

const awkward = [
  "",
  `it's "quoted"; DROP TABLE wield_entries; --`,
  "a\0b",
  "a",
  "\\u0000",
  "\0",
  "\ud800",
  "ü/\n😀",
  "%_*?"
]

const assistant: Message.Assistant = {
  _tag: "Assistant",
  parts: [
    { _tag: "Reasoning", text: "\0 and \ud800" },
    {
      _tag: "Call",
      call: ToolCall.make("c1", "pay", '{"amount":'),
      executedBy: "application",
      nativeName: "pay",
      nativeId: undefined
    }
  ],
  native: { format: "anthropic", json: [{ z: 1, signature: "\0" }] }
}

/** What every store of conversations keeps to. */
export const storeLaws = (it: Vitest.MethodsNonLive<ConversationStore.ConversationStore>): void => {
  it.effect("gives entries back as they were appended, in their order", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const conversation = yield* store.create()
      const image = Content.image("image/png", "iVBORw0KGgo=")
      // An image is one by its type, whether or not it is an instance of the class.
      const plain: Content.Part = {
        _tag: "Image",
        mediaType: "image/png",
        source: { _tag: "Base64", data: "iVBORw0KGgo=" }
      }
      const entries = yield* Effect.forEach(
        [Conversation.user([Content.text("a\0b\ud800"), image]), assistant, Conversation.user([plain])],
        (message) => Conversation.entry(message, { metadata: JSON.parse(`{"a":[null,1.5,{"__proto__":1}]}`) })
      )
      yield* conversation.append(entries.slice(0, 2), undefined)
      yield* conversation.append(entries.slice(2), entries[1]?.id)
      const again = yield* store.open(conversation.id)
      expect(yield* again.entries).toEqual(entries)
      expect(again.id).toBe(conversation.id)
    })
  )

  it.effect("refuses what a list could not be read with, and says what is wrong", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const { id } = yield* store.create({ title: "One", metadata: { a: 1 } })
      // A program without types may give anything.
      const given: ReadonlyArray<readonly [never, string]> = [
        [{ metadata: null } as never, "metadata must be an object, but is null"],
        [{ metadata: [1] } as never, "metadata must be an object, but is an array of 1"],
        [{ title: 5 } as never, "title must be a text, but is 5"],
        [{ title: null } as never, "title must be a text, but is null"]
      ]
      for (const [stated, detail] of given) {
        expect((yield* Effect.flip(store.create(stated))).message).toContain(`to create: ${detail}`)
        expect((yield* Effect.flip(store.update(id, stated))).message).toContain(`to update: ${detail}`)
      }
      const { conversations } = yield* store.list({ query: "one" })
      expect(conversations).toEqual([expect.objectContaining({ id, title: "One", metadata: { a: 1 } })])
      expect((yield* store.list({ isWaiting: true })).conversations).toEqual([])
    })
  )

  it.effect("asks nothing about an id that is no text, or by options that are none, and says what is wrong", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      // A program without types may give anything.
      for (const id of [5 as never, null as never, undefined as never, {} as never]) {
        const asked: ReadonlyArray<Effect.Effect<unknown, { readonly message: string }>> = [
          store.open(id),
          store.openOrCreate(id),
          store.summary(id),
          store.update(id, {}),
          store.fork(id),
          store.truncate(id, undefined),
          store.delete(id),
          store.export(id)
        ]
        for (const one of asked) expect((yield* Effect.flip(one)).message).toContain("id must be a text, but is")
      }
      // As above.
      const options = ["x" as never, null as never, { limit: -1 }, { form: "a" } as never, { from: 5 } as never]
      for (const one of options) expect((yield* Effect.flip(store.list(one))).message).toContain("must be")
      expect((yield* store.list()).conversations).toEqual([])
    })
  )

  it.effect("changes nothing when the same entries come again after the same place", () =>
    Effect.gen(function* () {
      const conversation = yield* (yield* emptyStore).create()
      const [a, b, c] = yield* entriesOf("a", "b", "c")
      yield* conversation.append([a!, b!], undefined)
      yield* conversation.append([a!, b!], undefined)
      yield* conversation.append([a!], undefined)
      yield* conversation.append([], "nowhere")
      expect(yield* idsOf(conversation)).toStrictEqual(["a", "b"])
      yield* conversation.append([b!, c!], "a") // the rest of what had come in part
      expect(yield* idsOf(conversation)).toStrictEqual(["a", "b", "c"])
    })
  )

  it.effect("refuses to append after an entry that is not the last one", () =>
    Effect.gen(function* () {
      const conversation = yield* (yield* emptyStore).create()
      const [a, b, c] = yield* entriesOf("a", "b", "c")
      yield* conversation.append([a!, b!], undefined)
      const conflict = (after: string | undefined) =>
        new ConversationError.AppendConflict({
          conversation: conversation.id,
          last: "b",
          ...(after === undefined ? {} : { after })
        })
      expect(yield* Effect.flip(conversation.append([c!], undefined))).toStrictEqual(conflict(undefined))
      expect(yield* Effect.flip(conversation.append([c!], "a"))).toStrictEqual(conflict("a"))
      expect(yield* Effect.flip(conversation.append([c!], "x"))).toStrictEqual(conflict("x"))
      expect(yield* Effect.flip(conversation.append([a!, c!], undefined))).toStrictEqual(conflict(undefined))
      expect(yield* idsOf(conversation)).toStrictEqual(["a", "b"])
    })
  )

  it.effect("refuses another entry of an id that is taken, and with it all that came with it", () =>
    Effect.gen(function* () {
      const conversation = yield* (yield* emptyStore).create()
      const [a, b, c] = yield* entriesOf("a", "b", "c")
      const other = yield* Conversation.entry(Conversation.user("Somebody else"), { id: "b" })
      yield* conversation.append([a!, b!], undefined)
      const taken = new ConversationError.EntryIdTaken({ conversation: conversation.id, entry: "b" })
      expect(yield* Effect.flip(conversation.append([other], "a"))).toStrictEqual(taken)
      expect(yield* Effect.flip(conversation.append([c!, other], "b"))).toStrictEqual(taken)
      expect(yield* Effect.flip(conversation.append([c!, b!], "b"))).toStrictEqual(taken)
      expect((yield* Effect.flip(conversation.append([c!, c!], "b")))._tag).toBe("EntryIdTaken")
      expect(yield* idsOf(conversation)).toStrictEqual(["a", "b"])
    })
  )

  it.effect("lets one of two writers win and tells the other so", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const { id } = yield* store.create()
      const entries = yield* entriesOf(...Array.from({ length: 10 }, (_, index) => `e${index}`))
      const exits = yield* Effect.forEach(
        entries,
        (entry) =>
          Effect.flatMap(store.open(id), (conversation) => Effect.either(conversation.append([entry], undefined))),
        { concurrency: "unbounded" }
      )
      expect(exits.filter(({ _tag }) => _tag === "Right")).toHaveLength(1)
      for (const exit of exits) if (exit._tag === "Left") expect(exit.left._tag).toBe("AppendConflict")
      expect(yield* idsOf(yield* store.open(id))).toHaveLength(1)
    })
  )

  it.effect("keeps conversations of any id and title apart", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      for (const id of awkward) {
        const conversation = yield* store.create({ id, title: id, metadata: { id } })
        const [entry] = yield* entriesOf(id)
        yield* conversation.append([entry!], undefined)
      }
      for (const id of awkward) {
        expect(yield* store.summary(id)).toMatchObject({ id, title: id, metadata: { id }, length: 1 })
        expect(yield* idsOf(yield* store.open(id))).toStrictEqual([id])
      }
      expect((yield* store.list()).conversations).toHaveLength(awkward.length)
    })
  )

  it.effect("creates a conversation once", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const entries = yield* entriesOf("a", "b")
      yield* store.create({ id: "one", title: "First", entries })
      const exists = new ConversationError.ConversationExists({ conversation: "one" })
      expect(yield* Effect.flip(store.create({ id: "one", title: "Second" }))).toStrictEqual(exists)
      expect((yield* store.summary("one")).title).toBe("First")
      expect(yield* idsOf(yield* store.openOrCreate("one"))).toStrictEqual(["a", "b"])
      expect(yield* idsOf(yield* store.openOrCreate("two"))).toStrictEqual([])
      const made = yield* Effect.forEach(Array.from({ length: 10 }), () => store.openOrCreate("three"), {
        concurrency: "unbounded"
      })
      expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    })
  )

  it.effect("creates nothing from entries of which two have one id", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const entries = yield* entriesOf("a", "b", "a")
      const refused = yield* Effect.flip(store.create({ id: "one", entries }))
      expect(refused).toMatchObject({ _tag: "StoreError", operation: "create" })
      expect(refused.message).toContain("another entry with the id a")
      expect((yield* Effect.flip(store.open("one")))._tag).toBe("ConversationNotFound")
    })
  )

  it.effect("says which conversation or entry is not there", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const notFound = new ConversationError.ConversationNotFound({ conversation: "none" })
      expect(yield* Effect.flip(store.open("none"))).toStrictEqual(notFound)
      expect(yield* Effect.flip(store.summary("none"))).toStrictEqual(notFound)
      expect(yield* Effect.flip(store.update("none", { title: "x" }))).toStrictEqual(notFound)
      expect(yield* Effect.flip(store.fork("none"))).toStrictEqual(notFound)
      expect(yield* Effect.flip(store.truncate("none", undefined))).toStrictEqual(notFound)
      expect(yield* Effect.flip(store.export("none"))).toStrictEqual(notFound)
      yield* store.delete("none")

      yield* store.create({ id: "one", entries: yield* entriesOf("a") })
      const noEntry = new ConversationError.EntryNotFound({ conversation: "one", entry: "x" })
      expect(yield* Effect.flip(store.fork("one", { at: "x" }))).toStrictEqual(noEntry)
      expect(yield* Effect.flip(store.truncate("one", "x"))).toStrictEqual(noEntry)
      expect(yield* idsOf(yield* store.open("one"))).toStrictEqual(["a"])
    })
  )

  it.effect("forks up to an entry, and leaves the original as it is", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const original = yield* store.create({
        id: "one",
        title: "Title",
        metadata: { a: 1 },
        entries: yield* entriesOf("a", "b", "c")
      })
      const whole = yield* store.fork("one")
      const part = yield* store.fork("one", { id: "part", at: "b" })
      const [d] = yield* entriesOf("d")
      yield* part.append([d!], "b")
      expect(yield* idsOf(original)).toStrictEqual(["a", "b", "c"])
      expect(yield* idsOf(whole)).toStrictEqual(["a", "b", "c"])
      expect(yield* idsOf(part)).toStrictEqual(["a", "b", "d"])
      expect(yield* store.summary("part")).toMatchObject({ title: "Title", metadata: { a: 1 }, length: 3 })
      expect((yield* Effect.flip(store.fork("one", { id: "part" })))._tag).toBe("ConversationExists")
      expect((yield* Effect.flip(store.fork("one", { id: "one" })))._tag).toBe("ConversationExists")
      yield* store.create({ id: "empty" })
      expect(yield* idsOf(yield* store.fork("empty"))).toStrictEqual([])
    })
  )

  it.effect("runs in no copy what its original may have run, and asks there about what waits", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const paid: Array<string> = []
      const pay = { execute: () => Effect.sync(() => void paid.push("pay")) }
      const toolset = yield* Toolset.dynamic([
        { name: "pay", ...pay },
        { name: "ask", ...pay }
      ])
      const journal = yield* Effect.provide(Journal.Journal, Journal.layerMemory)
      const policy = { journal, approval: { ask: () => Approval.ask() } }
      const { call, text, turn } = ScriptedModel
      const agentOf = (...script: Parameters<typeof ScriptedModel.make>[0]) =>
        Effect.flatMap(ScriptedModel.make(script), (model) => Agent.make({ model, toolset, policy }))
      const original = yield* store.create({ id: "one" })
      const agent = yield* agentOf(turn(call("pay"), call("pay"), call("ask")), text("Paid."))
      const paused = yield* Agent.run(agent, { conversation: original, prompt: "Pay" })
      if (paused._tag !== "Paused") return expect.unreachable()
      const whole = yield* store.fork("one")
      yield* Agent.run(agent, { conversation: original, answers: paused.requests.map(DeferredCall.approve) })
      expect(paid).toEqual(["pay", "pay", "pay"])

      const at = (yield* original.entries)[1]?.id
      const part = yield* store.fork("one", { at })
      const copies = [
        [part, 2],
        [yield* store.fork(part.id), 2],
        [yield* store.import(yield* store.export(part.id), { id: "imported" }), 2],
        [whole, 0]
      ] as const
      for (const [copy, uncertain] of copies) {
        const asked = yield* Agent.run(agent, { conversation: copy })
        if (asked._tag !== "Paused") return expect.unreachable()
        const answers = asked.requests.map((request) => DeferredCall.deny(request, "it is a copy"))
        const result = yield* Agent.run(yield* agentOf(text("Well.")), { conversation: copy, answers })
        const ends = result.entries.flatMap((entry) => entry.ends ?? [])
        expect([asked.requests.length, ends.filter((end) => end === "Uncertain").length]).toEqual([1, uncertain])
      }
      expect(paid).toEqual(["pay", "pay", "pay"])
    })
  )

  it.effect("truncates after an entry, and goes on from there", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const conversation = yield* store.create({ id: "one", entries: yield* entriesOf("a", "b", "c") })
      yield* store.truncate("one", "a")
      expect(yield* idsOf(conversation)).toStrictEqual(["a"])
      const [d, b] = yield* entriesOf("d", "b")
      yield* conversation.append([d!, b!], "a")
      expect(yield* idsOf(conversation)).toStrictEqual(["a", "d", "b"])
      yield* store.truncate("one", undefined)
      yield* conversation.append([b!], undefined)
      expect(yield* idsOf(conversation)).toStrictEqual(["b"])
      expect((yield* store.summary("one")).length).toBe(1)
    })
  )

  it.effect("deletes a conversation with its entries, and says so to whoever has it open", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const conversation = yield* store.create({ id: "one", entries: yield* entriesOf("a") })
      yield* store.delete("one")
      const [b] = yield* entriesOf("b")
      expect(yield* Effect.flip(conversation.entries)).toMatchObject({ _tag: "StoreError", operation: "read" })
      expect(yield* Effect.flip(conversation.append([b!], "a"))).toMatchObject({
        _tag: "StoreError",
        operation: "append"
      })
      expect(yield* idsOf(yield* store.create({ id: "one" }))).toStrictEqual([])
    })
  )

  it.effect("leaves no entry of a conversation that is deleted while others append to it", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      for (let round = 0; round < 10; round++) {
        const conversation = yield* store.create({ id: "one" })
        const entries = yield* entriesOf("a", "b", "c")
        const append = Effect.forEach(entries, (entry, index) => conversation.append([entry], entries[index - 1]?.id))
        yield* Effect.all([Effect.exit(append), store.delete("one")], { concurrency: 2 })
        expect(yield* idsOf(yield* store.create({ id: "one" }))).toStrictEqual([])
        yield* store.delete("one")
      }
    })
  )

  it.effect("changes what is given of title and metadata, and leaves the rest", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      yield* TestClock.setTime(1000)
      yield* store.create({ id: "one", title: "First", metadata: { a: 1 } })
      yield* TestClock.setTime(2000)
      yield* store.update("one", { title: "Second" })
      expect(yield* store.summary("one")).toStrictEqual({
        id: "one",
        title: "Second",
        metadata: { a: 1 },
        createdAt: 1000,
        changedAt: 1000,
        length: 0
      })
      yield* store.update("one", { metadata: { b: 2 } })
      expect(yield* store.summary("one")).toMatchObject({ title: "Second", metadata: { b: 2 } })
    })
  )

  it.effect("lists what was changed last first, in pages that neither repeat nor skip", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const now = 1_800_000_000_000
      for (let index = 0; index < 7; index++) {
        // Three at a time at the same moment.
        yield* TestClock.setTime(now + Math.floor(index / 3))
        yield* store.create({ id: `c${index}` })
      }
      yield* TestClock.setTime(now + 10)
      yield* (yield* store.open("c0")).append(yield* entriesOf("a"), undefined)

      const first = yield* store.list({ limit: 3 })
      expect(first.conversations.map(({ id }) => id)).toStrictEqual(["c0", "c6", "c5"])
      // One that is changed between two pages is not on the second; the others are, each once.
      yield* TestClock.setTime(now + 20)
      yield* (yield* store.open("c6")).append(yield* entriesOf("a"), undefined)
      yield* store.delete("c5")
      const second = yield* store.list({ limit: 3, from: first.next })
      expect(second.conversations.map(({ id }) => id)).toStrictEqual(["c4", "c3", "c2"])
      const third = yield* store.list({ limit: 3, from: second.next })
      expect(third).toMatchObject({ conversations: [{ id: "c1", changedAt: now }], next: undefined })
      expect((yield* store.list({ limit: 6 })).next).toBeUndefined()
      expect((yield* Effect.flip(store.list({ from: "third" }))).message).toContain("pass on what a list gave")
    })
  )

  it.effect("lists conversations by a part of an id, a title or a text, and those that wait", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const texts = {
        tea: "Where is my “Grüner Tee”?\nIt is 50%_ off!",
        escape: 'C:\\new\t"quoted"\0 and \ud800',
        moscow: "ПРИВЕТ, Москва 茶 😀",
        signs: "\u212a and \u0130"
      }
      for (const [id, text] of Object.entries(texts)) {
        yield* store.create({ id, entries: [yield* Conversation.entry(Conversation.user(text))] })
      }
      const structured = Content.json({ order: { number: 4711 } })
      yield* store.create({
        id: "A\0b",
        title: "Über\\all",
        entries: yield* Effect.forEach(
          [
            assistant,
            {
              _tag: "Results" as const,
              results: [{ id: "c1", name: "pay", isError: false, content: [structured] }],
              native: undefined
            }
          ],
          (message) => Conversation.entry(message)
        )
      })
      const found: { readonly [query: string]: ReadonlyArray<string> } = {
        "where IS": ["tea"],
        "GRÜNER tee": ["tea"],
        "?\nIt": ["tea"],
        "%_ OFF": ["tea"],
        "5%0": [],
        "5_": [],
        '\\NEW\t"quo': ["escape"],
        "\0 and \ud800": ["A\0b", "escape"],
        "привет, м": ["moscow"],
        茶: ["moscow"],
        "😀": ["moscow"],
        "\u212a": ["signs"],
        "\u0130": ["signs"],
        k: [],
        '"NUMBER":4711': ["A\0b"],
        "a\0B": ["A\0b"],
        "über\\ALL": ["A\0b"],
        // The names of what an entry is made of are no texts.
        _tag: [],
        content: [],
        "": ["A\0b", "escape", "moscow", "signs", "tea"]
      }
      for (const [query, ids] of Object.entries(found)) {
        const { conversations } = yield* store.list({ query })
        expect([query, conversations.map(({ id }) => id).sort()]).toEqual([query, ids])
      }
      expect((yield* store.list({ query: "x".repeat(60_000) })).conversations).toEqual([])

      const first = yield* store.list({ query: "t", limit: 1 })
      const second = yield* store.list({ query: "t", limit: 1, from: first.next })
      expect(new Set([...first.conversations, ...second.conversations].map(({ id }) => id)).size).toBe(2)

      expect((yield* store.list({ isWaiting: true })).conversations).toEqual([])
      yield* store.update("tea", { metadata: { wieldWaiting: [{ any: 1 }], about: 'no "wieldWaiting":[{' } })
      yield* store.update("signs", { metadata: { wieldWaiting: [], about: '"wieldWaiting":[{' } })
      yield* store.fork("tea", { id: "fork" })
      const waiting = (query?: string) =>
        Effect.map(store.list({ isWaiting: true, query }), ({ conversations }) =>
          conversations.map(({ id }) => id).sort()
        )
      expect(yield* waiting()).toEqual(["fork", "tea"])
      yield* store.update("fork", { metadata: {} })
      expect(yield* waiting()).toEqual(["tea"])
      expect(yield* waiting("grüner")).toEqual(["tea"])
      expect(yield* waiting("москва")).toEqual([])
    })
  )

  it.effect("exports a conversation as JSON and imports it as the same", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      yield* TestClock.setTime(5000)
      const entries = [
        yield* Conversation.entry(Conversation.user("Hello")),
        // Of an open call a copy says that it is one.
        yield* Conversation.entry(assistant, { isCopy: true })
      ]
      yield* store.create({ id: "one", title: "Title", metadata: { a: 1 }, entries })
      const exported = yield* store.export("one")
      expect(exported).toMatchObject({ format: "wield-conversation", version: 1, id: "one", createdAt: 5000 })
      expect((yield* Effect.flip(store.import(exported)))._tag).toBe("ConversationExists")
      const text = JSON.stringify(exported)
      const copy = yield* store.import(JSON.parse(text), { id: "copy" })
      expect(yield* copy.entries).toEqual(entries)
      expect(JSON.stringify({ ...(yield* store.export("copy")), id: "one" })).toBe(text)
    })
  )

  it.effect("imports nothing of an export that is wrong, and says where", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      yield* store.create({ id: "one", entries: yield* entriesOf("a", "b") })
      const exported = yield* store.export("one")
      const wrong = (changes: object, place: string) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(store.import({ ...exported, id: "two", ...changes }))
          expect(error).toMatchObject({ _tag: "InvalidExport" })
          expect(error.message).toContain(place)
        })
      const [a] = yield* entriesOf("a")
      yield* wrong({ version: 2 }, "version: Expected 1")
      yield* wrong({ format: "other" }, "format: Expected")
      yield* wrong({ entries: [a, { id: "b", at: "now", message: a?.message }] }, "entries[1].at: ")
      yield* wrong({ entries: [a, a] }, "entries[1].id: expected an id of its own, but entries[0] has it too")
      yield* wrong({ entries: [{ ...a, message: { _tag: "User", content: [{ _tag: "Text" }] } }] }, "content[0].text: ")
      expect((yield* Effect.flip(store.import("text"))).message).toContain("the value: Expected")
      expect((yield* Effect.flip(store.open("two")))._tag).toBe("ConversationNotFound")
    })
  )

  it.effect("takes a conversation of thousands of entries at once", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const ids = Array.from({ length: 2500 }, (_, index) => `e${index}`)
      const conversation = yield* store.create({ entries: yield* entriesOf(...ids) })
      expect(yield* idsOf(conversation)).toStrictEqual(ids)
      yield* conversation.append(yield* entriesOf("last"), "e2499")
      expect((yield* store.summary(conversation.id)).length).toBe(2501)
    })
  )

  it.effect("knows an answer again that is delivered twice, and refuses another one", () =>
    Effect.gen(function* () {
      const store = yield* emptyStore
      const conversation = yield* store.create({ id: "wages" })
      const paid: Array<unknown> = []
      const toolset = yield* Toolset.dynamic([
        { name: "pay", execute: (args) => Effect.sync(() => `paid ${paid.push(args)}`) }
      ])
      const pay = (amount: number) => ScriptedModel.call("pay", { amount }, { id: "call_1" })
      const agentOf = (...turns: Parameters<typeof ScriptedModel.make>[0]) =>
        Effect.flatMap(ScriptedModel.make(turns), (model) =>
          Agent.make({ model, toolset, policy: { approval: () => Approval.ask() } })
        )
      const first = yield* agentOf(ScriptedModel.turn(pay(1), pay(2)), ScriptedModel.text("Paid."))
      const paused = yield* Agent.run(first, { conversation, prompt: "Pay" })
      if (paused._tag !== "Paused") return expect.unreachable()
      const [one, two] = paused.requests.map((request) => DeferredCall.approveWith(request, { amount: 0 }))
      if (one === undefined || two === undefined) return expect.unreachable()
      const still = yield* Agent.run(first, { conversation, answers: [one, one] })
      expect(still._tag === "Paused" && still.requests.map(({ call }) => call.arguments)).toEqual([{ amount: 2 }])
      yield* Agent.run(first, { conversation, answers: [one, two] })

      const other = yield* agentOf()
      const again = { conversation: yield* store.open("wages"), answers: [two, one] }
      expect((yield* Agent.run(other, again)).text).toBe("Paid.")
      expect(paid).toHaveLength(2)
      for (const response of [DeferredCall.approve(one.request), DeferredCall.deny(one.request, "no")]) {
        const refused = yield* Effect.flip(Agent.run(other, { ...again, answers: [response] }))
        expect(refused._tag).toBe("AlreadyAnswered")
      }
    })
  )
}
