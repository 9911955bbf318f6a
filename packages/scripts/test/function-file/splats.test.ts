import { assert, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { ofText } from "./fixtures.js"

it.effect.prop(
  "A value is not taken from the source other than the interpreter has it: constants joined by splats are the whole",
  [
    FastCheck.dictionary(FastCheck.string({ unit: "binary-ascii", maxLength: 5 }), FastCheck.string({ maxLength: 5 }), {
      maxKeys: 4
    }),
    FastCheck.nat(4)
  ],
  ([properties, at]) => {
    const literal = (entries: ReadonlyArray<readonly [string, string]>) =>
      `{${entries.map(([key, description]) => `${JSON.stringify(key)}: {"description": ${JSON.stringify(description)}}`).join(", ")}}`
    const entries = Object.entries(properties)
    const text = `A = ${literal(entries.slice(0, at))}
B = ${literal(entries.slice(at))}
NAMES = [] + ["one"]
TOOLS = [*[{"type": "function", "function": {"name": NAMES[0], "description": "One", "parameters": {"type": "object", "properties": {**A, **B}}}}]]`
    return Effect.map(ofText(text), ({ tools }) =>
      assert.deepStrictEqual(
        tools[0]?.inputSchema["properties"],
        Object.fromEntries(entries.map(([key, description]) => [key, { description }]))
      )
    )
  }
)
