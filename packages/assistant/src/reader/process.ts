/**
 * A process that reads pages and documents, one after the other. It can be ended
 * in the middle of one.
 */
import { NodeProcess } from "@wield/process"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { type Name, purpose, type Task, type Works } from "./work.js"

/** No process can be started here: a runtime without them, or its file is not where it was published. */
export class NoProcess extends Data.TaggedError("NoProcess")<{ readonly cause: unknown }> {}

export interface ReaderProcess {
  readonly run: <N extends Name>(task: Task<N>) => Effect.Effect<Works[N]["made"], NodeProcess.ProcessEnded>
}

/** Of objects and texts. Pages that are cut down to 12,000 elements need a fraction of it. */
const heapMegabytes = 256

/** `megabytes` are those of all that the process holds, what a PDF is unpacked to included. */
export const startProcess = (megabytes: number): Effect.Effect<ReaderProcess, NoProcess, Scope.Scope> =>
  Effect.gen(function* () {
    const { ask, receive } = yield* Effect.acquireRelease(
      Effect.flatMap(
        Effect.try(() => moduleOf(megabytes)),
        NodeProcess.start
      ),
      // At once, whatever it is doing: no message would reach it before it is done.
      ({ end }) => end
    )
    // It says that it is ready.
    yield* receive
    return {
      run: <N extends Name>(task: Task<N>) =>
        // Only `ReaderProcess` is at the other end.
        Effect.map(ask(task), (made) => made as Works[N]["made"])
    }
  }).pipe(Effect.mapError((cause) => new NoProcess({ cause })))

const moduleOf = (megabytes: number): NodeProcess.Options => {
  const require = createRequire(import.meta.url)
  const file = require.resolve("@wield/assistant/ReaderProcess")
  return {
    file,
    arguments: [purpose, String(megabytes * 1024 * 1024)],
    heapMegabytes,
    nodeOptions: file.endsWith(".ts") ? compiler(require) : []
  }
}

/** Within this repository the sources run as they are, and Node 20 compiles none. */
const compiler = (require: NodeJS.Require): ReadonlyArray<string> => [
  "--import",
  pathToFileURL(require.resolve("tsx")).href
]
