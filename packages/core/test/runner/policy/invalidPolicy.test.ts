/**
 * A policy of a program without types, or read from a configuration: what no
 * call could keep to is told where the runner is made.
 */
import { describe, expect, it } from "@effect/vitest"
import { Approval, Guard, InvalidPolicy, Journal, type Policy, ToolRunner } from "@wield/core"
import { Duration, Effect, Schedule, Schema } from "effect"
import { jobs } from "../../tools/Job.js"

/** What the types exclude. */
const untyped = (value: unknown): Policy.Policy => value as Policy.Policy

const made = (policy: Policy.Policy) =>
  Effect.flatMap(jobs(Effect.succeed), (toolset) => ToolRunner.make(toolset, policy))

const limited = (limits: unknown) => untyped({ limits: { default: limits } })

const aDuration = "a duration longer than 0"
const aCount = "a whole number of at least 1"

class Limits {
  get timeout() {
    return 1
  }
}

const aMap = "an instance of Map"
const aRule = "a function that decides, or one for each tool by name"

const wrong: ReadonlyArray<readonly [path: string, policy: Policy.Policy, expected: string, received: string]> = [
  ["limits.default.timeout", limited({ timeout: -5 }), aDuration, "-5"],
  ["limits.default.timeout", limited({ timeout: 0 }), aDuration, "0"],
  ["limits.default.timeout", limited({ timeout: Number.NaN }), aDuration, "NaN"],
  ["limits.default.timeout", limited({ timeout: "-5 seconds" }), aDuration, '"-5 seconds"'],
  ["limits.default.timeout", limited({ timeout: "5 sekunden" }), aDuration, '"5 sekunden"'],
  ["limits.default.timeout", limited({ timeout: Duration.zero }), aDuration, "0"],
  ["limits.default.timeout", limited({ timeout: null }), aDuration, "null"],
  ["limits.default.retry", limited({ retry: 3 }), "a Schedule", "3"],
  ["limits.default.concurrency", limited({ concurrency: 0 }), aCount, "0"],
  ["limits.default.concurrency", limited({ concurrency: 1.5 }), aCount, "1.5"],
  ["limits.default.concurrency", limited({ concurrency: "2" }), aCount, '"2"'],
  ["limits.default.rate.calls", limited({ rate: { calls: 0, window: 1000 } }), aCount, "0"],
  ["limits.default.rate.window", limited({ rate: { calls: 1, window: -1 } }), `${aDuration} that ends`, "-1"],
  [
    "limits.default.rate.window",
    limited({ rate: { calls: 1, window: Infinity } }),
    `${aDuration} that ends`,
    "Infinity"
  ],
  ["limits.default.rate.window", limited({ rate: { calls: 1 } }), `${aDuration} that ends`, "nothing"],
  ["limits.default.rate", limited({ rate: 10 }), "an object with calls and window", "10"],
  ["limits.default.cache.timeToLive", limited({ cache: { timeToLive: 0 } }), aDuration, "0"],
  ["limits.default.cache.capacity", limited({ cache: { timeToLive: 1, capacity: -1 } }), aCount, "-1"],
  ["limits.default.cache.key", limited({ cache: { timeToLive: 1, key: "id" } }), "a function", '"id"'],
  ["limits.tools.job.timeout", untyped({ limits: { tools: { job: { timeout: -1 } } } }), aDuration, "-1"],
  ['limits.dynamic["a job"].timeout', untyped({ limits: { dynamic: { "a job": { timeout: -1 } } } }), aDuration, "-1"],
  ["limits", untyped({ limits: [] }), "an object", "an empty array"],
  // Each would be read as an object without fields.
  ["limits.tools", untyped({ limits: { tools: new Map([["job", { timeout: 1 }]]) } }), "an object", aMap],
  ["approval", untyped({ approval: new Map([["job", () => Approval.ask()]]) }), aRule, aMap],
  ['approval["*"]', untyped({ approval: { "*": new Map([["job", () => Approval.ask()]]) } }), aRule, aMap],
  ["approval", untyped({ approval: Object.create({ job: () => Approval.ask() }) }), aRule, "an instance of Object"],
  ["approval", untyped({ approval: Promise.resolve({}) }), aRule, "a promise that was not awaited"],
  ["limits.default", limited(new Limits()), "an object", "an instance of Limits"],
  [
    'quotas["0"].cost.prices.m',
    untyped({
      quotas: [{ name: "q", by: String, window: 1, cost: { limit: 1, prices: { m: { input: 1, outptu: 1 } } } }]
    }),
    "a price, such as { input: 2, output: 8 }",
    "an object with input, outptu"
  ],
  ["concurrency", untyped({ concurrency: 0 }), aCount, "0"],
  ["repeatGuard", untyped({ repeatGuard: 0 }), `false, or ${aCount}`, "0"],
  ["repeatGuard", untyped({ repeatGuard: true }), `false, or ${aCount}`, "true"],
  ["resultBound.maxBytes", untyped({ resultBound: { maxBytes: 0 } }), aCount, "0"],
  ["resultBound.maxBytes", untyped({ resultBound: {} }), aCount, "nothing"],
  ["resultBound.headCharacters", untyped({ resultBound: { maxBytes: 9, headCharacters: -1 } }), aCount, "-1"],
  ["resultBound.timeToLive", untyped({ resultBound: { maxBytes: 9, timeToLive: "soon" } }), aDuration, '"soon"'],
  ["resultBound.capacity", untyped({ resultBound: { maxBytes: 9, capacity: 0 } }), aCount, "0"],
  ["argumentBound.maxCharacters", untyped({ argumentBound: { maxCharacters: -1 } }), aCount, "-1"],
  ["argumentBound.maxDepth", untyped({ argumentBound: { maxDepth: Number.NaN } }), aCount, "NaN"],
  ["unknownArguments", untyped({ unknownArguments: "refuse" }), '"ignore" or "reject"', '"refuse"'],
  ["approval.job", untyped({ approval: { job: Approval.allow } }), "a function that decides", "an object with _tag"],
  ["approval", untyped({ approval: "always" }), "a function that decides, or one for each tool by name", '"always"'],
  // The journal itself is asked for, not the effect that makes one.
  ["journal", untyped({ journal: { begin: () => Effect.void } }), "a Journal.Service", "an object with begin"]
]

