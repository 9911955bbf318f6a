import { expect, it } from "@effect/vitest"
import { JsonSchema } from "@wield/core"
import { Effect, Fiber } from "effect"

it.live("a schema that is given up while what it needs loads leaves the next ones to be compiled", () =>
  Effect.gen(function* () {
    const compile = yield* JsonSchema.compiler
    // Each needs something that is loaded with the first schema like it.
    const schemas = [
      { type: "string", pattern: "^(a+)+$" },
      { type: "object", properties: { a: true }, unevaluatedProperties: false }
    ]
    for (const schema of schemas) {
      const first = yield* Effect.fork(compile(schema))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      const { isValid } = yield* compile(schema)
      expect(isValid(1)).toBe(false)
    }
  })
)
