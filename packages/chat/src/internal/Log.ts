/** The events of one run, kept while it goes on, so that a page that comes back reads it from its start. */

/** About as many bytes as a run may keep. Of a longer one, who comes late or falls behind learns that it is cut. */
const limit = 8_000_000

export class Log<Event> {
  /** Resolves when the run is over. */
  readonly over: Promise<void>
  readonly #events: Array<Event> = []
  readonly #sizes: Array<number> = []
  readonly #wake = new Set<() => void>()
  #end: () => void = () => {}
  #bytes = 0
  #dropped = 0
  #isOver = false

  constructor() {
    this.over = new Promise((resolve) => (this.#end = resolve))
  }

  get isOver(): boolean {
    return this.#isOver
  }

  push(event: Event, bytes: number): void {
    if (this.#isOver) return
    this.#events.push(event)
    this.#sizes.push(bytes)
    this.#bytes += bytes
    // Half goes at a time: one by one would move all others each time. The last stays, which no reader has had.
    if (this.#bytes > limit) {
      let gone = 0
      while (this.#bytes > limit / 2 && gone < this.#events.length - 1) this.#bytes -= this.#sizes[gone++] ?? 0
      this.#events.splice(0, gone)
      this.#sizes.splice(0, gone)
      this.#dropped += gone
    }
    this.#notify()
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#end()
    this.#notify()
  }

  /** The event of this number, from 0; `"over"` behind the last one, `"gone"` where it is kept no longer. */
  read(number: number): Event | "over" | "gone" | Promise<void> {
    if (number < this.#dropped) return "gone"
    const event = this.#events[number - this.#dropped]
    if (event !== undefined) return event
    return this.#isOver ? "over" : new Promise((resolve) => this.#wake.add(resolve))
  }

  /** Those who wait read again. */
  #notify(): void {
    const all = [...this.#wake]
    this.#wake.clear()
    for (const wake of all) wake()
  }
}
