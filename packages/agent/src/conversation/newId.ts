/**
 * An id that no other process makes and that sorts by time: UUID version 7.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { v7 } from "uuid"

export const newId: Effect.Effect<string> = Effect.map(Clock.currentTimeMillis, (now) => v7({ msecs: now }))
