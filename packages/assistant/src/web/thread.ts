/** A thread that reads HTML, one page after the other. It can be ended in the middle of one. */
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { Worker, type WorkerOptions } from "node:worker_threads"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Name, Task, Works } from "./htmlWork.js"
import { purpose, type ready } from "./threadProtocol.js"

/** There can be no thread here: no such module of Node, or its file is not where it was published. */
export class NoThread extends Data.TaggedError("NoThread")<{ readonly cause: unknown }> {}

/** The thread has ended instead of reading the page. */
export class ThreadEnded extends Data.TaggedError("ThreadEnded")<{ readonly cause: unknown }> {}

export interface Thread {
  readonly run: <N extends Name>(task: Task<N>) => Effect.Effect<Works[N]["made"], ThreadEnded>
}

/** Pages that are cut down to 12,000 elements need a fraction of it; what needs more is given up. */
const megabytes = 256

export const startThread: Effect.Effect<Thread, NoThread, Scope.Scope> = Effect.gen(function* () {
  const worker = yield* Effect.acquireRelease(
    Effect.try({ try: spawned, catch: (cause) => new NoThread({ cause }) }),
    // At once, whatever it is doing: no message would reach it before it is done.
    (worker) => Effect.promise(() => worker.terminate())
  )
  // An error that nobody listens to would end the program.
  worker.on("error", () => undefined)
  yield* Effect.mapError(next<typeof ready>(worker), ({ cause }) => new NoThread({ cause }))
  return {
    run: <N extends Name>(task: Task<N>) =>
      Effect.suspend(() => {
        // One that has ended would never answer.
        if (worker.threadId === -1) return new ThreadEnded({ cause: "before it was asked" })
        worker.postMessage(task)
        return next<Works[N]["made"]>(worker)
      })
  }
})

/** The next message. A thread says nothing but what `HtmlThread` sends, in the order in which it was asked. */
const next = <A>(worker: Worker): Effect.Effect<A, ThreadEnded> =>
  Effect.async((resume) => {
    const leave = () => worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd)
    const onMessage = (message: A) => {
      leave()
      resume(Effect.succeed(message))
    }
    const onEnd = (cause: unknown) => {
      leave()
      resume(new ThreadEnded({ cause }))
    }
    worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd)
    return Effect.sync(leave)
  })

const spawned = (): Worker => {
  const require = createRequire(import.meta.url)
  const file = require.resolve("@wield/assistant/HtmlThread")
  const options: WorkerOptions = {
    name: "wield-html",
    workerData: purpose,
    // It reads what strangers wrote, and needs none of what may stand there.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: megabytes }
  }
  return file.endsWith(".ts")
    ? new Worker(compiling(file, require.resolve("tsx/package.json")), { ...options, eval: true })
    : new Worker(file, options)
}

/** Within this repository the sources run as they are, and a thread of Node 20 compiles none. */
const compiling = (file: string, compiler: string): string => {
  // Its other entry, for `require`, looks for a file that is not there.
  const api = new URL("dist/esm/api/index.mjs", pathToFileURL(compiler)).href
  const program = pathToFileURL(file).href
  return `import(${JSON.stringify(api)}).then(({ register }) => { register(); return import(${JSON.stringify(program)}) })`
}
