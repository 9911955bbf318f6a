/**
 * A SQLite file, by libsql itself: whole numbers come exactly, and columns with their names. libsql 0.4.7 cannot
 * interrupt a statement, so each runs in a process for this file (`runtime/sqlite.mjs`). A call that is over its time
 * or interrupted ends the process, and nothing that it wrote is kept unless its end had begun. A damaged file aborts that
 * process only.
 */
import * as NodeProcess from "@wield/process/NodeProcess"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createRequire } from "node:module"
import { QueryFailed } from "../ExecutorError.js"
import { ofBytes, ofInteger, ofJson, ofNumber, ofUnknown } from "./cell.js"
import type { Answer, Call, Driver } from "./Driver.js"
import { failureOf, timedOut, noAnswerToEnd } from "./failure.js"

const places = 4

/** Milliseconds until an idle process is ended; one is kept. */
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

export const openFile = (path: string): Effect.Effect<Driver, QueryFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(places)
    const idle = new Map<NodeProcess.NodeProcess, NodeJS.Timeout>()
    let isClosed = false
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        isClosed = true
        for (const timer of idle.values()) clearTimeout(timer)
        return Effect.forEach(idle.keys(), ({ end }) => end, { discard: true, concurrency: "unbounded" })
      })
    )

    const takeIdle = (): NodeProcess.NodeProcess | undefined => {
      for (const [process, timer] of idle) {
        clearTimeout(timer)
        idle.delete(process)
        if (process.isAlive()) return process
      }
      return undefined
    }
    const keep = (process: NodeProcess.NodeProcess): void => {
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
        return process === undefined
          ? NodeProcess.start({ file: program, arguments: [path], heapMegabytes: 512 })
          : Effect.succeed(process)
      }),
      (process, exit) =>
        // An error of the database is an answer; anything else leaves the process in an unknown state.
        exit._tag === "Success" && !isClosed && process.isAlive() ? Effect.sync(() => keep(process)) : process.end
    )
    const withProcess = <E>(talk: (ask: Ask) => Effect.Effect<Reply, E>) =>
      Effect.flatMap(acquired, (process) =>
        // Only `runtime/sqlite.mjs` is at the other end.
        Effect.flatMap(talk(process.ask as Ask), (reply) => {
          const isSpent = "answer" in reply && reply.answer?.isSpent === true
          return Effect.as(isSpent ? process.end : Effect.void, reply)
        })
      ).pipe(Effect.scoped, turn.withPermits(1))

    const opened = yield* Effect.mapError(
      withProcess((ask) => ask({})),
      unreachable
    )
    if ("error" in opened) return yield* failureOf(opened.error, [])
    return {
      dialect: "sqlite",
      run: (call) =>
        Effect.suspend(() => {
          const { bound, isWriting, limits } = call
          let isCommitting = false
          const commit = (ask: Ask): Effect.Effect<Reply, NodeProcess.ProcessEnded> =>
            Effect.gen(function* () {
              for (;;) {
                isCommitting = true
                const reply = yield* ask({ isCommit: true })
                if ("answer" in reply) return reply
                isCommitting = false
                if (!isLocked(reply.error.code)) return reply
                yield* Effect.sleep("20 millis")
              }
            })
          const talk = (ask: Ask) =>
            Effect.flatMap(ask(messageOf(call)), (reply) =>
              isWriting && "answer" in reply
                ? Effect.map(commit(ask), (end) => ("error" in end ? end : reply))
                : Effect.succeed(reply)
            )
          return withProcess(talk).pipe(
            Effect.mapError((ended) => (isCommitting ? noAnswerToEnd() : unreachable(ended))),
            Effect.flatMap((reply) =>
              "error" in reply ? failureOf(reply.error, bound.values) : Effect.succeed(answerOf(reply.answer))
            ),
            Effect.timeoutFail({
              duration: limits.timeout,
              onTimeout: () => (isCommitting ? noAnswerToEnd() : timedOut(limits.timeout))
            })
          )
        })
    }
  })

type Ask = (message: object) => Effect.Effect<Reply, NodeProcess.ProcessEnded>

const isLocked = (code: string): boolean => /^SQLITE_(?:BUSY|LOCKED)/.test(code)

const program = createRequire(import.meta.url).resolve("@wield/manifest/runtime/sqlite.mjs")

const unreachable = ({ detail }: NodeProcess.ProcessEnded): QueryFailed =>
  new QueryFailed({
    reason: "unreachable",
    detail: `the process that reads the file ended (${detail}); the file may be damaged`
  })

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
