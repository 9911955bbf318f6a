/**
 * A process that reads pages and documents, one after the other. It can be ended
 * in the middle of one. A thread cannot take its place: when a thread of Node
 * runs out of memory, the whole program often aborts.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, fork } from "node:child_process"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { type Name, purpose, type ready, type Task, type Works } from "./work.js"

/** No process can be started here: a runtime without them, or its file is not where it was published. */
export class NoProcess extends Data.TaggedError("NoProcess")<{ readonly cause: unknown }> {}

/** The process has ended instead of reading the page. */
export class ProcessEnded extends Data.TaggedError("ProcessEnded")<{ readonly cause: unknown }> {}

export interface ReaderProcess {
  readonly run: <N extends Name>(task: Task<N>) => Effect.Effect<Works[N]["made"], ProcessEnded>
}

/** Of objects and texts. Pages that are cut down to 12,000 elements need a fraction of it. */
const heapMegabytes = 256

/** `megabytes` are those of all that the process holds, what a PDF is unpacked to included. */
export const startProcess = (megabytes: number): Effect.Effect<ReaderProcess, NoProcess, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.try({ try: () => spawn(megabytes), catch: (cause) => new NoProcess({ cause }) }),
      // At once, whatever it is doing: no message would reach it before it is done.
      end
    )
    // An error that nobody listens to would end the program.
    child.on("error", () => undefined)
    yield* Effect.mapError(next<typeof ready>(child), ({ cause }) => new NoProcess({ cause }))
    return {
      run: <N extends Name>(task: Task<N>) =>
        Effect.suspend(() => {
          // What was refused shows in the end of the process.
          if (isAlive(child)) child.send(task, () => undefined)
          return next<Works[N]["made"]>(child)
        })
    }
  })

const isAlive = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null

const end = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async((resume) => {
    // One that was never started has no number.
    if (child.pid === undefined || !isAlive(child)) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

/** The next message. A process says nothing but what `ReaderProcess` sends, in the order in which it was asked. */
const next = <A>(child: ChildProcess): Effect.Effect<A, ProcessEnded> =>
  Effect.async((resume) => {
    const leave = () => child.off("message", onMessage).off("error", onEnd).off("exit", onEnd)
    const onMessage = (message: unknown) => {
      leave()
      // Only `ReaderProcess` is at the other end.
      resume(Effect.succeed(message as A))
    }
    const onEnd = (cause: unknown) => {
      leave()
      resume(new ProcessEnded({ cause }))
    }
    if (!isAlive(child)) return onEnd(child.signalCode ?? child.exitCode)
    child.on("message", onMessage).on("error", onEnd).on("exit", onEnd)
    return Effect.sync(leave)
  })

const spawn = (megabytes: number): ChildProcess => {
  const require = createRequire(import.meta.url)
  const file = require.resolve("@wield/assistant/ReaderProcess")
  return fork(file, [purpose, String(megabytes * 1024 * 1024)], {
    // Whatever this process was started with, such as a loader or a debugger, is not for that one.
    execArgv: [`--max-old-space-size=${heapMegabytes}`, ...(file.endsWith(".ts") ? compiler(require) : [])],
    // It reads what strangers wrote, and needs none of what may stand there. Windows starts no program without this one.
    env: process.env["SystemRoot"] === undefined ? {} : { SystemRoot: process.env["SystemRoot"] },
    // Bytes are sent as bytes.
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"]
  })
}

/** Within this repository the sources run as they are, and Node 20 compiles none. */
const compiler = (require: NodeJS.Require): ReadonlyArray<string> => [
  "--import",
  pathToFileURL(require.resolve("tsx")).href
]
