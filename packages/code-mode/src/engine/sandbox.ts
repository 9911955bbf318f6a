/** One program in a thread: it is begun, given outcomes, and says which calls it makes. */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Delivery, Head } from "../program/record.js"
import type { Bounds, LimitName } from "./limits.js"
import type { Thread } from "./Thread.js"
import type { Threads } from "./Threads.js"

/** How a program's own work ended. */
export type End =
  | { readonly json: string }
  | { readonly limit: LimitName; readonly bytes?: number }
  | { readonly diverged: string }

export interface Report {
  /** Number, tool and arguments of the calls that it has made since the last report. */
  readonly calls: ReadonlyArray<readonly [number: number, tool: string, json: string]>
  /** `undefined` while it waits. */
  readonly end: End | undefined
  /** Milliseconds of computing that are left to it. */
  readonly left: number
}

export interface SandboxedProgram {
  readonly deliver: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<Report>
}

/** A native call that does not look at the time is ended so many milliseconds after it, and so much of it. */
const grace = (milliseconds: number): number => milliseconds * 1.2 + 10

export const startProgram = (
  threads: Threads,
  head: Head,
  bounds: Bounds,
  record: ReadonlyArray<Delivery>
): Effect.Effect<readonly [SandboxedProgram, Report], never, Scope> =>
  Effect.gen(function* () {
    const thread: Thread = yield* threads.take
    let left = bounds.time
    const ask = (message: object): Effect.Effect<Report> =>
      Effect.match(thread.ask(message, grace(left)), {
        onSuccess: (answer) => {
          // The thread is `runtime/sandbox.mjs`.
          const report = answer as Report
          left = report.left
          return report
        },
        onFailure: (limit): Report => ({ calls: [], end: { limit }, left: 0 })
      })
    const { hasThen, script, seed, started } = head
    const { argumentBytes, calls, memory, outputBytes, stack, time } = bounds
    const start = { script, hasThen, seed, started, limits: { argumentBytes, calls, memory, outputBytes, stack, time } }
    const report = yield* ask({ start, deliveries: record })
    return [{ deliver: (deliveries: ReadonlyArray<Delivery>) => ask({ deliveries }) }, report] as const
  })
