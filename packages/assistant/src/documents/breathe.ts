/** Lets timers and sockets have their turn within a long computation; `yieldNow` would let fibers only. */
import * as Effect from "effect/Effect"

/** In milliseconds of work: other fibers wait little longer, and a timer takes a tenth of it. */
const longest = 10

/** To be run after each step of a computation. It waits only where the steps since the last wait took long. */
export const makeBreathe: Effect.Effect<Effect.Effect<void>> = Effect.sync(() => {
  let since = performance.now()
  return Effect.suspend(() =>
    performance.now() - since < longest
      ? Effect.void
      : Effect.map(Effect.sleep(0), () => void (since = performance.now()))
  )
})
