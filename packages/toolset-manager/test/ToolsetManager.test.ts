import { assert, describe, it } from "@effect/vitest"
import { CallContext, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Problem } from "@wield/core"
import { ActiveToolsets, ToolsetManager } from "@wield/toolset-manager"
import { Chunk, Deferred, Effect, Fiber, Layer, Logger, Stream } from "effect"
import { NodeContext } from "@effect/platform-node"
import { Live, managed, names, saved, tool, tools } from "./managed.js"

const core =
  '{ "research": { "functions": ["web_search", "get_website"], "emoji": "🔭" }, "lost": { "functions": ["gone"] } }'

const user =
  '{ "research": { "functions": ["web_search", "save_memory"] }, "half": { "functions": ["save_memory", "gone"] } }'

const call = (name: string) => ToolCall.make(`call_${name}`, name, {})

describe("The list of sets", () => {
  it.scoped("has the built-in ones, modules, and toolsets of both files, with what is loaded of each", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ core, user })
      const list = yield* manager.list
      assert.deepStrictEqual(
        list.map((set) => [set.name, set.type, set.enabled, set.total, set.status, set.isOverriding]),
        [
          ["all", "built-in", 4, 4, "ok", false],
          ["none", "built-in", 0, 0, "ok", false],
          ["web", "module", 2, 2, "ok", false],
          ["memory", "module", 2, 2, "ok", false],
          ["research", "user", 2, 2, "ok", true],
          ["half", "user", 1, 2, "partial", false],
          ["lost", "core", 0, 1, "empty", false]
        ]
      )
      assert.deepStrictEqual(list.find(({ name }) => name === "half")?.missing, ["gone"])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("counts a function as soon as it is loaded", () =>
    Effect.gen(function* () {
      const toolset = yield* tools
      const { manager } = yield* saved({ user }, { toolset })
      yield* toolset.put(tool("gone"))
      assert.strictEqual((yield* manager.preview("half")).status, "ok")
    }).pipe(Effect.provide(Live))
  )

  it.scoped("has no toolset of a file that is named custom, which no saved set is", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ user: '{ "custom": { "functions": ["web_search"] } }' })
      assert.deepStrictEqual(
        (yield* manager.list).map(({ name }) => name),
        ["all", "none", "web", "memory"]
      )
      assert.strictEqual((yield* Effect.flip(manager.activate("chat", "custom")))._tag, "UnknownToolset")
      const [problem] = yield* manager.problems.get
      assert.match(problem?.message ?? "", /"custom" is never used: the name is reserved/)
      const error = yield* Effect.flip(manager.save("custom", ["web_search"]))
      assert.match(error.message, /^"custom" is what functions are called that were activated by their names;/)
    }).pipe(Effect.provide(Live))
  )

  it.scoped("tells of modules that a built-in name hides", () =>
    Effect.gen(function* () {
      const manager = yield* managed({ modules: new Map([["all", ["web_search"]]]) })
      assert.deepStrictEqual((yield* manager.problems.get).map(Problem.report), [
        'all: warning: The module "all" is no set of its own, for the name is built in; rename its file'
      ])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("tells of toolsets that a module or a built-in name hides", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({
        user: '{\n  "web": { "functions": ["save_memory"] },\n  "all": { "functions": ["web_search"] }\n}'
      })
      const problems = (yield* manager.problems.get).map((problem) =>
        Problem.report(problem).replace(/^.*toolsets\.json/, "")
      )
      assert.deepStrictEqual(problems, [
        ':2:3: warning: The toolset "web" is never used: a module has the same name, and is taken instead; give it another name',
        ':3:3: warning: The toolset "all" is never used: the name is reserved; give it another name'
      ])
      assert.strictEqual((yield* manager.preview("web")).type, "module")
    }).pipe(Effect.provide(Live))
  )
})

