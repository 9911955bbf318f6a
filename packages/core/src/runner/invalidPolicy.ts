/**
 * What is wrong with a policy, found where the runner is made: a limit that no
 * call can keep would otherwise be noticed at the first call, or never.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { show } from "../Issue.js"
import { isObject, isPlain } from "../Json.js"
import { hint } from "../NearestNames.js"
import type { Policy } from "../Policy.js"
import { isPrice } from "../Quota.js"
import { InvalidPolicy } from "../ToolsetError.js"
import type { Offer } from "../toolset/model.js"

type Path = ReadonlyArray<string>

/** The first thing that is wrong with a value. */
type Check = (value: unknown, path: Path) => InvalidPolicy | undefined

export const invalidPolicy = (policy: unknown): InvalidPolicy | undefined => wholePolicy(policy, [])

const holds =
  (expected: string, isValid: (value: unknown) => boolean): Check =>
  (value, path) =>
    isValid(value) ? undefined : new InvalidPolicy({ path, expected, received: describe(value) })

/** A number that JSON cannot say is what this is about. */
const describe = (value: unknown): string =>
  Duration.isDuration(value) ? Duration.format(value) : typeof value === "function" ? "a function" : show(value)

const optional =
  (check: Check): Check =>
  (value, path) =>
    value === undefined ? undefined : check(value, path)

/** A Map, a promise or an instance of a class has not all it says as fields of its own: it would protect nothing. */
const fields =
  (checks: { readonly [field: string]: Check }, isRight: typeof isObject = isPlain): Check =>
  (value, path) => {
    if (!isRight(value)) return new InvalidPolicy({ path, expected: "an object", received: describe(value) })
    const unknown = Object.keys(value).find((field) => value[field] !== undefined && !Object.hasOwn(checks, field))
    return unknown === undefined
      ? first(Object.entries(checks), ([field, check]) => check(value[field], [...path, field]))
      : nameProblem([...path, unknown], "an option", Object.keys(checks))
  }

/** What protects must not depend on a name that is spelt right. */
const nameProblem = (path: Path, what: "an option" | "a tool", names: ReadonlyArray<string>): InvalidPolicy => {
  const name = path.at(-1) ?? ""
  const known = hint(name, names)
  return new InvalidPolicy({ path, expected: `named as ${what} is${known}`, received: `named ${show(name)}` })
}

const each =
  (check: Check): Check =>
  (value, path) => {
    if (!isPlain(value)) return new InvalidPolicy({ path, expected: "an object", received: describe(value) })
    return first(Object.entries(value), ([field, item]) => optional(check)(item, [...path, field]))
  }

const list =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? first([...value.entries()], ([index, item]: [number, unknown]) => check(item, [...path, String(index)]))
      : new InvalidPolicy({ path, expected: "a list", received: describe(value) })

