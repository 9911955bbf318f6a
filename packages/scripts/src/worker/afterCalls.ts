/** What is done beside the calls: what they have left behind is ended, and so is what takes too long. */
import * as ProcessTable from "@wield/process/ProcessTable"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import type { Worker } from "./Worker.js"

const interval = 1000

/** Returns what to call after a worker's call. */
export const makeLeftovers: Effect.Effect<(worker: Worker) => void, never, Scope.Scope> = Effect.gen(function* () {
  const called = new Map<string, Worker>()
  let timer: NodeJS.Timeout | undefined

  const look = () => {
    timer = undefined
    const idle = new Map([...called].filter(([, worker]) => worker.needed() !== undefined))
    // One that is busy is looked at when its call is over.
    ProcessTable.killMarked((mark) => idle.get(mark)?.needed())
    for (const mark of idle.keys()) called.delete(mark)
    plan()
  }
  const plan = () => {
    if (timer === undefined && called.size > 0) timer = setTimeout(look, interval).unref()
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      called.clear()
      clearTimeout(timer)
    })
  )
  return (worker) => {
    if (worker.mode !== "fork" && worker.mode !== "reset") return
    called.set(worker.mark, worker)
    plan()
  }
})

/** Returns what to call when a call begins, with what to do when its time is over; that returns what ends the wait. */
export const makeDeadlines = (
  time: Duration.Duration
): Effect.Effect<(exceeded: () => void) => () => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime()
    const clock: Clock.Clock = yield* Effect.clock
    // Of a clock that is never set.
    const now = () => Number(clock.unsafeCurrentTimeNanos()) / 1_000_000
    const allowed = Duration.toMillis(time)
    /** When each call is due, the first first. */
    const due = new Map<object, { readonly at: number; readonly exceeded: () => void }>()
    let waiter: Fiber.RuntimeFiber<void> | undefined
    let isWaiting = false

    const wait: Effect.Effect<void> = Effect.suspend(() => {
      const at = now()
      for (const [key, call] of due) {
        if (call.at > at) return Effect.zipRight(Effect.sleep(call.at - at), wait)
        due.delete(key)
        call.exceeded()
      }
      isWaiting = false
      return Effect.void
    })

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        due.clear()
        return waiter === undefined ? Effect.void : Fiber.interrupt(waiter)
      })
    )
    return (exceeded) => {
      const key = {}
      due.set(key, { at: now() + allowed, exceeded })
      if (Number.isFinite(allowed) && !isWaiting) {
        // The fiber may have begun, and even ended, when it is given.
        isWaiting = true
        waiter = Runtime.runFork(runtime, wait)
      }
      return () => void due.delete(key)
    }
  })
