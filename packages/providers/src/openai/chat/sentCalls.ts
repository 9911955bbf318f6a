/**
 * The calls of a conversation that is being written, by the ids that it has
 * them under, so that each result is sent to its call.
 */
import type { Turn } from "@wield/core"
import { OpenCalls } from "../../internal/openCalls.js"
import { SentIds } from "../../internal/sentIds.js"
import type { ChatDialect } from "./ChatDialect.js"

export interface SentCall {
  readonly sentId: string
  readonly nativeName: string
  /** It was made by `function_call`: its result goes under the function's name. */
  readonly isLegacy: boolean
}

export class SentCalls {
  readonly #ids: SentIds
  readonly #open = new OpenCalls<SentCall>()

  constructor(dialect: ChatDialect) {
    this.#ids = new SentIds(dialect.name, dialect.acceptedId)
  }

  /** A call that is said anew: under an id that the API accepts. */
  say(part: Turn.CallPart, nativeName: string): string {
    const sentId = this.#ids.make(part)
    this.#open.put(part.call.id, { sentId, nativeName, isLegacy: false })
    return sentId
  }

  /** A call of a message that is put back as it stood. */
  keep({ call, nativeId, nativeName }: Turn.CallPart, isLegacy: boolean): void {
    this.#open.put(call.id, { sentId: this.#ids.take(nativeId ?? call.id), nativeName, isLegacy })
  }

  /** The first call of this id that has no result yet. */
  answer(id: string): SentCall | undefined {
    return this.#open.answer(id)
  }
}
