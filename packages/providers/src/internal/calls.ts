/** The calls of a conversation that is being written: the ids and names under which they are sent, and their results. */
import type { Loss, Message, ToolResult, Turn } from "@wield/core"
import { lossOf } from "./losses.js"
import * as NameMap from "../NameMap.js"

export type CallPairs = ReturnType<typeof callPairs>

export const callPairs = (format: string, rule: NameMap.NameRule) => {
  // Ids are as names are: legal ones stay, others become legal and stay apart.
  const ids = new SentIds(format, NameMap.make([], rule).toNative)
  const open = new OpenCalls<string>()
  return {
    /** The id to send a call by: its own where the API takes it. */
    call: (part: Turn.CallPart) => {
      const native = ids.make(part)
      open.put(part.call.id, native)
      return native
    },
    /** The sent id of the first call of this id without a result; `undefined` if all have one. */
    result: (id: string) => open.take(id),
    /** A call that is in the history already, under the id that it has there. */
    keep: ({ call, nativeId }: Turn.CallPart) => open.put(call.id, ids.take(nativeId ?? call.id))
  }
}

/** Writes results under the ids by which they name their calls. One whose call does not stand before it is a loss. */
export const pairResults = <A>(
  results: ReadonlyArray<ToolResult.ToolResult>,
  { pairs, subject, losses }: { pairs: Pick<CallPairs, "result">; subject: string; losses: Array<Loss.Loss> },
  write: (result: ToolResult.ToolResult, id: string) => A
): ReadonlyArray<A> =>
  results.flatMap((result) => {
    const id = pairs.result(result.id)
    if (id === undefined) losses.push(unpairedResult(subject, result.id))
    return id === undefined ? [] : [write(result, id)]
  })

export const unpairedResult = (subject: string, id: string): Loss.Loss => {
  const reason = `No call ${JSON.stringify(id)} stands before it, and the API refuses a result without one.`
  return lossOf(subject, [id], "result", reason)
}

/** The calls that wait for the application's results. */
export const applicationCalls = (parts: ReadonlyArray<Turn.Part>): ReadonlyArray<Turn.CallPart> =>
  parts.filter((part) => part._tag === "Call").filter((part) => part.executedBy === "application")

/**
 * Which calls of the message at an index may be sent: those with a result before the model or the user speaks again,
 * or all of the last turn.
 */
export const pairedCalls = (messages: ReadonlyArray<Message.Message>): ((index: number) => (id: string) => boolean) => {
  const answers: Array<ReadonlySet<string> | undefined> = []
  let answered: Set<string> | undefined
  for (const [index, message] of [...messages.entries()].toReversed()) {
    if (message._tag === "System") continue
    if (message._tag === "Results") {
      for (const result of message.results) answered?.add(result.id)
      continue
    }
    if (message._tag === "Assistant") answers[index] = answered
    // APIs take messages of the model in a row for one turn (Anthropic), whose results come behind the last of them.
    if (message._tag === "User" || messages[index - 1]?._tag !== "Assistant") answered = new Set()
  }
  return (index) => (id) => answers[index]?.has(id) ?? true
}

/** The calls of a request that wait for a result, found by what a result says of its call. */
export class UnansweredCalls {
  #open = new OpenCalls<Turn.CallPart>()
  readonly #answered = new Set<Turn.CallPart>()

  add(parts: ReadonlyArray<Turn.CallPart>): void {
    for (const part of parts) {
      const { nativeName } = part
      for (const id of new Set([undefined, part.call.id, part.nativeId])) {
        this.#open.put(keyOf(id, undefined), part)
        this.#open.put(keyOf(id, nativeName), part)
      }
    }
  }

  clear(): void {
    this.#open = new OpenCalls()
    this.#answered.clear()
  }

  /** The first call that has this id and this name, where they are given, and no result yet. */
  take(id: string | undefined, name: string | undefined): Turn.CallPart | undefined {
    const key = keyOf(id, name)
    let part = this.#open.take(key)
    while (part !== undefined && this.#answered.has(part)) part = this.#open.take(key)
    if (part !== undefined) this.#answered.add(part)
    return part
  }
}

const keyOf = (id: string | undefined, name: string | undefined): string => JSON.stringify([id ?? null, name ?? null])

/** How a call stands in the history, so that its result names it likewise. */
export interface NamedCall {
  readonly name: string
  /** `undefined` where the history has none: order pairs call and result then. */
  readonly nativeId: string | undefined
}

export class NamedCalls {
  // These APIs state no rule for ids.
  readonly #ids: SentIds
  readonly #open = new OpenCalls<NamedCall>()

  constructor(format: string) {
    this.#ids = new SentIds(format, (id) => id)
  }

  /** A call that is re-encoded. Where the API that it came from had no ids, it has none here either. */
  call(part: Turn.CallPart, name: string): NamedCall {
    const said = { name, nativeId: part.nativeId === undefined ? undefined : this.#ids.make(part) }
    this.#open.put(part.call.id, said)
    return said
  }

  /** A call of a message that is put back as it stood. */
  keep({ call, nativeId, nativeName }: Turn.CallPart): void {
    if (nativeId !== undefined) this.#ids.take(nativeId)
    this.#open.put(call.id, { name: nativeName, nativeId })
  }

  result(id: string): NamedCall | undefined {
    return this.#open.take(id)
  }
}

/** The calls that have no result yet. Calls that share an id are answered in order, each once. */
export class OpenCalls<A> {
  readonly #open = new Map<string, { readonly calls: Array<A>; taken: number }>()

  put(id: string, call: A): void {
    const queue = this.#open.get(id)
    if (queue === undefined) this.#open.set(id, { calls: [call], taken: 0 })
    else queue.calls.push(call)
  }

  /** The first call of this id that has no result yet. */
  take(id: string): A | undefined {
    const queue = this.#open.get(id)
    // To shift a long queue takes as long as it is.
    return queue === undefined || queue.taken === queue.calls.length ? undefined : queue.calls[queue.taken++]
  }

  all(): ReadonlyArray<A> {
    return [...this.#open.values()].flatMap(({ calls, taken }) => calls.slice(taken))
  }
}

export class SentIds {
  readonly #taken = new Set<string>()
  /** How often an id was made for calls of this one, of which there may be any number. */
  readonly #attempts = new Map<string, number>()

  constructor(
    private readonly format: string,
    private readonly accepted: (id: string) => string
  ) {}

  /** The id to send a call by: its own where the API takes it. */
  make({ call: { id }, format, nativeId }: Turn.CallPart): string {
    if (format === this.format && nativeId !== undefined) return this.take(nativeId)
    let attempt = this.#attempts.get(id) ?? 1
    let sent = this.accepted(attempt === 1 ? id : `${id}_${attempt}`)
    // Formats without ids count from zero in every turn.
    while (this.#taken.has(sent)) sent = this.accepted(`${id}_${++attempt}`)
    this.#attempts.set(id, attempt)
    return this.take(sent)
  }

  /** The id of a call that stands in the history already. */
  take(sent: string): string {
    this.#taken.add(sent)
    return sent
  }
}
