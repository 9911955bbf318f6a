/** Runner processes, and the signals they get. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { createServer } from "node:net"
import { createInterface } from "node:readline"
import type { Config, Line } from "./config.js"

export interface Runner {
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Until it serves. */
  readonly ready: Effect.Effect<void>
  /** Until it stands still at its point, or is over; true at the point. */
  readonly reached: Effect.Effect<boolean>
  /** Until what stands still in it is interrupted, or it is over. */
  readonly interrupted: Effect.Effect<void>
  /** Until it is gone: by what signal, and what it wrote as its results. */
  readonly gone: Effect.Effect<{ readonly signal: NodeJS.Signals | null; readonly results: Line | undefined }>
  readonly isGone: () => boolean
}

/** Killed with the scope. Dies where the process ends by itself in any way but a good one. */
export const startRunner = (file: string, config: Config): Effect.Effect<Runner, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [file, JSON.stringify(config)], { stdio: ["ignore", "pipe", "pipe"] })
      let complaint = ""
      let isReady = false
      let isReached = false
      let isInterrupted = false
      let results: Line | undefined
      let ending: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined
      const waiting = new Set<() => void>()
      const changed = () => waiting.forEach((resume) => resume())
      const until = <A>(test: () => Effect.Effect<A> | undefined): Effect.Effect<A> =>
        Effect.async((resume) => {
          const look = () => {
            const found = test()
            if (found === undefined) return
            waiting.delete(look)
            resume(found)
          }
          waiting.add(look)
          look()
          return Effect.sync(() => void waiting.delete(look))
        })
      child.stderr.on("data", (text) => (complaint += String(text)))
      createInterface({ input: child.stdout }).on("line", (text) => {
        if (!text.startsWith("{")) return void (complaint += `${text}\n`)
        const line: Line = JSON.parse(text)
        if (line._tag === "Ready") isReady = true
        if (line._tag === "Reached") isReached = true
        if (line._tag === "Interrupted") isInterrupted = true
        if (line._tag === "Ended") results = line
        changed()
      })
      child.on("close", (code, signal) => {
        ending = { code, signal }
        changed()
      })
      const dies = () => Effect.dieMessage(`the runner ended with exit code ${ending?.code}: ${complaint}`)
      const endedBadly = () =>
        ending !== undefined && ending.signal === null && ending.code !== 0 && ending.code !== 130
      const runner: Runner & { readonly kill: Effect.Effect<void> } = {
        signal: (signal) => Effect.sync(() => void child.kill(signal)),
        ready: until(() => (isReady ? Effect.void : ending === undefined ? undefined : dies())),
        reached: until(() =>
          isReached
            ? Effect.succeed(true)
            : endedBadly()
              ? dies()
              : ending === undefined
                ? undefined
                : Effect.succeed(false)
        ),
        interrupted: until(() => (isInterrupted || ending !== undefined ? Effect.void : undefined)),
        gone: until(() =>
          ending === undefined ? undefined : endedBadly() ? dies() : Effect.succeed({ signal: ending.signal, results })
        ),
        isGone: () => ending !== undefined,
        kill: Effect.sync(() => void child.kill("SIGKILL"))
      }
      return runner
    }),
    ({ kill }) => kill
  )

/** A port that was free a moment ago. */
export const freePort: Effect.Effect<number> = Effect.async((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})
