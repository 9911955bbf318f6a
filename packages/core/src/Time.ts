/** A clock that cannot be set, and turns of the event loop. */
import type { Clock } from "effect"
import * as Effect from "effect/Effect"
import { canWait, withFiber } from "./Fibers.js"

/**
 * Milliseconds of a clock that only runs forward. The time of day can be set
 * back; a duration measured by this clock is never wrong for that.
 *
 * @category accessors
 */
export const unsafeMonotonic = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1_000_000

/**
 * Milliseconds of a clock that only runs forward, as `unsafeMonotonic`, by the
 * clock of the fiber.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Time } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
 *   Effect.gen(function* () {
 *     const started = yield* Time.monotonic
 *     const value = yield* effect
 *     return { value, milliseconds: (yield* Time.monotonic) - started }
 *   })
 * assert.ok(Effect.runSync(timed(Effect.succeed("done"))).milliseconds >= 0)
 * ```
 *
 * @category accessors
 */
export const monotonic: Effect.Effect<number> = Effect.map(Effect.clock, unsafeMonotonic)

/** What Node has, and a browser may not: the package is compiled without the types of either. */
interface Immediates {
  readonly clearImmediate?: (immediate: unknown) => void
  readonly setImmediate?: (wake: () => void) => unknown
}

// What stands under these names is what Node documents.
const { clearImmediate, setImmediate } = globalThis as Immediates

/** A runtime without `setImmediate`, such as a browser, has timers. */
const soon: (wake: () => void) => () => void =
  setImmediate !== undefined && clearImmediate !== undefined
    ? (wake) => {
        const immediate = setImmediate(wake)
        return () => clearImmediate(immediate)
      }
    : (wake) => {
        const timer = setTimeout(wake, 0)
        return () => clearTimeout(timer)
      }

/**
 * Gives way to the event loop: timers and sockets come first, then the fiber
 * goes on. `Effect.yieldNow` gives way to other fibers only.
 *
 * @category scheduling
 */
export const nextTurn: Effect.Effect<void> = Effect.async((resume) => {
  const cancel = soon(() => resume(Effect.void))
  return Effect.sync(cancel)
})

/** In milliseconds of work: others wait little longer, and a turn takes a tenth of it. */
const longestWork = 10

/**
 * Makes an effect to be run after each step of a long computation: it gives way to the event loop where the steps since
 * the last time took long, and the fiber can wait.
 *
 * @category scheduling
 */
export const makeBreathe: Effect.Effect<Effect.Effect<void>> = withFiber((fiber) => {
  if (!canWait(fiber)) return Effect.succeed(Effect.void)
  let since = performance.now()
  return Effect.succeed(
    Effect.suspend(() =>
      performance.now() - since < longestWork
        ? Effect.void
        : Effect.map(nextTurn, () => void (since = performance.now()))
    )
  )
})

export {
  /**
   * @category scheduling
   */
  canWait
} from "./Fibers.js"
