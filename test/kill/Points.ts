/** The places of a process at which it can be killed. */
import { Context, Effect, Layer } from "effect"
import { writeSync } from "node:fs"
import type { ChildConfig, Point, Told } from "./childConfig.js"

/** One line to the parent, which is there before anything else happens. */
export const tell = (told: Told): Effect.Effect<void> =>
  Effect.sync(() => void writeSync(1, `${JSON.stringify(told)}\n`))

export class Points extends Context.Tag("test/kill/Points")<
  Points,
  { readonly pass: (point: Point) => Effect.Effect<void> }
>() {
  /** Stands still when a point is passed for the given time, from 1. */
  static readonly layer = (stop: ChildConfig["stop"]): Layer.Layer<Points> =>
    Layer.sync(Points, () => {
      let passed = 0
      return {
        pass: (point) =>
          Effect.suspend(() => {
            if (point !== stop?.point || ++passed !== stop.time) return Effect.void
            return Effect.zipRight(tell({ _tag: "Reached" }), standStill)
          })
      }
    })
}

/** No other fiber may go on: the kill has to find the process as it is. */
const standStill = Effect.sync(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
