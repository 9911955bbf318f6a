/**
 * A process of its own over a file: `process.ts <what> <path> …`. Prints what it found.
 */
import { Conversation, ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { Journal } from "@wield/core"
import { Effect } from "effect"
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

const programs: Record<
  string,
  Effect.Effect<unknown, unknown, ConversationStore.ConversationStore | Journal.Journal>
> = {
  append,
  begin,
  handle
}

const program = programs[what] ?? Effect.dieMessage(`there is no program ${what}`)
const found = await Effect.runPromise(program.pipe(Effect.provide(FileStore.layer({ path, synchronous: "normal" }))))
console.log(JSON.stringify(found))
