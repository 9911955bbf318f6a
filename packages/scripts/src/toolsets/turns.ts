/**
 * What was decided when a turn began, for as long as its calls may still run.
 */

/** Turns that are remembered at most; the oldest is forgotten first. */
const capacity = 1000

export class Turns<Decision> {
  readonly #decisions = new Map<string, Decision>()

  get(turn: string): Decision | undefined {
    return this.#decisions.get(turn)
  }

  set(turn: string, decision: Decision): void {
    this.#decisions.set(turn, decision)
    const [oldest] = this.#decisions.keys()
    if (this.#decisions.size > capacity && oldest !== undefined) this.#decisions.delete(oldest)
  }
}
