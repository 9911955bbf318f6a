/**
 * Which calls of a turn begin while the model still streams, and which once the
 * turn is recorded. The runner's batch has the barriers and limits.
 */
import type { ToolCall, ToolDefinition, ToolRunner, Toolset } from "@wield/core"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { canonical } from "../deferred/canonical.js"

export class Calls {
  readonly #begun: Array<ToolCall.ToolCall> = []
  readonly #facts: ReadonlyMap<string, ToolDefinition.ToolDefinition["facts"]>
  /** Calls that begin when their turn is recorded. */
  #isAnyHeld = false
  #isBarrierHeld = false

  constructor(
    readonly batch: ToolRunner.Batch<Toolset.DynamicTools, never, unknown>,
    definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  ) {
    this.#facts = new Map(definitions.map(({ facts, name }) => [name, facts]))
  }

  get length(): number {
    return this.#begun.length
  }

  /**
   * Whether a call may begin before its turn is recorded. Where that may be lost,
   * only what changes nothing may: an idempotent call that is made again in
   * another turn has another idempotency key. No call passes a barrier that is held.
   */
  mayBeginEarly(name: string, when: "always" | "safe" | "never"): boolean {
    const facts = this.#facts.get(name)
    // A name that is not offered runs nothing.
    const isSafe = facts === undefined || facts.isReadOnly
    const isSequential = facts?.isSequential ?? false
    const isBarred = this.#isBarrierHeld || (isSequential && this.#isAnyHeld)
    if (!isBarred && (when === "always" || (when === "safe" && isSafe))) return true
    this.#isAnyHeld = true
    this.#isBarrierHeld ||= isSequential
    return false
  }

  begin(call: ToolCall.ToolCall): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#begun.push(call)
      return this.batch.add(call)
    })
  }

  /** Begins these calls, and waits for all. */
  settle(late: ReadonlyArray<ToolCall.ToolCall>): Effect.Effect<void, unknown> {
    const begun = Effect.forEach(late, (call) => this.begin(call), { discard: true })
    return late.length === 0 ? this.batch.settled : Effect.zipRight(begun, this.batch.settled)
  }

  /** Whether nothing has begun, and each of these calls begins in the journal before it does anything, or does nothing. */
  isLeftToJournal(late: ReadonlyArray<ToolCall.ToolCall>): boolean {
    const isRecorded = ({ name }: ToolCall.ToolCall) => this.#facts.get(name)?.isReadOnly !== true
    return this.length === 0 && late.length > 0 && late.every(isRecorded)
  }

  /** Those of these calls that were not begun yet. A call that is listed twice is two. */
  missing(calls: ReadonlyArray<ToolCall.ToolCall>): ReadonlyArray<ToolCall.ToolCall> {
    const left = [...this.#begun]
    return calls.filter((call) => takeCall(left, call, identity) === undefined)
  }
}

/** Whether a call is this very one: some servers use an id again within one turn. */
export const isSameCall = (one: ToolCall.ToolCall, other: ToolCall.ToolCall): boolean =>
  one === other ||
  (one.id === other.id && one.name === other.name && canonical(one.arguments) === canonical(other.arguments))

/** Takes the first that is of this call out of the list. */
export const takeCall = <A>(
  left: Array<A>,
  call: ToolCall.ToolCall,
  callOf: (item: A) => ToolCall.ToolCall
): A | undefined => {
  const index = left.findIndex((item) => isSameCall(callOf(item), call))
  return index === -1 ? undefined : left.splice(index, 1)[0]
}
