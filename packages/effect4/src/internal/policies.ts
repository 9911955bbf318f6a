/** Policies of an application on Effect 4 as the runner takes them. */
import {
  type Approval as Approval3,
  Duration as Duration3,
  Effect as Effect3,
  type Policy as Policy3,
  Either as Either3,
  Schedule as Schedule3,
  ScheduleDecision as ScheduleDecision3,
  ScheduleInterval as ScheduleInterval3,
  Approval as Rules3
} from "@wield/effect3"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Decision, Rule } from "../Approval.js"
import type { Limits, Policy } from "../Policy.js"
import { serviceOf } from "./journal.js"
import { into3 } from "./into3.js"

export type RulesByName = ReadonlyMap<string, Rule>

const ruleTo3 =
  (rule: Rule): Approval3.Rule =>
  (request) => {
    const decision: unknown = rule(request)
    // The runner refuses anything else: nothing runs.
    return Effect.isEffect(decision) ? into3(decision as Effect.Effect<Decision>) : (decision as Decision)
  }

/** Of two rules the stricter decision; what a tool says of itself can be tightened, not loosened. */
const both = (rule: Approval3.Rule | undefined, own: Rule | undefined): Approval3.Rule | undefined => {
  if (own === undefined) return rule
  return rule === undefined ? ruleTo3(own) : Rules3.strictest(rule, ruleTo3(own))
}

const approvalOf = (given: unknown, own: RulesByName): Approval3.Rule | Record<string, unknown> | undefined => {
  if (isRule(given)) {
    const rule = ruleTo3(given)
    return own.size === 0 ? rule : (request) => both(rule, own.get(request.name))!(request)
  }
  if (given === undefined && own.size === 0) return undefined
  // The runner says what is wrong with anything else.
  if (given !== undefined && !isRecord(given)) return given as never
  const rules = new Map<string, unknown>(
    Object.entries(given ?? {}).map(([name, rule]) => [name, isRule(rule) ? both(ruleTo3(rule), own.get(name)) : rule])
  )
  const ofOthers = given?.["*"]
  for (const [name, rule] of own) {
    if (!rules.has(name)) rules.set(name, both(isRule(ofOthers) ? ruleTo3(ofOthers) : undefined, rule))
  }
  return Object.fromEntries(rules)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** A policy's function is a rule. */
const isRule = (value: unknown): value is Rule => typeof value === "function"

/** Words that either Effect reads. The runner names what cannot be read. */
const durationOf = (given: Duration.Input | undefined): Duration3.DurationInput | undefined => {
  if (given === undefined || typeof given === "number" || typeof given === "string") {
    // The words of both are the same.
    return given as Duration3.DurationInput | undefined
  }
  return Duration3.millis(Duration.toMillis(Duration.fromInputUnsafe(given)))
}

const limitsOf = (limits: Limits<never>): Policy3.Limits => ({
  timeout: durationOf(limits.timeout),
  retry: limits.retry === undefined ? undefined : scheduleOf(limits.retry),
  concurrency: limits.concurrency,
  rate:
    limits.rate === undefined ? undefined : { calls: limits.rate.calls, window: durationOf(limits.rate.window) ?? 0 },
  cache:
    limits.cache === undefined
      ? undefined
      : {
          timeToLive: durationOf(limits.cache.timeToLive) ?? 0,
          capacity: limits.cache.capacity,
          // Called with the parameters of the tool whose limits these are.
          key: limits.cache.key as ((parameters: unknown) => string) | undefined
        }
})

/** A schedule of Effect 4, asked step by step. */
const scheduleOf = (schedule: NonNullable<Limits["retry"]>): Schedule3.Schedule<unknown, unknown> =>
  Schedule3.makeWithState(undefined as Stepper | undefined, (now, input: unknown, known) =>
    Effect3.gen(function* () {
      const stepper: Stepper = known ?? (yield* into3(Schedule.toStep(schedule)))
      const step = yield* Effect3.either(into3(stepper(now, input)))
      // A schedule fails by being done.
      if (Either3.isLeft(step)) return [stepper, undefined, ScheduleDecision3.done] as const
      const [output, wait] = step.right
      const after = ScheduleInterval3.after(now + Duration.toMillis(wait))
      return [stepper, output, ScheduleDecision3.continueWith(after)] as const
    })
  )

type Stepper = (now: number, input: unknown) => Effect.Effect<[unknown, Duration.Duration], unknown>

const eachOf = (limits: { readonly [name: string]: Limits<never> | undefined }) =>
  Object.fromEntries(
    Object.entries(limits).flatMap(([name, one]) => (one === undefined ? [] : [[name, limitsOf(one)]]))
  )

/** Throws where a value has no counterpart, such as a duration that neither Effect reads. */
const convert = ({ approval, journal, limits, resultBound, ...rest }: Policy, own: RulesByName): Policy3.Policy => ({
  ...rest,
  // The runner looks at what a program without types may have given.
  approval: approvalOf(approval, own) as Policy3.Policy["approval"],
  journal: journal === undefined ? undefined : serviceOf(journal),
  limits:
    limits === undefined
      ? undefined
      : {
          default: limits.default === undefined ? undefined : limitsOf(limits.default),
          // By name: which tools there are is in the toolset's type.
          tools: undefined,
          dynamic: { ...eachOf(limits.dynamic ?? {}), ...eachOf(limits.tools ?? {}) }
        },
  resultBound:
    resultBound === undefined ? undefined : { ...resultBound, timeToLive: durationOf(resultBound.timeToLive) }
})

export const policyTo3 = (policy: Policy, own: RulesByName): Effect3.Effect<Policy3.Policy> =>
  Effect3.sync(() => convert(policy, own))