describe("A preview", () => {
  it.scoped("shows a set without activating it", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ user })
      const preview = yield* manager.preview("half")
      assert.deepStrictEqual(preview.details, [
        { name: "save_memory", isLoaded: true, description: "Does save_memory", module: "memory" },
        { name: "gone", isLoaded: false, description: undefined, module: undefined }
      ])
      assert.strictEqual((yield* manager.active("chat")).name, "none")
    }).pipe(Effect.provide(Live))
  )

  it.scoped("shows functions that are given by name", () =>
    Effect.gen(function* () {
      const preview = yield* (yield* managed()).preview(["web_search", "web_search", "gone"])
      assert.deepStrictEqual(
        [preview.name, preview.type, preview.functions, preview.missing],
        [undefined, "custom", ["web_search", "gone"], ["gone"]]
      )
    }).pipe(Effect.provide(Live))
  )

  it.scoped("of a name that means nothing fails with the nearest ones", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ user })
      const error = yield* Effect.flip(manager.preview("reserch"))
      assert.strictEqual(error._tag, "UnknownToolset")
      assert.strictEqual(error.nearest[0], "research")
      assert.match(error.message, /^There is no toolset "reserch"; the nearest are "research"/)
    }).pipe(Effect.provide(Live))
  )
})

describe("The active set", () => {
  it.scoped("is none until one is activated, and each conversation has its own", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ core })
      const runner = yield* ToolRunner.make(manager.toolset)
      const offered = (conversation: string) =>
        Effect.map(runner.forRun({ context: { conversation } }).definitions, (all) => all.map(({ name }) => name))
      assert.deepStrictEqual(yield* offered("one"), [])
      yield* manager.activate("one", "research")
      yield* manager.custom("two", ["save_memory", "web_search"])
      assert.deepStrictEqual(yield* offered("one"), ["web_search", "get_website"])
      assert.deepStrictEqual(yield* offered("two"), ["web_search", "save_memory"])
      assert.deepStrictEqual(yield* offered("three"), [])
      yield* manager.activate("one", "all")
      assert.deepStrictEqual(yield* offered("one"), names)
      yield* manager.reset("one")
      assert.deepStrictEqual(yield* offered("one"), [])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("of conversations in which nothing was activated is set in the conversation without a name", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ core })
      const runner = yield* ToolRunner.make(manager.toolset)
      const offered = (conversation?: string) =>
        Effect.map(runner.forRun({ context: { conversation } }).definitions, (all) => all.map(({ name }) => name))
      yield* manager.activate("own", "memory")
      yield* manager.activate("", "web")
      assert.deepStrictEqual(yield* offered("new"), ["web_search", "get_website"])
      assert.deepStrictEqual(yield* offered(), ["web_search", "get_website"])
      assert.deepStrictEqual(yield* offered("own"), ["save_memory", "search_memory"])
      assert.isTrue((yield* manager.active("new")).isInitial)
      yield* manager.reset("own")
      assert.deepStrictEqual(yield* offered("own"), ["web_search", "get_website"])
      yield* manager.reset("")
      assert.deepStrictEqual(yield* offered("new"), [])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("decides what can be called: the rest is unavailable, not unknown", () =>
    Effect.gen(function* () {
      const manager = yield* managed()
      yield* manager.activate("chat", "web")
      const run = (yield* ToolRunner.make(manager.toolset)).forRun({ context: { conversation: "chat" } })
      const outcomes = yield* run.runAll([call("web_search"), call("save_memory"), call("nothing")])
      assert.deepStrictEqual(
        outcomes.map(({ _tag }) => _tag),
        ["Success", "Unavailable", "UnknownTool"]
      )
    }).pipe(Effect.provide(Live))
  )

  it.scoped("is that of the run where the context names no conversation", () =>
    Effect.gen(function* () {
      const manager = yield* managed()
      yield* manager.activate("run of an agent", "web")
      const runner = yield* ToolRunner.make(manager.toolset)
      assert.strictEqual((yield* runner.forRun({ id: "run of an agent" }).definitions).length, 2)
      assert.strictEqual((yield* runner.forRun({ id: "another" }).definitions).length, 0)
      assert.strictEqual((yield* runner.definitions).length, 0)
    }).pipe(Effect.provide(Live))
  )

  it.scoped("is the initial one where the context misspells its conversation, which is warned of once", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void warnings.push(String(message)))
      )
      const offered = (manager: ToolsetManager.Service, context: CallContext.Values) =>
        Effect.gen(function* () {
          const runner = yield* ToolRunner.make(manager.toolset)
          return (yield* runner.forRun({ context }).definitions).length
        }).pipe(Effect.provide(logger))
      const manager = yield* managed()
      yield* manager.activate("chat", "web")
      assert.strictEqual(yield* offered(manager, { conversation: "chat", converation: "chat" }), 2)
      assert.strictEqual(yield* offered(manager, { user: "ada", language: "en" }), 0)
      assert.deepStrictEqual(warnings, [])
      assert.strictEqual(yield* offered(manager, { converation: "chat" }), 0)
      assert.strictEqual(yield* offered(manager, { converation: "chat" }), 0)
      assert.strictEqual(warnings.length, 1)
      assert.match(warnings[0] ?? "", /^A call context has "converation" and no "conversation": .* conversationOf/)
      assert.notInclude(warnings[0] ?? "chat", "chat")
      for (const context of [{ conversationId: "chat" }, { conversation: 7 }]) {
        yield* offered(yield* managed(), context)
      }
      assert.match(warnings[1] ?? "", /^A call context has "conversationId" and no "conversation"/)
      assert.match(warnings[2] ?? "", /^The conversation of a call context is no text, but number/)
      // Where the program decides, it knows what it does.
      yield* offered(yield* managed({ conversationOf: () => "chat" }), { conversation_id: "chat" })
      assert.strictEqual(warnings.length, 3)
    }).pipe(Effect.provide(Live))
  )

  it.scoped("can be initial, and belong to whatever the program calls a conversation", () =>
    Effect.gen(function* () {
      const manager = yield* managed({
        initial: "memory",
        conversationOf: (context) => (typeof context["user"] === "string" ? context["user"] : undefined)
      })
      const active = yield* manager.active("ada")
      assert.deepStrictEqual([active.name, active.isInitial], ["memory", true])
      yield* manager.activate("ada", "web")
      const runner = yield* ToolRunner.make(manager.toolset)
      const offered = (context: CallContext.Values) =>
        Effect.map(runner.definitions, (all) => all.map(({ name }) => name)).pipe(CallContext.provide(context))
      assert.deepStrictEqual(yield* offered({ user: "ada" }), ["web_search", "get_website"])
      assert.deepStrictEqual(yield* offered({ user: "bob" }), ["save_memory", "search_memory"])
      assert.deepStrictEqual(yield* offered({}), ["save_memory", "search_memory"])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("cannot be of functions that are not loaded", () =>
    Effect.gen(function* () {
      const manager = yield* managed()
      const error = yield* Effect.flip(manager.custom("chat", ["web_serch", "save_memory"]))
      assert.strictEqual(error._tag, "UnknownFunctions")
      assert.match(error.message, /^No loaded tool has the name "web_serch" \(the nearest are "web_search"/)
      assert.isTrue((yield* manager.active("chat")).isInitial)
    }).pipe(Effect.provide(Live))
  )

  it.scoped("tells which tools are loaded and not in it, and which sets would have them", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ user })
      yield* manager.activate("chat", "web")
      assert.deepStrictEqual(yield* manager.inactive("chat"), [
        {
          name: "save_memory",
          description: "Does save_memory",
          module: "memory",
          toolsets: ["memory", "research", "half"]
        },
        { name: "search_memory", description: "Does search_memory", module: "memory", toolsets: ["memory"] }
      ])
      yield* manager.activate("chat", "all")
      assert.deepStrictEqual(yield* manager.inactive("chat"), [])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("that is there no longer offers nothing, and says so", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ user })
      yield* manager.activate("chat", "half")
      assert.deepStrictEqual(yield* manager.delete("half"), ["chat"])
      const active = yield* manager.active("chat")
      assert.deepStrictEqual([active.name, active.type, active.enabled], ["half", "unknown", 0])
    }).pipe(Effect.provide(Live))
  )
})

