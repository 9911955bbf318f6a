/** Quotas of calls by a key of the call context: how many begin, and how many run at once. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { isYes } from "../Options.js"
import { Limited, type Outcome } from "../Outcome.js"
import { describe, keyOf, type Quota, startOf, userOf } from "../Quota.js"
import type { Execution } from "./execution.js"

/** The calls at once of each quota and user that has any. */
export type Gates = Map<string, Gate>

interface Gate {
  readonly permits: Effect.Semaphore
  users: number
}

const quotasFor = ({ entry, machine, run, values }: Execution): ReadonlyArray<readonly [quota: Quota, key: string]> =>
  (machine.policy.quotas ?? []).flatMap((quota): ReadonlyArray<readonly [quota: Quota, key: string]> => {
    if (quota.tools !== undefined && !quota.tools.includes(entry.definition.name)) return []
    const key = userOf(quota, values, { run: run.id })
    return key === undefined ? [] : [[quota, key]]
  })

/** Counts a call under each of its quotas, or ends it as `Limited` by the first that is used up. */
export const countCall = (execution: Execution): Effect.Effect<Outcome | undefined> | undefined => {
  const quotas = quotasFor(execution).filter(([{ calls }]) => calls !== undefined)
  return quotas.length === 0 ? undefined : Effect.suspend(() => countFrom(execution, quotas, 0))
}

const countFrom = (
  execution: Execution,
  quotas: ReadonlyArray<readonly [Quota, string]>,
  index: number
): Effect.Effect<Outcome | undefined> => {
  const [quota, key] = quotas[index] ?? []
  if (quota?.calls === undefined || key === undefined) return Effect.succeed(undefined)
  const { calls } = quota
  const { call, clock, machine, notes } = execution
  const window = Duration.toMillis(quota.window)
  // A store that cannot be reached lets nothing through: the call ends as a defect.
  return Effect.flatMap(Effect.orDie(machine.counts.add(keyOf(quota, "calls", key), window, 1, calls)), (isAdded) => {
    if (isYes(isAdded, "`add` of the counts of quotas")) return countFrom(execution, quotas, index + 1)
    const now = clock.unsafeCurrentTimeMillis()
    const retryAfter = Math.max(1, Math.ceil(startOf(window, now) + window - now))
    const limit = describe(quota, calls, calls === 1 ? "call" : "calls")
    return Effect.succeed(new Limited({ call, notes, limit, retryAfter }))
  })
}

/** An effect that waits until each of the call's quotas has room for it; nothing where none limits how many run at once. */
export const gateOf = (
  execution: Execution
): (<A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>) | undefined => {
  const { gates, policy } = execution.machine
  if (policy.quotas === undefined) return undefined
  const quotas = quotasFor(execution).filter(([{ concurrency }]) => concurrency !== undefined)
  if (quotas.length === 0) return undefined
  return (effect) =>
    quotas.reduceRight(
      (inner, [quota, user]) =>
        within(gates, JSON.stringify([policy.quotas?.indexOf(quota), user]), quota.concurrency ?? 1, inner),
      effect
    )
}

const within = <A, E>(
  gates: Gates,
  key: string,
  concurrency: number,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const gate = gates.get(key) ?? { permits: Effect.unsafeMakeSemaphore(concurrency), users: 0 }
      gates.set(key, gate)
      gate.users++
      return gate
    }),
    ({ permits }) => permits.withPermits(1)(effect),
    (gate) =>
      Effect.sync(() => {
        if (--gate.users === 0) gates.delete(key)
      })
  )
