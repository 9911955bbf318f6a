import { assert, describe, expect, it } from "@effect/vitest"
import { Either, FastCheck, ParseResult, Schema } from "effect"
import { issuesOf } from "../../src/internal/issuesOf.js"
import { reporter } from "../../src/internal/reporter.js"
import { inputs, schema } from "./schemas.js"
import { runs, sized } from "../../../../test/sizes.js"

describe("reporter", () => {
  for (const excess of ["ignore", "error"] as const) {
    it(`finds the issues that the interpreter finds, and none where it finds none (${excess})`, () => {
      let found = 0
      FastCheck.assert(
        FastCheck.property(FastCheck.integer(), (seed) => {
          const [of] = FastCheck.sample(schema, { numRuns: 1, seed })
          if (of === undefined) return
          const report = reporter(of.ast, excess)
          const parse = ParseResult.decodeUnknown(of, { errors: "all", onExcessProperty: excess })
          for (const value of FastCheck.sample(inputs(Schema.encodedSchema(of)), { numRuns: 5, seed })) {
            const result = interpreted(() => parse(value))
            if (result === undefined) continue
            const issues = report(value)
            assert.deepStrictEqual(issues, Either.isLeft(result) ? issuesOf(result.left) : [])
            found += issues.length
          }
        }),
        { numRuns: runs(150) }
      )
      // Or finding nothing anywhere would pass.
      expect(found).toBeGreaterThan(sized(0, 100))
    })
  }

  it("stays with a recursive schema as deep as the value goes", () => {
    interface Tree {
      readonly value: number
      readonly children: ReadonlyArray<Tree>
    }
    const Tree: Schema.Schema<Tree> = Schema.Struct({
      value: Schema.Number,
      children: Schema.Array(Schema.suspend(() => Tree))
    })
    const issues = reporter(Tree.ast, "ignore")({ value: 1, children: [{ value: 2, children: [{ value: "3" }] }] })
    expect(issues.map(({ path }) => path)).toEqual([
      ["children", 0, "children", 0, "value"],
      ["children", 0, "children", 0, "children"]
    ])
  })
})

/** What the interpreter answers at once; none where it waits, or a schema throws. */
const interpreted = <A>(parse: () => unknown): Either.Either<A, ParseResult.ParseIssue> | undefined => {
  try {
    const result = parse()
    return Either.isEither(result) ? (result as Either.Either<A, ParseResult.ParseIssue>) : undefined
  } catch {
    return undefined
  }
}
