/**
 * What is wrong with a policy, found where the runner is made: a limit that no
 * call can keep would otherwise be noticed at the first call, or never.
 */
import * as Schedule from "effect/Schedule"
import { aGuard } from "../Guard.js"
import { isObject, isPlain } from "../Json.js"
import {
  aCount,
  aDuration,
  aFiniteDuration,
  aFlag,
  aFunction,
  aName,
  type Check,
  type Checks,
  fields,
  holds,
  list,
  oneOf,
  record,
  unknownName
} from "../Options.js"
import type { Policy } from "../Policy.js"
import { isPrice } from "../Quota.js"
import { InvalidPolicy } from "../ToolsetError.js"
import type { Offer } from "../toolset/model.js"

export const invalidPolicy = (policy: unknown): InvalidPolicy | undefined => {
  const problem = wholePolicy(policy)
  return problem && new InvalidPolicy(problem)
}

/** How many: with `Infinity` there is no limit. */
const aLimit = holds("a whole number of at least 1", (value) => value === Infinity || aCount(value) === undefined)

const isFunction = (value: unknown): boolean => typeof value === "function"

const aRule = holds("a function that decides", isFunction)

const oneRule = holds("a function that decides, or one for each tool by name", isFunction)

const rules: Check = (value, path = []) => {
  if (!isPlain(value)) return oneRule(value, path)
  const { "*": others, ...byName } = value
  return record(aRule)(byName, path) ?? (others === undefined ? undefined : rules(others, [...path, "*"]))
}

const cache = fields({ timeToLive: aDuration, capacity: aLimit, key: aFunction }, ["timeToLive"])

const limits = fields({
  timeout: aDuration,
  retry: holds("a Schedule", Schedule.isSchedule),
  concurrency: aLimit,
  rate: fields({ calls: aLimit, window: aFiniteDuration }, ["calls", "window"]),
  cache
})

/** An empty list would limit nothing. */
const isListOf =
  (isOne: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length > 0 && value.every(isOne)

const anAmount = holds("a number above 0", (value) => typeof value === "number" && value > 0)

const aPrice = holds("a price, such as { input: 2, output: 8 }", isPrice)

const quotaFields = fields(
  {
    name: aName,
    by: holds("a function of the call context", isFunction),
    window: aFiniteDuration,
    tools: holds(
      "an array of names, at least one",
      isListOf((name) => typeof name === "string")
    ),
    calls: aLimit,
    concurrency: aLimit,
    tokens: anAmount,
    cost: fields({ limit: anAmount, prices: record(aPrice), other: aPrice }, ["limit", "prices"])
  },
  ["name", "by", "window"]
)

const limitsOne = holds(
  "a quota of calls, concurrency, tokens or cost",
  (value) => isObject(value) && ["calls", "concurrency", "tokens", "cost"].some((limit) => value[limit] !== undefined)
)

const operations = ["begin", "finish", "interrupt", "abandon"]

const wholePolicy = fields({
  approval: rules,
  approvalTimeout: aDuration,
  limits: fields({ default: limits, tools: record(limits), dynamic: record(limits) }),
  concurrency: aLimit,
  journal: holds(
    "a Journal.Service",
    (value) => isObject(value) && operations.every((name) => isFunction(value[name]))
  ),
  repeatGuard: holds(
    "false, or a whole number of at least 1",
    (value) => value === false || aLimit(value) === undefined
  ),
  resultBound: fields(
    { maxBytes: aLimit, headCharacters: aLimit, timeToLive: aDuration, readOn: aFlag, capacity: aLimit },
    ["maxBytes"]
  ),
  guards: list(aGuard),
  quotas: list((value, path) => quotaFields(value, path) ?? limitsOne(value, path)),
  unknownArguments: oneOf("ignore", "reject"),
  argumentBound: fields({ maxCharacters: aLimit, maxDepth: aLimit }),
  observe: fields({
    arguments: aFlag,
    results: aFlag,
    messages: aFlag,
    redact: holds("a function of a text", isFunction),
    causes: aFlag
  })
} satisfies Checks<Policy>)

/** Names in a policy that no tool has. Where tools come and go, one may come under the name later. */
export const unknownNames = ({ approval, limits, quotas = [] }: Policy, offer: Offer): ReadonlyArray<InvalidPolicy> => {
  const names = [...offer.entries.keys(), ...offer.withheld.keys()]
  const named: ReadonlyArray<ReadonlyArray<string>> = [
    ...namesOf(approval).map((path) => ["approval", ...path]),
    ...namesOf(limits?.tools).map((path) => ["limits", "tools", ...path]),
    ...namesOf(limits?.dynamic).map((path) => ["limits", "dynamic", ...path]),
    ...quotas.flatMap(({ tools = [] }, index) => tools.map((name) => ["quotas", String(index), "tools", name]))
  ]
  return named
    .filter((path) => !names.includes(path.at(-1) ?? ""))
    .map((path) => new InvalidPolicy(unknownName(path, "a tool", names)))
}

const namesOf = (byName: unknown): ReadonlyArray<ReadonlyArray<string>> =>
  isObject(byName)
    ? Object.entries(byName).flatMap(([name, entry]) =>
        entry === undefined ? [] : name === "*" ? namesOf(entry).map((path) => ["*", ...path]) : [[name]]
      )
    : []
