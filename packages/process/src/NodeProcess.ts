/**
 * A module that Node runs in a process of its own and that answers messages:
 * work that may hang, take all memory, or abort takes only that process down.
 * Values are copied as `structuredClone` copies them, bytes and bigints included.
 *
 * A thread could not take its place: when a thread of Node runs out of memory,
 * the whole program often aborts.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { fork, type ChildProcess } from "node:child_process"
import { aCount, aName, checkOptions, type Kind, texts } from "./internal/check.js"

/** @category models */
export interface Options {
  /** The module's path. */
  readonly file: string
  readonly arguments?: ReadonlyArray<string> | undefined
  /** Megabytes of JavaScript objects and texts: with more, the process aborts. */
  readonly heapMegabytes: number
  /** Further options of Node, such as `--import`. Those of this process are not inherited. */
  readonly nodeOptions?: ReadonlyArray<string> | undefined
}

/**
 * A running module. It keeps this process from ending only while an answer is
 * awaited.
 *
 * @category models
 */
export interface NodeProcess {
  readonly isAlive: () => boolean
  /**
   * Sends a message and waits for the next one of the module. Ask one at a time.
   * Interrupting it kills the process, whose late answer would answer the next.
   */
  readonly ask: (message: object | string | number | boolean) => Effect.Effect<unknown, ProcessEnded>
  /** Waits for the next message of the module. */
  readonly receive: Effect.Effect<unknown, ProcessEnded>
  readonly kill: () => void
  /** Kills it, and waits until it is gone. */
  readonly end: Effect.Effect<void>
}

/**
 * The process ended, or could not be started: it gives no answer.
 *
 * @category errors
 */
export class ProcessEnded extends Data.TaggedError("ProcessEnded")<{
  /** Its signal, its exit code, or an error code of the system: `SIGKILL`, `exit code 1`, `EAGAIN`. */
  readonly detail: string
}> {}

/**
 * Starts a module with an empty environment. It lives until `end` or `kill`, so
 * use it with `Effect.acquireRelease`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { NodeProcess } from "@wield/process"
 * import { Effect } from "effect"
 * import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const folder = mkdtempSync(join(tmpdir(), "node-process-"))
 * const file = join(folder, "double.mjs")
 * writeFileSync(file, `process.on("message", ({ value }) => process.send({ value: value * 2n }))`)
 *
 * const program = Effect.acquireRelease(NodeProcess.start({ file, heapMegabytes: 64 }), ({ end }) => end).pipe(
 *   Effect.flatMap(({ ask }) => ask({ value: 21n })),
 *   Effect.scoped
 * )
 * assert.deepStrictEqual(await Effect.runPromise(program), { value: 42n })
 * rmSync(folder, { recursive: true })
 * ```
 *
 * @category constructors
 */
export const start = (options: Options): Effect.Effect<NodeProcess, ProcessEnded> =>
  Effect.async((resume) => {
    checkOptions("What NodeProcess starts", kinds, options, ["file", "heapMegabytes"])
    const { SystemRoot } = process.env
    try {
      const child = fork(options.file, [...(options.arguments ?? [])], {
        execArgv: [`--max-old-space-size=${options.heapMegabytes}`, ...(options.nodeOptions ?? [])],
        // Windows starts no program without this one.
        env: SystemRoot === undefined ? {} : { SystemRoot },
        serialization: "advanced",
        stdio: ["ignore", "ignore", "ignore", "ipc"]
      })
      // An error without a listener would end this program.
      child.on("error", (error) => resume(new ProcessEnded({ detail: codeOf(error) })))
      child.once("spawn", () => {
        const running = makeProcess(child)
        release(child)
        resume(Effect.succeed(running))
      })
    } catch (error) {
      resume(new ProcessEnded({ detail: codeOf(error) }))
    }
  })

// Of a heap of no megabytes, or fewer, Node makes the largest it can.
const kinds: { readonly [Name in keyof Required<Options>]: Kind } = {
  file: aName,
  arguments: texts,
  heapMegabytes: aCount,
  nodeOptions: texts
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "unknown")

/** This process may end while the child is idle. */
const release = (child: ChildProcess): void => {
  child.unref()
  child.channel?.unref()
}

const makeProcess = (child: ChildProcess): NodeProcess => {
  const isAlive = () => child.exitCode === null && child.signalCode === null
  const kill = () => void child.kill("SIGKILL")

  /** Messages that came before `receive`. */
  let early: Array<unknown> = []
  let take = (message: unknown): void => void early.push(message)
  child.on("message", (message) => take(message))

  const awaitMessage = (begin: () => void): Effect.Effect<unknown, ProcessEnded> =>
    Effect.async((resume) => {
      const leave = () => {
        take = (message) => void early.push(message)
        child.off("exit", onExit)
        release(child)
      }
      const onExit = (code: number | null, signal: string | null) => {
        leave()
        resume(new ProcessEnded({ detail: signal ?? `exit code ${code}` }))
      }
      take = (message) => {
        leave()
        resume(Effect.succeed(message))
      }
      child.once("exit", onExit).ref()
      child.channel?.ref()
      if (early.length > 0) take(early.shift())
      else if (isAlive()) begin()
      else onExit(child.exitCode, child.signalCode)
      return Effect.sync(leave)
    })

  return {
    isAlive,
    ask: (message) =>
      Effect.suspend(() => {
        // What came before is no answer to this.
        early = []
        // A process that takes no message is ending, or gets ended: how it ended says why.
        return awaitMessage(() => void child.send(message, (error) => (error === null ? undefined : kill())))
      }).pipe(Effect.onInterrupt(() => Effect.sync(kill))),
    receive: awaitMessage(() => undefined),
    kill,
    end: Effect.async((resume) => {
      if (!isAlive()) return resume(Effect.void)
      child.once("exit", () => resume(Effect.void))
      child.ref()
      kill()
    })
  }
}
