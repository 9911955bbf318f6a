/** The events of one run in this process, for readers that come and go. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { RunEvent } from "../RunEvent.js"
import type { Numbered, Position } from "./rpcs.js"

/** How many events are kept for readers that come later, about a long answer. */
const most = 4096

export class Hub {
  #kept: Array<Numbered> = []
  #delivery = 0
  #number = 0
  #isOver = false
  readonly #latch = Effect.unsafeMakeLatch(false)

  /** A run begins, or begins again: its events are counted from 1 again. */
  begin(delivery: number): void {
    this.#delivery = delivery
    this.#number = 0
  }

  publish(event: RunEvent): void {
    this.#kept.push({ delivery: this.#delivery, number: ++this.#number, event })
    if (this.#kept.length > most) this.#kept.splice(0, most / 2)
    this.#wake()
  }

  end(): void {
    this.#isOver = true
    this.#wake()
  }

  #wake(): void {
    this.#latch.unsafeOpen()
    this.#latch.unsafeClose()
  }

  /** What comes after a position, from the first event that is kept. */
  after(position: Position): Stream.Stream<Numbered> {
    return Stream.paginateChunkEffect(position, (last) => this.#read(last))
  }

  #read(last: Position): Effect.Effect<readonly [Chunk.Chunk<Numbered>, Option.Option<Position>]> {
    return Effect.suspend(() => {
      const events = this.#kept.slice(this.#kept.findLastIndex((event) => !isAfter(event, last)) + 1)
      const newest = events.at(-1)
      if (newest !== undefined) return Effect.succeed([Chunk.unsafeFromArray(events), Option.some(newest)] as const)
      return this.#isOver
        ? Effect.succeed([Chunk.empty(), Option.none()] as const)
        : Effect.zipRight(this.#latch.await, this.#read(last))
    })
  }
}

export const isAfter = (one: Position, other: Position): boolean =>
  one.delivery > other.delivery || (one.delivery === other.delivery && one.number > other.number)
