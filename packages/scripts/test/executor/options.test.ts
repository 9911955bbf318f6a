/** Options that a program without a compiler may give. */
import { expect, it } from "@effect/vitest"
import { ScriptExecutor } from "@wield/scripts"
import { Cause, Effect, Exit } from "effect"

const wrong: ReadonlyArray<readonly [object, string]> = [
  [{ limit: { time: "1 second" } }, 'limit must be named as an option is (did you mean "limits"?)'],
  [{ limits: { memori: 1 } }, 'limits.memori must be named as an option is (did you mean "memory"?)'],
  [{ limits: { memory: "64 MiB" } }, 'limits.memory must be a number of at least 0, but is "64 MiB"'],
  [{ isolation: "proces" }, 'isolation must be "worker" or "process" or "shared", but is "proces"'],
  [{ environment: { secrets: "TOKEN" } }, 'environment.secrets must be an array of texts, but is "TOKEN"'],
  [{ environment: { set: { PORT: 80 } } }, "environment.set.PORT must be a text, but is 80"],
  [{ workers: { idle: "soon" } }, 'workers.idle must be a duration, but is "soon"'],
  [{ environment: { isEnvFileRead: "no" } }, 'environment.isEnvFileRead must be true or false, but is "no"']
]

it.scoped.each(wrong)("scripts are not run with %j", ([options, problem]) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Effect.asVoid(ScriptExecutor.make(options as never)))
    expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain(`How scripts are run: ${problem}`)
  })
)
