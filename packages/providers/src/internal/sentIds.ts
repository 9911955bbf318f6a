/**
 * The ids of the calls of a conversation that is being written: each as the API
 * accepts it, and none for two calls.
 */
export class SentIds {
  readonly #accepted: (id: string) => string
  readonly #taken = new Set<string>()

  constructor(accepted: (id: string) => string) {
    this.#accepted = accepted
  }

  /** The id to say a call by: its own where the API takes it and no earlier call has it. */
  make(id: string): string {
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
