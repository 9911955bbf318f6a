/**
 * A SQLite file, by libsql itself rather than through a client of
 * `@effect/sql`: whole numbers come exactly, and columns with their names.
 *
 * libsql 0.4.7 cannot interrupt a statement, and its connections share threads.
 * So each statement runs in a process that serves this file alone
 * (`runtime/sqlite.mjs`). A call that is over its time, or interrupted, ends the
 * process: the statement stops, its locks are free, and nothing that it wrote
 * is kept. A damaged file that makes libsql abort ends that process only.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, fork } from "node:child_process"
import { createRequire } from "node:module"
import { QueryFailed } from "../ExecutionError.js"
import { ofBytes, ofInteger, ofJson, ofNumber, ofUnknown } from "./cell.js"
import type { Answer, Call, Driver } from "./Driver.js"
import { failureOf, timedOut } from "./failure.js"

/** How many processes serve one file at once. */
const places = 4

/** Milliseconds until a process that nobody needs is ended; one is kept. */
const idleTime = 30_000

/** What `runtime/sqlite.mjs` answers. */
type Reply =
  | { readonly answer: Found | undefined }
  | { readonly error: { readonly code: string; readonly message: string } }

interface Found {
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string | null }>
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
  readonly rowsAffected: number | undefined
  /** The process cannot serve another call. */
  readonly isSpent: boolean
}

interface Process {
  readonly ask: (message: object) => Effect.Effect<Reply, QueryFailed>
  readonly kill: () => void
  /** Kills it, and is done when it is gone. */
  readonly end: Effect.Effect<void>
  readonly isAlive: () => boolean
}

export const openFile = (path: string): Effect.Effect<Driver, QueryFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(places)
    const idle = new Map<Process, NodeJS.Timeout>()
    let isClosed = false
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        isClosed = true
        for (const timer of idle.values()) clearTimeout(timer)
        return Effect.forEach(idle.keys(), ({ end }) => end, { discard: true, concurrency: "unbounded" })
      })
    )

    const takeIdle = (): Process | undefined => {
      for (const [process, timer] of idle) {
        clearTimeout(timer)
        idle.delete(process)
        if (process.isAlive()) return process
      }
      return undefined
    }
    const keep = (process: Process): void => {
      const timer = setTimeout(() => {
        if (idle.size < 2) return void timer.refresh()
        idle.delete(process)
        process.kill()
      }, idleTime)
      timer.unref()
      idle.set(process, timer)
    }
    const acquired = Effect.acquireRelease(
      Effect.suspend(() => {
        const process = takeIdle()
        return process === undefined ? start(path) : Effect.succeed(process)
      }),
      (process, exit) =>
        // An error of the database is an answer; anything else leaves the process in a state that nobody knows.
        exit._tag === "Success" && !isClosed && process.isAlive() ? Effect.sync(() => keep(process)) : process.end
    )
    const asked = (message: object) =>
      turn.withPermits(1)(
        Effect.scoped(
          Effect.flatMap(acquired, ({ ask, end }) =>
            Effect.tap(ask(message), (reply) =>
              "answer" in reply && reply.answer?.isSpent === true ? end : Effect.void
            )
          )
        )
      )

    const opened = yield* asked({})
    if ("error" in opened) return yield* failureOf(opened.error, [])
    return {
      dialect: "sqlite",
      run: (call) =>
        Effect.gen(function* () {
          const reply = yield* asked(messageOf(call))
          if ("error" in reply) return yield* failureOf(reply.error, call.bound.values)
          return answerOf(reply.answer)
        }).pipe(Effect.timeoutFail({ duration: call.limits.timeout, onTimeout: () => timedOut(call.limits.timeout) }))
    }
  })

const program = createRequire(import.meta.url).resolve("@wield/manifest/runtime/sqlite.mjs")

const start = (path: string): Effect.Effect<Process, QueryFailed> =>
  Effect.async((resume) => {
    const child = fork(program, [path], {
      // Whatever this process was started with, such as a loader or a debugger, is not for that one.
      execArgv: ["--max-old-space-size=512"],
      // Windows starts no program without this one.
      env: process.env["SystemRoot"] === undefined ? {} : { SystemRoot: process.env["SystemRoot"] },
      // Whole numbers are bigints, bytes are bytes.
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"]
    })
    child.once("error", (error) => resume(Effect.fail(broken(codeOf(error)))))
    child.once("spawn", () => {
      // An idle process does not keep this one from ending.
      child.unref()
      child.channel?.unref()
      resume(Effect.succeed(processOf(child)))
    })
  })

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : "unknown")

const broken = (why: string): QueryFailed =>
  new QueryFailed({
    reason: "unreachable",
    detail: `the process that reads the file ended (${why}); the file may be damaged`
  })

const processOf = (child: ChildProcess): Process => {
  const isAlive = () => child.exitCode === null && child.signalCode === null
  const kill = () => void child.kill("SIGKILL")
  return {
    isAlive,
    kill,
    end: Effect.async((resume) => {
      if (!isAlive()) return resume(Effect.void)
      child.once("exit", () => resume(Effect.void))
      // The caller waits for its end.
      child.ref()
      kill()
    }),
    ask: (message) =>
      Effect.async<Reply, QueryFailed>((resume) => {
        const onMessage = (reply: unknown) =>
          // Only `runtime/sqlite.mjs` is at the other end.
          done(Effect.succeed(reply as Reply))
        const onExit = (code: number | null, signal: string | null) =>
          done(Effect.fail(broken(signal ?? `exit code ${code}`)))
        const done = (effect: Effect.Effect<Reply, QueryFailed>) => {
          child.off("message", onMessage).off("exit", onExit)
          child.unref()
          child.channel?.unref()
          resume(effect)
        }
        child.on("message", onMessage).on("exit", onExit)
        // Whoever asks waits for the answer, so this process does, too.
        child.ref()
        child.channel?.ref()
        if (!isAlive()) return onExit(child.exitCode, child.signalCode)
        child.send(message, (error) => {
          if (error !== null) done(Effect.fail(broken(codeOf(error))))
        })
        return Effect.sync(() => child.off("message", onMessage).off("exit", onExit))
      })
  }
}

const messageOf = ({ bound, isWriting, kind, limits }: Call): object => ({
  text: bound.text,
  values: bound.values,
  kind,
  isWriting,
  ...limits
})

const answerOf = (found: Found | undefined): Answer => {
  const { columns = [], rows = [], rowsAffected } = found ?? {}
  return {
    columns: columns.map(({ name }) => name),
    rows: rows.map((row) => row.map((value, index) => cellOf(value, columns[index]?.type ?? null))),
    rowsAffected
  }
}

const cellOf = (value: unknown, declared: string | null): unknown => {
  if (typeof value === "bigint") return ofInteger(value)
  if (typeof value === "number") return ofNumber(value)
  if (typeof value === "string") return declared !== null && /^jsonb?$/i.test(declared) ? ofJson(value) : value
  return value instanceof Uint8Array ? ofBytes(value) : ofUnknown(value)
}
