/**
 * The calls of a conversation that is being written, by the ids that it has
 * them under, so that each result is sent to its call.
 */
import type { Turn } from "@wield/core"
import type { ChatDialect } from "./ChatDialect.js"

export interface SentCall {
  readonly sentId: string
  readonly nativeName: string
  /** It was made by `function_call`: its result goes under the function's name. */
  readonly isLegacy: boolean
}

export class SentCalls {
  readonly #dialect: ChatDialect
  readonly #taken = new Set<string>()
  readonly #open = new Map<string, Array<SentCall>>()

  constructor(dialect: ChatDialect) {
    this.#dialect = dialect
  }

  /** A call that is said anew: under an id that the API accepts and that no call before it has. */
  say({ id }: Turn.CallPart["call"], nativeName: string): string {
    let sentId = this.#dialect.acceptedId(id)
    // APIs without ids are given ids that count anew in every turn.
    for (let attempt = 2; this.#taken.has(sentId); attempt++) sentId = this.#dialect.acceptedId(`${id}_${attempt}`)
    this.#put(id, { sentId, nativeName, isLegacy: false })
    return sentId
  }

  /** A call of a message that is put back as it stood. */
  keep({ call, nativeId, nativeName }: Turn.CallPart, isLegacy: boolean): void {
    this.#put(call.id, { sentId: nativeId ?? call.id, nativeName, isLegacy })
  }

  /** The first call of this id that has no result yet. */
  answer(id: string): SentCall | undefined {
    return this.#open.get(id)?.shift()
  }

  #put(id: string, call: SentCall): void {
    this.#taken.add(call.sentId)
    const queue = this.#open.get(id)
    if (queue === undefined) this.#open.set(id, [call])
    else queue.push(call)
  }
}
