/**
 * The calls of a conversation that is being written which have no result yet,
 * so that each result is sent to its call. Calls that share an id are answered
 * in their order; no call is answered twice, since APIs refuse that.
 */
export class OpenCalls<A> {
  readonly #open = new Map<string, Array<A>>()

  put(id: string, call: A): void {
    const queue = this.#open.get(id)
    if (queue === undefined) this.#open.set(id, [call])
    else queue.push(call)
  }

  /** The first call of this id that has no result yet. */
  answer(id: string): A | undefined {
    return this.#open.get(id)?.shift()
  }
}
