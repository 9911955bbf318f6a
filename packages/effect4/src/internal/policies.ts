/** Policies of an application on Effect 4 as the runner takes them. */
import {
  type Approval as Approval3,
  type ContextWindow as ContextWindow3,
  Duration as Duration3,
  Effect as Effect3,
  Json as Json3,
  type Policy as Policy3,
  Either as Either3,
  Redacted as Redacted3,
  Schedule as Schedule3,
  ScheduleDecision as ScheduleDecision3,
  ScheduleInterval as ScheduleInterval3,
  Approval as Rules3
} from "@wield/effect3"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type { Decision, Rule } from "../Approval.js"
import type { Summariser } from "../ContextWindow.js"
import type { Limits, Policy } from "../Policy.js"
import type { Journal } from "../Journal.js"
import { serviceOf } from "./journal.js"
import { summariserTo3 } from "./stops.js"
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
const both = (rule: Rule | undefined, own: Rule | undefined): Approval3.Rule | undefined => {
  if (rule === undefined || own === undefined) return rule === undefined ? own && ruleTo3(own) : ruleTo3(rule)
  return Rules3.strictest(ruleTo3(rule), ruleTo3(own))
}

/** The rule of a tool, as the runner finds it. */
const ruleFor = (given: unknown, name: string): Rule | undefined => {
  if (isRule(given) || !Json3.isPlain(given)) return isRule(given) ? given : undefined
  const rule = Object.hasOwn(given, name) ? given[name] : undefined
  return isRule(rule) ? rule : ruleFor(given["*"], name)
}

/** The runner says what is wrong with anything that is no rule. */
const rulesTo3 = (given: unknown): unknown =>
  isRule(given)
    ? ruleTo3(given)
    : Json3.isPlain(given)
      ? Object.fromEntries(Object.entries(given).map(([name, rule]) => [name, rulesTo3(rule)]))
      : given

const approvalOf = (given: unknown, own: RulesByName): unknown => {
  if (own.size === 0) return rulesTo3(given)
  if (isRule(given)) {
    const rules = new Map(Array.from(own, ([name, rule]) => [name, both(given, rule)]))
    const ofOthers = ruleTo3(given)
    return (request: Approval3.Request) => (rules.get(request.name) ?? ofOthers)(request)
  }
  const all = given === undefined ? {} : rulesTo3(given)
  if (!Json3.isPlain(all)) return all
  const named = Array.from(
    own,
    ([name, rule]) =>
      [name, all[name] === undefined || isRule(all[name]) ? both(ruleFor(given, name), rule) : all[name]] as const
  )
  return { ...all, ...Object.fromEntries(named) }
}

/** A policy's function is a rule. */
const isRule = (value: unknown): value is Rule => typeof value === "function"

/** What Effect 4 cannot read goes on as it is: who takes it says what is wrong. */
export const durationTo3 = (given: Duration.Input): Duration3.DurationInput =>
  Option.match(Duration.fromInput(given), {
    onSome: (duration) => Duration3.millis(Duration.toMillis(duration)),
    // Who takes it looks at it.
    onNone: () => given as Duration3.DurationInput
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

type Change = (value: unknown, owner: object) => unknown

/** Changes fields that are given. All else goes on as it is: the runner names what a program without types may have given. */
const change =
  (changes: { readonly [field: string]: Change }): Change =>
  (given) => {
    if (!Json3.isObject(given) || given instanceof Promise) return given
    const fields = Object.entries(changes).flatMap(([name, one]) =>
      given[name] === undefined ? [] : [[name, { value: one(given[name], given), enumerable: true }]]
    )
    // A guard may be of a class, which may be frozen.
    return Object.create(Object.getPrototypeOf(given), {
      ...Object.getOwnPropertyDescriptors(given),
      ...Object.fromEntries(fields)
    })
  }

const list =
  (one: Change): Change =>
  (given, owner) =>
    Array.isArray(given) ? given.map((item) => one(item, owner)) : given

const byName =
  (one: Change): Change =>
  (given) =>
    Json3.isPlain(given)
      ? Object.fromEntries(Object.entries(given).map(([name, item]) => [name, one(item, given)]))
      : given

/** Where it is no duration, what reads it says so. */
const duration: Change = (given) => durationTo3(given as Duration.Input)

const limits = change({
  timeout: duration,
  rate: change({ window: duration }),
  cache: change({ timeToLive: duration }),
  // Failures of handlers go into it, of whatever type.
  retry: (given) => (Schedule.isSchedule(given) ? scheduleOf(given as NonNullable<Limits["retry"]>) : given)
})

const asItIs: Change = (given) => given

const guard = change({
  // What a class gives may need what only its own instances have.
  name: asItIs,
  on: asItIs,
  mode: asItIs,
  timeout: duration,
  check: (given, owner) =>
    typeof given === "function"
      ? (...about: ReadonlyArray<unknown>) => {
          const decision: unknown = Reflect.apply(given, owner, about)
          // Of a guard, which requires nothing.
          return Effect.isEffect(decision) ? into3(decision as Effect.Effect<unknown>) : decision
        }
      : given
})

export const signingTo3 = change({
  secrets: list((secret) => (Redacted.isRedacted(secret) ? Redacted3.make(Redacted.value(secret)) : secret)),
  timeToLive: duration
})

/** Of what only 4 knows; who takes the options names what is wrong with the rest. */
const options =
  <Options>(changes: { readonly [field: string]: Change }) =>
  (given: object): Options =>
    // As above.
    change(changes)(given, given) as Options

export const windowOptionsTo3 = options<Parameters<typeof ContextWindow3.make>[0]>({
  // What it is made of is looked up.
  overflow: (given) => (given === "drop" ? given : summariserTo3(given as Summariser))
})

export const summaryOptionsTo3 = options<Parameters<typeof ContextWindow3.summarise>[1]>({ timeLimit: duration })

const changePolicy = change({
  approvalTimeout: duration,
  guards: list(guard),
  quotas: list(change({ window: duration })),
  // As of durations.
  journal: (given) => serviceOf(given as Journal),
  limits: change({ default: limits, tools: byName(limits), dynamic: byName(limits) }),
  resultBound: change({ timeToLive: duration })
})

export const policyTo3 = (policy: Policy, own: RulesByName): Effect3.Effect<Policy3.Policy> =>
  Effect3.sync(() => {
    const changed = changePolicy(policy, policy)
    // The runner looks at all of it, before the first call.
    if (!Json3.isPlain(changed)) return changed as Policy3.Policy
    // As above.
    return { ...changed, approval: approvalOf(changed["approval"], own) } as Policy3.Policy
  })
