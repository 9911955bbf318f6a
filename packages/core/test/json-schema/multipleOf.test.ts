import { expect, it } from "@effect/vitest"
import { JsonSchema } from "@wield/core"
import { Effect } from "effect"

const multiples: ReadonlyArray<readonly [value: number, divisor: number]> = [
  [19.99, 0.01],
  [0.07, 0.01],
  [-1.13, 0.01],
  [0, 0.01],
  [4.5, 1.5],
  [0.0075, 0.0001],
  [12391239123, 1e-8],
  [1e308, 0.5],
  [1e21, 10]
]

const others: ReadonlyArray<readonly [value: number, divisor: number]> = [
  [0.075, 0.01],
  [0.30000000000000004, 0.1],
  [0.00751, 0.0001],
  [3e-9, 2e-9],
  [1e308, 0.123456789],
  [35, 1.5],
  [7, 2]
]

// With `unevaluatedItems` another engine validates.
it.effect.each([{}, { unevaluatedItems: false }])("multiples are those of decimals, beside %j", (more) =>
  Effect.gen(function* () {
    const $schema = "https://json-schema.org/draft/2020-12/schema"
    const isValid = (divisor: number) =>
      Effect.map(JsonSchema.compile({ $schema, multipleOf: divisor, ...more }), ({ isValid }) => isValid)
    for (const [value, divisor] of multiples) expect([value, (yield* isValid(divisor))(value)]).toEqual([value, true])
    for (const [value, divisor] of others) expect([value, (yield* isValid(divisor))(value)]).toEqual([value, false])
    expect((yield* isValid(0.01))("no number")).toBe(true)
    const { validate } = yield* JsonSchema.compile({ properties: { price: { multipleOf: 0.01 } }, ...more })
    expect(JSON.stringify(validate({ price: 0.075 }))).toContain("a multiple of 0.01")
  })
)
