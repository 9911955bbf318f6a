/**
 * Which calls of a turn begin while the model still streams, and which once the
 * turn is recorded. The runner's batch has the barriers and limits.
 */
import type { ToolCall, ToolDefinition, ToolRunner, Toolset, Turn, TurnEvent } from "@wield/core"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type { Entry } from "../Conversation.js"
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

/**
 * Gives each call of a turn an id that no other call of the conversation has: many servers count theirs again in each
 * response, and some use one again within it. One call sent twice has one id. What they are sent back is the `nativeId`,
 * which stays.
 */
export class CallIds {
  #taken: Set<string> | undefined
  /** By the places of the calls; `undefined` while only its arguments can tell whether it was sent before. */
  readonly #started = new Map<number, string | undefined>()
  /** The ids of the server that this turn has had. */
  readonly #sent = new Set<string>()
  /** By what the server sent. */
  readonly #given = new Map<string, string>()

  constructor(readonly entries: ReadonlyArray<Entry>) {}

  /** `undefined` where a call has begun that may be one of those before. */
  withOwn(event: TurnEvent.TurnEvent): TurnEvent.TurnEvent | undefined {
    switch (event._tag) {
      case "CallStarted": {
        const id = this.#sent.has(event.id) ? undefined : this.#give(event.id)
        this.#started.set(event.index, id)
        return id === undefined ? undefined : id === event.id ? event : { ...event, id }
      }
      case "ArgumentsDelta":
        return this.#started.has(event.index) && this.#started.get(event.index) === undefined ? undefined : event
      case "CallComplete": {
        const part = withId(event.part, this.#idOf(event.part.call, this.#started.get(event.index)))
        return part === event.part ? event : { ...event, part }
      }
      case "Finished": {
        const parts = event.turn.parts.map((part) =>
          part._tag !== "Call" || part.executedBy === "provider" ? part : withId(part, this.#idOf(part.call))
        )
        const isSame = parts.every((part, index) => part === event.turn.parts[index])
        return isSame ? event : { ...event, turn: { ...event.turn, parts } }
      }
      default:
        return event
    }
  }

  #idOf({ arguments: args, id, name }: ToolCall.ToolCall, started?: string): string {
    const key = canonical([id, name, args])
    const own = this.#given.get(key) ?? started ?? this.#give(id)
    this.#given.set(key, own)
    return own
  }

  #give(id: string): string {
    this.#sent.add(id)
    const taken = (this.#taken ??= callIdsOf(this.entries))
    let own = id
    for (let count = 2; taken.has(own); count++) own = `${id}_${count}`
    taken.add(own)
    return own
  }
}

const withId = (part: Turn.CallPart, id: string): Turn.CallPart =>
  part.call.id === id ? part : { ...part, call: { ...part.call, id } }

const callIdsOf = (entries: ReadonlyArray<Entry>): Set<string> => {
  const ids = new Set<string>()
  for (const { message } of entries) {
    if (message._tag !== "Assistant") continue
    for (const part of message.parts) if (part._tag === "Call") ids.add(part.call.id)
  }
  return ids
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