describe("Switching", () => {
  it.scoped("counts from the next turn on; the calls of the turn before run against what it was offered", () =>
    Effect.gen(function* () {
      const manager = yield* managed()
      yield* manager.activate("chat", "web")
      const run = (yield* ToolRunner.make(manager.toolset)).forRun({ context: { conversation: "chat" } })
      const first = run.forRun({ turn: "1" })
      const offered = (yield* first.definitions).map(({ name }) => name)
      yield* manager.activate("chat", "memory")
      const calls = [call("web_search"), call("save_memory")]
      const held = yield* first.runAll(calls)
      const next = yield* run.forRun({ turn: "2" }).runAll(calls)
      assert.deepStrictEqual(offered, ["web_search", "get_website"])
      assert.deepStrictEqual(
        held.map(({ _tag }) => _tag),
        ["Success", "Unavailable"]
      )
      assert.deepStrictEqual(
        next.map(({ _tag }) => _tag),
        ["Unavailable", "Success"]
      )
    }).pipe(Effect.provide(Live))
  )

  it.scoped("does not keep a tool in a turn that is loaded no longer", () =>
    Effect.gen(function* () {
      const toolset = yield* tools
      const manager = yield* managed({ toolset, initial: "all" })
      const turn = (yield* ToolRunner.make(manager.toolset)).forRun({ id: "chat", turn: "1" })
      yield* turn.definitions
      yield* toolset.remove("web_search")
      assert.strictEqual((yield* turn.run(call("web_search")))._tag, "UnknownTool")
    }).pipe(Effect.provide(Live))
  )

  it.scoped("leaves calls running that have begun", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const toolset = yield* Toolset.dynamic([
        {
          name: "slow",
          execute: () => Effect.as(Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(goOn)), "done")
        }
      ])
      const manager = yield* managed({ toolset, initial: "all" })
      const runner = yield* ToolRunner.make(manager.toolset)
      const running = yield* Effect.fork(runner.forRun({ id: "chat" }).run(call("slow")))
      yield* Deferred.await(begun)
      yield* manager.activate("chat", "none")
      yield* Deferred.succeed(goOn, undefined)
      assert.strictEqual((yield* Fiber.join(running))._tag, "Success")
    }).pipe(Effect.provide(Live))
  )

  const changesOf = (
    toolset: Toolset.Toolset<unknown, unknown, unknown>,
    conversation: string | undefined,
    count: number
  ) =>
    Effect.gen(function* () {
      const told = Stream.runCollect(Stream.take(toolset.changes, count)).pipe(
        Effect.map(Chunk.toReadonlyArray),
        CallContext.provide(conversation === undefined ? {} : { conversation })
      )
      const fiber = yield* Effect.fork(told)
      // Changes are told from the moment on in which somebody listens.
      yield* Effect.yieldNow({ priority: 1 }).pipe(Effect.repeatN(20))
      return fiber
    })

  it.scoped("is announced to whoever listens to this conversation, and to whoever listens to all", () =>
    Effect.gen(function* () {
      const manager = yield* managed()
      const own = yield* changesOf(manager.toolset, "chat", 2)
      const all = yield* changesOf(manager.toolset, undefined, 3)
      yield* manager.activate("other", "web")
      yield* manager.activate("chat", "web")
      yield* manager.custom("chat", ["web_search", "save_memory"])
      const web = { added: ["web_search", "get_website"], removed: [], altered: [] }
      const custom = { added: ["save_memory"], removed: ["get_website"], altered: [] }
      assert.deepStrictEqual(yield* Fiber.join(own), [web, custom])
      assert.deepStrictEqual(yield* Fiber.join(all), [web, web, custom])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("of what new conversations get concerns those in which nothing was activated", () =>
    Effect.gen(function* () {
      const manager = yield* managed()
      yield* manager.activate("own", "memory")
      const fresh = yield* changesOf(manager.toolset, "new", 2)
      const own = yield* changesOf(manager.toolset, "own", 1)
      yield* manager.activate("", "web")
      yield* manager.reset("")
      yield* manager.activate("own", "none")
      assert.deepStrictEqual(yield* Fiber.join(fresh), [
        { added: ["web_search", "get_website"], removed: [], altered: [] },
        { added: [], removed: ["web_search", "get_website"], altered: [] }
      ])
      assert.deepStrictEqual(yield* Fiber.join(own), [
        { added: [], removed: ["save_memory", "search_memory"], altered: [] }
      ])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("between sets of the same tools announces nothing", () =>
    Effect.gen(function* () {
      const manager = yield* managed()
      yield* manager.activate("chat", "web")
      const own = yield* changesOf(manager.toolset, "chat", 1)
      yield* manager.custom("chat", ["get_website", "web_search"])
      yield* manager.activate("chat", "none")
      assert.deepStrictEqual(yield* Fiber.join(own), [
        { added: [], removed: ["web_search", "get_website"], altered: [] }
      ])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("happens by saving the set that is active, too", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ user })
      yield* manager.activate("chat", "research")
      const own = yield* changesOf(manager.toolset, "chat", 1)
      yield* manager.save("research", ["web_search", "get_website"], { isReplacing: true })
      assert.deepStrictEqual(yield* Fiber.join(own), [
        { added: ["get_website"], removed: ["save_memory"], altered: [] }
      ])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("that is the initial one changes only where nothing was activated", () =>
    Effect.gen(function* () {
      const { manager } = yield* saved({ user }, { initial: "research" })
      yield* manager.activate("other", "all")
      const other = yield* changesOf(manager.toolset, "other", 1)
      const fresh = yield* changesOf(manager.toolset, "fresh", 1)
      yield* manager.save("research", ["web_search"], { isReplacing: true })
      assert.deepStrictEqual(yield* Fiber.join(fresh), [{ added: [], removed: ["save_memory"], altered: [] }])
      yield* manager.activate("other", "web")
      assert.deepStrictEqual(yield* Fiber.join(other), [
        { added: [], removed: ["save_memory", "search_memory"], altered: [] }
      ])
    }).pipe(Effect.provide(Live))
  )

  it.scoped("apart, changes of tools are announced where they are on offer", () =>
    Effect.gen(function* () {
      const toolset = yield* tools
      const manager = yield* managed({ toolset })
      yield* manager.activate("chat", "web")
      const own = yield* changesOf(manager.toolset, "chat", 1)
      yield* toolset.put({ ...tool("save_memory"), description: "Another" })
      yield* toolset.put({ ...tool("web_search"), description: "Another" })
      assert.deepStrictEqual(yield* Fiber.join(own), [{ added: [], removed: [], altered: ["web_search"] }])
    }).pipe(Effect.provide(Live))
  )
})

it.scoped("The service of a Layer manages the toolset that its effect makes", () =>
  Effect.gen(function* () {
    const manager = yield* ToolsetManager.ToolsetManager
    yield* manager.activate("chat", "all")
    assert.strictEqual((yield* manager.active("chat")).enabled, names.length)
  }).pipe(
    Effect.provide(
      ToolsetManager.layer(Effect.map(tools, (toolset) => ({ toolset }))).pipe(
        Layer.provide(Layer.merge(NodeContext.layer, ActiveToolsets.layerMemory))
      )
    )
  )
)
