import { describe, expect, it } from "@effect/vitest"
import { ProcessGuard } from "@wield/process"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"

/** Starts a hundred processes of one group when it is told to. */
const burst = Effect.acquireRelease(
  Effect.sync(() => {
    const text = "read -r _; for i in {1..100}; do sleep 60 & done; wait"
    const child = spawn("bash", ["-c", text], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
    return { pid: child.pid ?? 0, begin: () => child.stdin.write("now\n"), child }
  }),
  ({ child, pid }) =>
    Effect.promise(async () => {
      const exited = once(child, "exit")
      process.kill(-pid, "SIGKILL")
      await exited
    })
)

describe.skipIf(process.platform !== "linux")("ProcessGuard (threads are counted in /proc: Linux)", () => {
  it.scopedLive("work whose processes become many at once is looked at long before the next look is due", () =>
    Effect.gen(function* () {
      const watch = yield* ProcessGuard.make({ processes: 20, memory: undefined }, 600_000)
      const { begin, pid } = yield* burst
      const exceeded = Effect.async<string>((resume) => {
        watch({ worker: pid, group: pid, mark: "", exceed: (limit) => resume(Effect.succeed(limit)) })
        // By then the guard has seen how many threads there were before.
        setTimeout(begin, 200)
      })
      expect(yield* exceeded).toBe("processes")
    })
  )
})
