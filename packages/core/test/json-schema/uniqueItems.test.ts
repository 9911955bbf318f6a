import { expect, it } from "@effect/vitest"
import { JsonSchema } from "@wield/core"
import { Effect } from "effect"

const unique = JsonSchema.compile({ type: "array", uniqueItems: true })

it.effect("items are equal when JSON Schema takes them for equal", () =>
  Effect.gen(function* () {
    const { isValid, validate } = yield* unique
    expect(isValid([1, "1", true, null, "null", [1], { a: 1 }, { a: "1" }, [], {}, [[]], ""])).toBe(true)
    expect(
      isValid([
        { a: 1, b: [{ c: 2, d: 3 }] },
        { b: [{ d: 3, c: 2 }], a: 1 }
      ])
    ).toBe(false)
    expect(isValid([1, 1.0])).toBe(false)
    expect(isValid([0, -0])).toBe(false)
    expect(validate({ 0: 1 })._tag).toBe("Left")
    expect(JSON.stringify(validate(["x", "x"]))).toContain("items that all differ")
    expect((yield* JsonSchema.compile({ type: "array", uniqueItems: false })).isValid([1, 1])).toBe(true)
  })
)

it.effect("a hundred thousand objects are told apart at once", () =>
  Effect.gen(function* () {
    const { isValid } = yield* unique
    const items = Array.from({ length: 100_000 }, (_, id) => ({ id }))
    expect(isValid(items)).toBe(true)
    expect(isValid([...items, { id: 0 }])).toBe(false)
  })
)
