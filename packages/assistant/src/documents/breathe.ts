/** Lets timers and sockets have their turn within a long computation; `yieldNow` would let fibers only. */
import * as Effect from "effect/Effect"

export const breathe: Effect.Effect<void> = Effect.sleep(0)
