/**
 * Law 5: two tools of one name in one toolset is an error, never a silent
 * overwrite. Law 8: a tool that is not offered cannot be executed by naming it.
 */
import { describe, expect, it } from "@effect/vitest"
import { ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Either, FastCheck } from "effect"
import { runs } from "../../../../test/sizes.js"

const name = FastCheck.oneof(
  FastCheck.constantFrom("a", "b", "c", "d", "e", "toString", "__proto__", "constructor"),
  FastCheck.string({ minLength: 1, maxLength: 3 })
)
const names = FastCheck.array(name, { maxLength: 6 })

const ran: Array<string> = []
const toolsOf = (all: ReadonlyArray<string>) =>
  all.map((each) => ({ name: each, execute: () => Effect.sync(() => void ran.push(each)) }))

const repeatedIn = (all: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(all.filter((each, index) => all.indexOf(each) !== index))].sort()

const namesOf = (error: unknown): ReadonlyArray<string> =>
  error instanceof Object && "names" in error && Array.isArray(error.names) ? [...error.names].sort() : []

describe("law 5: two tools of one name", () => {
  it.effect.prop(
    "in one dynamic toolset are an error that names all of them",
    { names },
    ({ names: all }) =>
      Effect.gen(function* () {
        const made = yield* Effect.either(Toolset.dynamic(toolsOf(all)))
        expect(Either.isLeft(made)).toBe(repeatedIn(all).length > 0)
        if (Either.isLeft(made)) expect(namesOf(made.left)).toEqual(repeatedIn(all))
      }),
    { fastCheck: { numRuns: runs(40) } }
  )

  const sets = FastCheck.array(FastCheck.uniqueArray(name, { maxLength: 4 }), { minLength: 1, maxLength: 4 })
  it.effect.prop(
    "in several combined toolsets are an error that names all of them",
    { sets },
    ({ sets: all }) =>
      Effect.gen(function* () {
        const [first, ...others] = yield* Effect.forEach(all, (each) => Toolset.dynamic(toolsOf(each)))
        if (first === undefined) return
        const made = yield* Effect.either(ToolRunner.make(Toolset.combine(first, ...others)))
        const repeated = repeatedIn(all.flat())
        expect(Either.isLeft(made)).toBe(repeated.length > 0)
        if (Either.isLeft(made)) expect(namesOf(made.left)).toEqual(repeated)
        else {
          const offered = yield* made.right.definitions
          expect(offered.map((definition) => definition.name)).toEqual(all.flat())
        }
      }),
    { fastCheck: { numRuns: runs(40) } }
  )
})

describe("law 8: what is not offered", () => {
  const scenario = FastCheck.record({
    all: FastCheck.uniqueArray(name, { maxLength: 6 }),
    offered: FastCheck.option(names, { nil: undefined }),
    withheld: names,
    called: name
  })
  it.effect.prop(
    "cannot be executed by naming it",
    { scenario },
    ({ scenario: { all, called, offered, withheld } }) =>
      Effect.gen(function* () {
        ran.length = 0
        const toolset = (yield* Toolset.dynamic(toolsOf(all))).pipe(
          Toolset.filter((definition) => !withheld.includes(definition.name))
        )
        const runner = (yield* ToolRunner.make(toolset)).forRun({ offered })
        const definitions = (yield* runner.definitions).map((definition) => definition.name)
        const isOffered = all.includes(called) && !withheld.includes(called) && (offered?.includes(called) ?? true)
        expect(definitions.includes(called)).toBe(isOffered)
        const outcome = yield* runner.run(ToolCall.make("c", called, {}))
        expect(outcome._tag).toBe(isOffered ? "Success" : all.includes(called) ? "Unavailable" : "UnknownTool")
        expect(ran).toEqual(isOffered ? [called] : [])
        if (outcome._tag === "Unavailable" || outcome._tag === "UnknownTool") {
          for (const near of outcome.nearest) expect(definitions).toContain(near)
        }
      }),
    { fastCheck: { numRuns: runs(40) } }
  )
})
