/** A program that has scripts running which never end, and waits to be killed. */
import { ScriptExecutor } from "@wield/scripts"
import { Effect } from "effect"
import { makeScript } from "../executor/scripts.js"

const [, , mark = ""] = process.argv

const endless = [
  makeScript("javascript", "export function run() { for (;;) ; }", { name: "loop" }),
  makeScript("bash", "main() { sleep 1000 & setsid sleep 1000 & while :; do sleep 1; done; }", { name: "sleep" })
]

const program = Effect.gen(function* () {
  const executor = yield* ScriptExecutor.make({ environment: { set: { GUARDIAN_TEST: mark } } })
  yield* Effect.forEach(endless, ({ script, scriptFunction }) => executor.run(script, scriptFunction, {}), {
    concurrency: "unbounded"
  })
})

await Effect.runPromise(Effect.scoped(program))
