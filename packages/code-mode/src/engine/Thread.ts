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
  /** Counts what was sent: a thread that waits for it need not turn its event loop. */
  readonly #sent = new Int32Array(new SharedArrayBuffer(4))
  #answer: ((answer: Effect.Effect<unknown, Broken>) => void) | undefined
  /** When the open question takes too long, by `performance.now`. */
  #deadline = Infinity
  /** One for many questions: it looks at the deadline of that which is open then. */
  #timer: NodeJS.Timeout | undefined
  #wakesAt = Infinity
  isAlive = true

  constructor(name: Name) {
    const file = createRequire(import.meta.url).resolve(`@wield/code-mode/runtime/${name}.mjs`)
    this.#worker = new Worker(pathToFileURL(file), {
      // Nothing of the host's surroundings.
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      workerData: this.#sent,
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
  readonly ready: Effect.Effect<unknown> = Effect.orDie(
    Effect.onInterrupt(
      Effect.async<unknown, Broken>((resume) => void (this.#answer = resume)),
      () => this.end
    )
  )

  /**
   * The answer. Ends the thread after so many milliseconds. Where it is interrupted, the question stays open: who has
   * the thread ends it.
   */
  ask(message: object, milliseconds: number): Effect.Effect<unknown, Broken> {
    return Effect.async((resume) => {
      this.#answer = resume
      this.#boundBy(milliseconds)
      this.#send(message)
    })
  }

  /** Whether it has not answered yet. */
  get isBusy(): boolean {
    return this.#answer !== undefined
  }

  /** A thread that a program has keeps the process alive. */
  enter(): void {
    this.#worker.ref()
  }

  /** Leaves what was asked before: the next program begins again. */
  leave(): void {
    this.#stopTimer()
    this.#worker.unref()
    this.#send({ leave: true })
  }

  /** Ends the thread, whatever it does. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    this.isAlive = false
    this.#stopTimer()
    return Effect.promise(() => this.#worker.terminate())
  })

  #send(message: object): void {
    this.#worker.postMessage(message)
    Atomics.add(this.#sent, 0, 1)
    Atomics.notify(this.#sent, 0)
  }

  #boundBy(milliseconds: number): void {
    this.#deadline = performance.now() + milliseconds
    if (this.#deadline < this.#wakesAt) this.#startTimer(milliseconds)
  }

  #startTimer(milliseconds: number): void {
    this.#stopTimer()
    this.#wakesAt = performance.now() + milliseconds
    this.#timer = setTimeout(() => {
      this.#wakesAt = Infinity
      const left = this.#deadline - performance.now()
      if (this.#answer === undefined) return
      if (left > 0) return this.#startTimer(left)
      this.#settle(Effect.zipRight(this.end, Effect.fail<Broken>("time")))
    }, milliseconds)
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#wakesAt = Infinity
  }

  #settle(answer: Effect.Effect<unknown, Broken>): void {
    const resume = this.#answer
    this.#answer = undefined
    resume?.(answer)
  }
}
