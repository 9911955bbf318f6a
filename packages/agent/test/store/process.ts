/**
 * A process of its own over a file: `process.ts <what> <path> …`. Prints what it found.
 */
import { Agent, Conversation, ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { type CallContext, Journal, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, type Layer } from "effect"
import { appendPersistently } from "./appendPersistently.js"

const [what = "", path = "", name = "", count = "0"] = process.argv.slice(2)
const numbers = Array.from({ length: Number(count) }, (_, index) => index)

const append = Effect.gen(function* () {
  const store = yield* ConversationStore.ConversationStore
  const conversation = yield* store.openOrCreate("shared")
  const conflicts = yield* Effect.forEach(numbers, (index) =>
    Effect.flatMap(Conversation.entry(Conversation.user(name), { id: `${name} ${index}` }), (entry) =>
      appendPersistently(conversation, entry)
    )
  )
  return conflicts.reduce((sum, one) => sum + one, 0)
})

const begin = Effect.gen(function* () {
  const journal = yield* Journal.Journal
  const known = yield* Effect.forEach(numbers, (index) =>
    journal.begin({ run: "run", call: `call_${index}`, digest: "d" }, name)
  )
  return known.flatMap(({ _tag }, index) => (_tag === "Fresh" ? [index] : []))
})

/** One call is over, one is being handled for ever. */
const handle = Effect.gen(function* () {
  const journal = yield* Journal.Journal
  const over = { run: "run", call: "over", digest: "d" }
  yield* journal.begin(over, "pay")
  yield* journal.finish(over, { _tag: "Success", encoded: "paid" })
  yield* journal.begin({ run: "run", call: "open", digest: "d" }, "pay")
  yield* Effect.sync(() => console.log("handling"))
  return yield* Effect.never
})

/** Runs of an agent whose tenant may look up five orders a day: how many it did. */
const look = Effect.gen(function* () {
  let looks = 0
  const toolset = yield* Toolset.dynamic([{ name: "look", execute: () => Effect.sync(() => ++looks) }])
  const calls = numbers.flatMap(() => [ScriptedModel.call("look"), ScriptedModel.text("Done.")])
  const model = yield* ScriptedModel.make(calls)
  const quota = {
    name: "tenant",
    by: ({ tenant }: CallContext.Values) => String(tenant),
    window: "1 day",
    calls: 5
  } as const
  const agent = yield* Agent.make({ model, toolset, policy: { quotas: [quota] } })
  yield* Effect.forEach(numbers, () => Agent.run(agent, { prompt: name, context: { tenant: "acme" } }))
  return looks
})

const programs: Record<
  string,
  Effect.Effect<unknown, unknown, Layer.Layer.Success<ReturnType<typeof FileStore.layer>>>
> = { append, begin, handle, look }

const program = programs[what] ?? Effect.dieMessage(`there is no program ${what}`)
const found = await Effect.runPromise(program.pipe(Effect.provide(FileStore.layer({ path, synchronous: "normal" }))))
console.log(JSON.stringify(found))
