/** A program whose executor runs nothing, and which waits to be killed. */
import { ScriptExecutor } from "@wield/scripts"
import { Effect } from "effect"

const program = Effect.gen(function* () {
  yield* ScriptExecutor.make()
  process.stdout.write("made\n")
  // Something has to keep Node from ending.
  setInterval(() => undefined, 60_000)
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(program))
