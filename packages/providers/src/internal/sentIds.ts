/**
 * The ids of the calls of a conversation that is being written. One that came
 * from this API goes back as it is, also where the API used it before. Others
 * are made such that any API takes them: by its rule, and none for two calls.
 */
import type { Turn } from "@wield/core"

export class SentIds {
  readonly #format: string
  readonly #accepted: (id: string) => string
  readonly #taken = new Set<string>()

  constructor(format: string, accepted: (id: string) => string) {
    this.#format = format
    this.#accepted = accepted
  }

  /** The id to say a call by: its own where the API takes it. */
  make({ call: { id }, format, nativeId }: Turn.CallPart): string {
    if (format === this.#format && nativeId !== undefined) return this.take(nativeId)
    let sent = this.#accepted(id)
    // Formats without ids count them anew in every turn.
    for (let attempt = 2; this.#taken.has(sent); attempt++) sent = this.#accepted(`${id}_${attempt}`)
    return this.take(sent)
  }

  /** The id of a call that stands in the history already. */
  take(sent: string): string {
    this.#taken.add(sent)
    return sent
  }
}