describe("a policy is refused where", () => {
  for (const [path, policy, expected, received] of wrong) {
    it.scoped(`${path} is ${received}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(made(policy))
        expect(error).toBeInstanceOf(InvalidPolicy)
        expect(error).toMatchObject({ expected, received })
        expect(error.message).toBe(`${path} of the policy must be ${expected}, but is ${received}`)
      })
    )
  }
  it.scoped("it is no object at all", () =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(made(untyped("strict")))).message).toBe(
        'The policy must be an object, but is "strict"'
      )
      expect(yield* Effect.flip(made(untyped({ journal: Journal.memory })))).toBeInstanceOf(InvalidPolicy)
    })
  )
})

it.scoped("every policy that can be kept to is taken", () =>
  Effect.gen(function* () {
    const policies: ReadonlyArray<Policy.Policy> = [
      {},
      untyped({ limits: undefined, approval: undefined, journal: undefined }),
      {
        guards: [
          new (class {
            readonly name = "of a class"
            check() {
              return Guard.pass
            }
          })()
        ]
      },
      { approval: () => Approval.allow, concurrency: Infinity, repeatGuard: false },
      { journal: yield* Journal.memory, resultBound: { maxBytes: 1 }, argumentBound: {} },
      { journal: { ...(yield* Journal.memory) }, repeatGuard: 1, unknownArguments: "reject" },
      {
        limits: {
          default: { timeout: Duration.infinity, retry: Schedule.recurs(1), concurrency: 1 },
          dynamic: { job: { timeout: [1, 0], rate: { calls: 1, window: 5n }, cache: { timeToLive: "1 hour" } } }
        }
      }
    ]
    for (const policy of policies) expect(yield* Effect.isSuccess(made(policy))).toBe(true)
  })
)

it.scoped("an InvalidPolicy can be stored as JSON", () =>
  Effect.gen(function* () {
    const error = new InvalidPolicy({ path: ["limits"], expected: "an object", received: "1" })
    const json = JSON.stringify(yield* Schema.encode(InvalidPolicy)(error))
    expect((yield* Schema.decode(Schema.parseJson(InvalidPolicy))(json)).message).toBe(error.message)
  })
)
