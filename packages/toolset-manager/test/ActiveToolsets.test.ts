import { assert, it } from "@effect/vitest"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { ActiveToolsets } from "@wield/toolset-manager"
import { Effect, Layer } from "effect"
import { folder, read, write } from "./managed.js"

/** A service that reads the file anew, as that of a process which has started again. */
const inNewProcess = <A, E>(file: string, use: (active: ActiveToolsets.Service) => Effect.Effect<A, E>) =>
  Effect.flatMap(ActiveToolsets.ActiveToolsets, use).pipe(
    Effect.provide(ActiveToolsets.layerFile(file).pipe(Layer.provide(NodeContext.layer)))
  )

const research = { _tag: "Named", name: "research" } as const

it.scoped("What was active in a conversation is active after a restart, whatever the conversation is called", () =>
  Effect.gen(function* () {
    const file = `${yield* folder}/state/active.json`
    const conversations = ["chat 1", "__proto__", "constructor", "", "🔭\n"]
    yield* inNewProcess(file, (active) =>
      Effect.forEach(conversations, (conversation) => active.set(conversation, research), { concurrency: "unbounded" })
    )
    yield* inNewProcess(file, (active) =>
      Effect.gen(function* () {
        for (const conversation of conversations) assert.deepStrictEqual(yield* active.get(conversation), research)
        assert.isUndefined(yield* active.get("toString"))
        assert.sameMembers([...(yield* active.conversationsOf("research"))], conversations)
        yield* active.set("chat 1", { _tag: "Custom", functions: ["a"] })
        yield* active.remove("constructor")
        yield* active.remove("never there")
      })
    )
    yield* inNewProcess(file, (active) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* active.get("chat 1"), { _tag: "Custom", functions: ["a"] })
        assert.sameMembers([...(yield* active.conversationsOf("research"))], ["__proto__", "", "🔭\n"])
      })
    )
  }).pipe(Effect.provide(NodeContext.layer))
)

it.scoped("A file that is no file of active toolsets is refused, and stays as it is", () =>
  Effect.gen(function* () {
    const file = `${yield* folder}/active.json`
    yield* write(file, '{ "version": 9 }')
    const error = yield* Effect.flip(inNewProcess(file, (active) => active.get("chat")))
    assert.strictEqual(error._tag, "ActiveToolsetFailed")
    assert.include(error.message, "active.json")
    assert.strictEqual(yield* read(file), '{ "version": 9 }')
  }).pipe(Effect.provide(NodeContext.layer))
)

it.scoped("What cannot be kept is not active either", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const state = `${yield* folder}/state`
    yield* inNewProcess(`${state}/active.json`, (active) =>
      Effect.gen(function* () {
        yield* files.writeFileString(state, "a file where a folder has to be")
        assert.strictEqual((yield* Effect.flip(active.set("chat", research)))._tag, "ActiveToolsetFailed")
        assert.isUndefined(yield* active.get("chat"))
        yield* files.remove(state)
        yield* active.set("chat", research)
        assert.deepStrictEqual(yield* active.get("chat"), research)
      })
    )
  }).pipe(Effect.provide(NodeContext.layer))
)
