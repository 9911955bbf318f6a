/**
 * The calls of a conversation that is being written for an API whose results
 * name their tool, and in which calls need not have ids.
 */
import type { Turn } from "@wield/core"
import { OpenCalls } from "./openCalls.js"
import { SentIds } from "./sentIds.js"

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

  /** A call that is said anew. Where the API that it came from had no ids, it has none here either. */
  say(part: Turn.CallPart, name: string): NamedCall {
    const said = { name, nativeId: part.nativeId === undefined ? undefined : this.#ids.make(part) }
    this.#open.put(part.call.id, said)
    return said
  }

  /** A call of a message that is put back as it stood. */
  keep({ call, nativeId, nativeName }: Turn.CallPart): void {
    if (nativeId !== undefined) this.#ids.take(nativeId)
    this.#open.put(call.id, { name: nativeName, nativeId })
  }

  /** The first call of this id that has no result yet. */
  answer(id: string): NamedCall | undefined {
    return this.#open.answer(id)
  }
}
