/**
 * A thread that answers questions, one at a time. What takes too long is ended with the thread: an engine that looks at
 * the time now and then is no bound, since native code may not look.
 */
import * as Effect from "effect/Effect"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { Worker } from "node:worker_threads"

/** Why a thread came to its end with a question open. */
export type Broken = "time" | "memory" | "stack"

/** What a thread is: a file of `runtime/`. */
export type Name = "sandbox" | "checker"

const brokenBy = (error: NodeJS.ErrnoException): Broken | undefined => {
  if (error.code === "ERR_WORKER_OUT_OF_MEMORY") return "memory"
  return error instanceof RangeError && error.message === "Maximum call stack size exceeded" ? "stack" : undefined
}

export class Thread {
  readonly #worker: Worker
  #answer: ((answer: Effect.Effect<unknown, Broken>) => void) | undefined
  isAlive = true

  constructor(name: Name) {
    const file = createRequire(import.meta.url).resolve(`@wield/code-mode/runtime/${name}.mjs`)
    this.#worker = new Worker(pathToFileURL(file), {
      // Nothing of the host's surroundings.
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      // V8's own heap, in MiB; that of the engine is limited by itself.
      resourceLimits: { maxOldGenerationSizeMb: name === "sandbox" ? 256 : 1_024 }
    })
    this.#worker.on("message", (message: unknown) => this.#settle(Effect.succeed(message)))
    this.#worker.on("error", (error: NodeJS.ErrnoException) => {
      // Its exit comes later: until then the next program would be given a thread that is dead.
      this.isAlive = false
      const broken = brokenBy(error)
      this.#settle(broken === undefined ? Effect.die(error) : Effect.fail(broken))
    })
    this.#worker.on("exit", () => {
      this.isAlive = false
      this.#settle(Effect.die(new Error(`The thread ${name} has ended`)))
    })
  }

  /** The first message says that the thread is there. */
  readonly ready: Effect.Effect<unknown> = Effect.orDie(Effect.suspend(() => this.#next(undefined)))

  /** The answer. Ends the thread after so many milliseconds, and when it is interrupted. */
  ask(message: object, milliseconds: number): Effect.Effect<unknown, Broken> {
    return Effect.suspend(() => {
      const answer = this.#next(milliseconds)
      this.#worker.postMessage(message)
      return answer
    })
  }

  /** A thread that a program has keeps the process alive. */
  enter(): void {
    this.#worker.ref()
  }

  /** Leaves what was asked before: the next program begins again. */
  leave(): void {
    this.#worker.unref()
    this.#worker.postMessage({ leave: true })
  }

  /** Ends the thread, whatever it does. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    this.isAlive = false
    return Effect.promise(() => this.#worker.terminate())
  })

  #next(milliseconds: number | undefined): Effect.Effect<unknown, Broken> {
    return Effect.async<unknown, Broken>((resume) => {
      const timer =
        milliseconds === undefined
          ? undefined
          : setTimeout(() => this.#settle(Effect.zipRight(this.end, Effect.fail<Broken>("time"))), milliseconds)
      this.#answer = (answer) => {
        clearTimeout(timer)
        this.#answer = undefined
        resume(answer)
      }
      return Effect.suspend(() => {
        clearTimeout(timer)
        this.#answer = undefined
        return this.end
      })
    })
  }

  #settle(answer: Effect.Effect<unknown, Broken>): void {
    this.#answer?.(answer)
  }
}
