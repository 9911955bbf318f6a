/** A schema is compiled when the first value comes; what is wrong with it is found before. */
import { expect, it } from "@effect/vitest"
import { JsonSchema, Toolset } from "@wield/core"
import { Effect } from "effect"
import { afterEach, vi } from "vitest"

afterEach(() => vi.restoreAllMocks())

const schemaOf = (index: number) => ({
  type: "object",
  properties: { [`text_${index}`]: { $ref: "#/$defs/Text" }, tree: { $ref: "#/$defs/Tree" } },
  $defs: {
    Text: { type: "string", pattern: "^a", format: "email" },
    Tree: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } } } }
  }
})

/** How many functions are made from text meanwhile. */
const functionsMade = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const spy = vi.spyOn(globalThis, "Function")
    return Effect.map(effect, (result) => {
      const count = spy.mock.calls.length
      spy.mockRestore()
      return [count, result] as const
    })
  })

it.effect("no function is made for a schema until a value is validated, and then only for this one", () =>
  Effect.gen(function* () {
    const compile = yield* JsonSchema.compiler
    const [none, validators] = yield* functionsMade(
      Effect.forEach([1, 2, 3, 4, 5], (index) => compile(schemaOf(index), { formats: "assertion" }))
    )
    expect(none).toBe(0)
    const [some, isValid] = yield* functionsMade(Effect.sync(() => validators[2]?.isValid({ text_3: "a@b.example" })))
    expect(some).toBeGreaterThan(0)
    expect(isValid).toBe(true)
    const [again, isInvalid] = yield* functionsMade(Effect.sync(() => validators[2]?.isValid({ text_3: "b" })))
    expect([again, isInvalid]).toEqual([0, false])
  })
)

it.effect("a toolset makes no functions, however many tools it has", () =>
  Effect.gen(function* () {
    // The first compiler of a process asks whether functions may be made from text at all.
    yield* JsonSchema.compiler
    const toolsetOf = (count: number) =>
      Toolset.dynamic(
        Array.from({ length: count }, (_, index) => ({
          name: `tool_${index}`,
          inputSchema: schemaOf(index),
          execute: () => Effect.void
        }))
      )
    const [one] = yield* functionsMade(toolsetOf(1))
    const [many] = yield* functionsMade(toolsetOf(30))
    expect([one, many]).toEqual([0, 0])
  })
)

it.effect("what only the compiler finds is found when the validator is made", () =>
  Effect.gen(function* () {
    const properties = [
      { a: { $ref: "#/$defs/Nowhere" } },
      { a: { $ref: "https://elsewhere.example/a" } },
      { a: { type: "string", minLength: -1 } }
    ]
    for (const stated of properties) {
      const made = yield* Effect.either(JsonSchema.compile({ type: "object", properties: stated }))
      expect([JSON.stringify(stated), made._tag]).toEqual([JSON.stringify(stated), "Left"])
    }
  })
)

it.effect("what keeps a schema from being compiled when it is asked is in the error", () =>
  Effect.gen(function* () {
    const validator = yield* JsonSchema.compile(schemaOf(9))
    vi.spyOn(globalThis, "Function").mockImplementation(() => {
      throw new EvalError("Code generation from strings disallowed for this context")
    })
    expect(() => validator.isValid({})).toThrow("functions must not be made from text here")
  })
)
