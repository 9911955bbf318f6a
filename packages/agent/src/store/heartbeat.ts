/** That a process is still at its calls, written down for others, and how they tell that it is no more. */
import type * as Journal from "@wield/core/Journal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"

/** How often a call of another process is looked at: soon at first, each half second in the end. */
export const looks = Schedule.union(Schedule.exponential("20 millis", 1.5), Schedule.spaced("500 millis"))

interface System {
  readonly pid: number
  readonly kill: (pid: number, signal: 0) => boolean
  readonly getBuiltinModule?: (name: string) => { readonly hostname: () => string } | undefined
}

/** No import, so that runtimes other than Node's need none. */
const system = (globalThis as { readonly process?: System }).process

const host = system?.getBuiltinModule?.("node:os")?.hostname()

/** This process; `null` where it has no name that tells it from others. */
export const owner: string | null = host === undefined ? null : `${system?.pid}@${host}`

/** Whether the process is known to be no more. Of one on another machine nothing is known. */
export const isGone = (name: string | null): boolean => {
  const at = name?.indexOf("@") ?? -1
  if (name === null || at === -1 || name.slice(at + 1) !== host) return false
  try {
    system?.kill(Number(name.slice(0, at)), 0)
    return false
  } catch (error) {
    // The process of another user cannot be asked, but exists.
    return (error as { readonly code?: unknown }).code === "ESRCH"
  }
}

/** How often this process writes that it is handling a call. */
const interval = "2 seconds"

/** Milliseconds without a word after which a process counts as dead. */
export const silence = 10_000

/** Both take note at once; their effects are to be run. */
export interface Heartbeat {
  readonly begin: (key: Journal.Key) => Effect.Effect<void>
  /** Does nothing for a call that another process has begun. */
  readonly end: (key: Journal.Key) => Effect.Effect<void>
  /** Says nothing more of calls that were never ended. */
  readonly stop: Effect.Effect<void>
}

export const makeHeartbeat = (
  beat: (keys: ReadonlyArray<Journal.Key>) => Effect.Effect<unknown, unknown>
): Heartbeat => {
  const begun = new Map<string, Journal.Key>()
  let beating: Fiber.Fiber<unknown, unknown> | undefined
  const nameOf = ({ call, digest, run }: Journal.Key) => `${run.length}:${run}${digest}${call}`
  const loop = Effect.sleep(interval).pipe(
    Effect.zipRight(Effect.suspend(() => beat([...begun.values()]))),
    // A beat that is missed is followed by another one.
    Effect.ignore,
    Effect.forever,
    // Nothing of the call that happened to be the first: it may be within a transaction.
    Effect.mapInputContext<never, never>(() => Context.empty())
  )
  const stop = Effect.suspend(() => {
    if (beating === undefined) return Effect.void
    const fiber = beating
    beating = undefined
    return Fiber.interruptFork(fiber)
  })
  return {
    stop,
    begin: (key) => {
      begun.set(nameOf(key), key)
      return beating === undefined
        ? Effect.map(Effect.forkDaemon(Effect.interruptible(loop)), (fiber) => void (beating = fiber))
        : Effect.void
    },
    end: (key) =>
      begun.delete(nameOf(key)) && begun.size === 0
        ? Effect.suspend(() => (begun.size === 0 ? stop : Effect.void))
        : Effect.void
  }
}