const first = <A>(
  items: ReadonlyArray<A>,
  check: (item: A) => InvalidPolicy | undefined
): InvalidPolicy | undefined => {
  for (const item of items) {
    const problem = check(item)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Effect takes what is negative, or no number, for zero. */
const isLongerThanZero = (value: unknown): boolean =>
  Option.exists(Duration.decodeUnknown(value), (duration) => Duration.toMillis(duration) > 0)

const duration = holds("a duration longer than 0", isLongerThanZero)

const finiteDuration = holds(
  "a duration longer than 0 that ends",
  (value) => isLongerThanZero(value) && Option.exists(Duration.decodeUnknown(value), Duration.isFinite)
)

const isCount = (value: unknown): boolean =>
  typeof value === "number" && value >= 1 && (Number.isInteger(value) || value === Infinity)

const count = holds("a whole number of at least 1", isCount)

const isFunction = (value: unknown): boolean => typeof value === "function"

const rule = holds("a function that decides", isFunction)

const oneRule = holds("a function that decides, or one for each tool by name", isFunction)

const rules: Check = (value, path) => {
  if (!isPlain(value)) return oneRule(value, path)
  const { "*": others, ...byName } = value
  return each(rule)(byName, path) ?? optional(rules)(others, [...path, "*"])
}

const limits = fields({
  timeout: optional(duration),
  retry: optional(holds("a Schedule", Schedule.isSchedule)),
  concurrency: optional(count),
  rate: optional(fields({ calls: count, window: finiteDuration })),
  cache: optional(
    fields({ timeToLive: duration, capacity: optional(count), key: optional(holds("a function", isFunction)) })
  )
})

const flag = holds("true or false", (value) => typeof value === "boolean")

const places = ["input", "output", "result"]

/** An empty list would protect nothing. */
const isListOf =
  (isOne: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length > 0 && value.every(isOne)

const guardFields = {
  name: holds("a name", (value) => typeof value === "string" && value !== ""),
  on: optional(
    holds(
      'a list of "input", "output" and "result", at least one',
      isListOf((place) => places.some((other) => other === place))
    )
  ),
  check: holds("a function that decides", isFunction),
  mode: optional(holds('"block" or "report"', (value) => value === "block" || value === "report")),
  timeout: optional(duration)
}

/** It may be of a class: nothing copies it. */
const guard = fields(guardFields, isObject)

const amount = holds("a number above 0", (value) => typeof value === "number" && value > 0)

const price = holds("a price, such as { input: 2, output: 8 }", isPrice)

const quotaFields = fields({
  name: holds("a name", (value) => typeof value === "string" && value !== ""),
  by: holds("a function of the call context", isFunction),
  window: finiteDuration,
  tools: optional(
    holds(
      "a list of names, at least one",
      isListOf((name) => typeof name === "string")
    )
  ),
  calls: optional(count),
  concurrency: optional(count),
  tokens: optional(amount),
  cost: optional(fields({ limit: amount, prices: each(price), other: optional(price) }))
})

const quota: Check = (value, path) =>
  quotaFields(value, path) ??
  (isObject(value) && ["calls", "concurrency", "tokens", "cost"].every((limit) => value[limit] === undefined)
    ? new InvalidPolicy({ path, expected: "a quota of calls, concurrency, tokens or cost", received: describe(value) })
    : undefined)

const operations = ["begin", "finish", "interrupt", "abandon"]

const wholePolicy = fields({
  approval: optional(rules),
  limits: optional(
    fields({ default: optional(limits), tools: optional(each(limits)), dynamic: optional(each(limits)) })
  ),
  concurrency: optional(count),
  journal: optional(
    holds("a Journal.Service", (value) => isObject(value) && operations.every((name) => isFunction(value[name])))
  ),
  repeatGuard: optional(holds("false, or a whole number of at least 1", (value) => value === false || isCount(value))),
  resultBound: optional(
    fields({
      maxBytes: count,
      headCharacters: optional(count),
      timeToLive: optional(duration),
      readOn: optional(flag),
      capacity: optional(count)
    })
  ),
  guards: optional(list(guard)),
  quotas: optional(list(quota)),
  unknownArguments: optional(holds('"ignore" or "reject"', (value) => value === "ignore" || value === "reject")),
  argumentBound: optional(fields({ maxCharacters: optional(count), maxDepth: optional(count) })),
  observe: optional(
    fields({
      arguments: optional(flag),
      results: optional(flag),
      messages: optional(flag),
      redact: optional(holds("a function of a text", isFunction)),
      causes: optional(flag)
    })
  )
})

/** Names in a policy that no tool has. Where tools come and go, one may come under the name later. */
export const unknownNames = ({ approval, limits, quotas = [] }: Policy, offer: Offer): ReadonlyArray<InvalidPolicy> => {
  const names = [...offer.entries.keys(), ...offer.withheld]
  const named: ReadonlyArray<Path> = [
    ...namesOf(approval).map((path) => ["approval", ...path]),
    ...namesOf(limits?.tools).map((path) => ["limits", "tools", ...path]),
    ...namesOf(limits?.dynamic).map((path) => ["limits", "dynamic", ...path]),
    ...quotas.flatMap(({ tools = [] }, index) => tools.map((name) => ["quotas", String(index), "tools", name]))
  ]
  return named.filter((path) => !names.includes(path.at(-1) ?? "")).map((path) => nameProblem(path, "a tool", names))
}

const namesOf = (byName: unknown): ReadonlyArray<Path> =>
  isObject(byName)
    ? Object.entries(byName).flatMap(([name, entry]) =>
        entry === undefined ? [] : name === "*" ? namesOf(entry).map((path) => ["*", ...path]) : [[name]]
      )
    : []
