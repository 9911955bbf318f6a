/**
 * The calls of one turn: each begins as soon as it may, side by side with the
 * others, but for the barriers that sequential tools are.
 */
import { Outcome, type ToolCall, type ToolDefinition, type ToolRunner } from "@wield/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { type Emit, type Run, silent } from "./plan.js"
import { isSameCall } from "./sameCall.js"
import { watcherOf } from "./watcher.js"

interface Begun {
  readonly call: ToolCall.ToolCall
  readonly isSequential: boolean
  fiber: Fiber.RuntimeFiber<void, unknown> | undefined
  outcome: Outcome.Outcome | undefined
}

type CallFiber = Fiber.RuntimeFiber<void, unknown>

export class Calls {
  readonly #begun: Array<Begun> = []
  readonly #permits: Effect.Semaphore | undefined
  readonly #watcher: ToolRunner.Watcher
  readonly #definitions: ReadonlyMap<string, ToolDefinition.ToolDefinition>
  /** Calls that begin when their turn is recorded. */
  #isAnyHeld = false
  #isBarrierHeld = false

  constructor(
    readonly run: Run,
    emit: Emit,
    readonly scope: Scope.CloseableScope,
    definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
    concurrency: number | undefined
  ) {
    this.#definitions = new Map(definitions.map((definition) => [definition.name, definition]))
    this.#watcher = emit === silent ? nobody : watcherOf(emit)
    this.#permits = concurrency === undefined ? undefined : Effect.unsafeMakeSemaphore(concurrency)
  }

  get length(): number {
    return this.#begun.length
  }

  /**
   * Whether a call may begin before its turn is recorded. Where that may be lost,
   * only what changes nothing may: an idempotent call that is made again in
   * another turn has another idempotency key. What stands before a barrier or
   * behind it does not pass it.
   */
  mayBeginEarly(name: string, when: "always" | "safe" | "never"): boolean {
    const facts = this.#definitions.get(name)?.facts
    // A name that is not offered runs nothing.
    const isSafe = facts === undefined || facts.isReadOnly
    const isSequential = facts?.isSequential ?? false
    const isBarred = this.#isBarrierHeld || (isSequential && this.#isAnyHeld)
    if (!isBarred && (when === "always" || (when === "safe" && isSafe))) return true
    this.#isAnyHeld = true
    this.#isBarrierHeld ||= isSequential
    return false
  }

  /** Begins a call; it waits for those before it where one of them, or itself, is sequential. */
  begin(call: ToolCall.ToolCall): Effect.Effect<void> {
    return Effect.suspend(() => {
      const isSequential = this.#definitions.get(call.name)?.facts.isSequential ?? false
      const before = this.#before(isSequential)
      const begun: Begun = { call, isSequential, fiber: undefined, outcome: undefined }
      this.#begun.push(begun)
      const settled = Effect.map(this.run.settle([call], this.#watching(begun)), ([outcome]) => {
        begun.outcome = outcome
      })
      const permitted = this.#permits === undefined ? settled : this.#permits.withPermits(1)(settled)
      const waiting = before.length === 0 ? permitted : Effect.zipRight(Fiber.awaitAll(before), permitted)
      return Effect.map(Effect.forkIn(Effect.interruptible(waiting), this.scope), (fiber) => {
        begun.fiber = fiber
      })
    })
  }

  /** Waits for all that were begun. Fails with what the toolset itself failed with. */
  get settled(): Effect.Effect<void, unknown> {
    return Effect.suspend(() =>
      Effect.flatMap(Fiber.awaitAll(fibersOf(this.#begun)), (exits) => {
        const failed = exits.find((exit) => Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause))
        return failed ?? Effect.void
      })
    )
  }

  /** Those of these calls that were not begun yet. A call that stands there twice is two. */
  missing(calls: ReadonlyArray<ToolCall.ToolCall>): ReadonlyArray<ToolCall.ToolCall> {
    const left = [...this.#begun]
    return calls.filter((call) => take(left, call) === undefined)
  }

  /** One outcome for each of these calls, in their order; what has come to none was interrupted. */
  outcomes(calls: ReadonlyArray<ToolCall.ToolCall>): ReadonlyArray<Outcome.Outcome> {
    const left = [...this.#begun]
    return calls.map((call) => take(left, call)?.outcome ?? new Outcome.Interrupted(call, call.name, []))
  }

  /** Where the run ends while somebody is being told of an outcome, the call has come to it all the same. */
  #watching(begun: Begun): ToolRunner.Watcher {
    const watcher = this.#watcher
    const finished: ToolRunner.Watcher["finished"] = (call, outcome) =>
      Effect.suspend(() => {
        begun.outcome = outcome
        return watcher.finished(call, outcome)
      })
    return { ...watcher, finished }
  }

  #before(isSequential: boolean): ReadonlyArray<CallFiber> {
    if (isSequential) return fibersOf(this.#begun)
    const barrier = this.#begun.findLast((begun) => begun.isSequential)
    return barrier === undefined ? [] : fibersOf([barrier])
  }
}

const nobody: ToolRunner.Watcher = {
  started: () => Effect.void,
  progress: () => () => Effect.void,
  finished: () => Effect.void
}

const fibersOf = (begun: ReadonlyArray<Begun>): ReadonlyArray<CallFiber> =>
  begun.map(({ fiber }) => fiber).filter((fiber) => fiber !== undefined)

/** Takes the first that is this call: some servers use an id twice in one turn. */
const take = (left: Array<Begun>, call: ToolCall.ToolCall): Begun | undefined => {
  const index = left.findIndex((begun) => isSameCall(begun.call, call))
  return index === -1 ? undefined : left.splice(index, 1)[0]
}
