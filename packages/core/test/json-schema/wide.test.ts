/** Schemas of more properties than any tool has, which strangers send. */
import { expect, it } from "@effect/vitest"
import { Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import type { JsonSchema } from "@wield/core/Json"
import * as Pattern from "@wield/core/Pattern"
import { Effect } from "effect"

const names = Array.from({ length: 19_000 }, (_, index) => `p${index}`)
const all = (value: unknown, ending = "") => Object.fromEntries(names.map((name) => [`${name}${ending}`, value]))

it.effect("a tool of 19,000 parameters is called, and says what is wrong, without keeping the program", () =>
  Effect.gen(function* () {
    const wide = {
      type: "object",
      properties: all({ type: "string" }),
      required: names,
      additionalProperties: false
    }
    const toolset = yield* Toolset.dynamic([{ name: "wide", inputSchema: wide, execute: () => Effect.succeed("done") }])
    const runner = yield* ToolRunner.make(toolset)
    const run = (id: string, given: { readonly [name: string]: unknown }) =>
      Effect.map(runner.run(ToolCall.make(id, "wide", given)), (outcome) => ({
        outcome,
        text: Outcome.text(outcome) ?? ""
      }))
    expect((yield* run("1", all("x"))).text).toBe("done")
    for (const [id, given, count] of [
      ["2", {}, 19_000],
      ["3", all(1), 19_000],
      ["4", all("x", "x"), 38_000]
    ] as const) {
      const { outcome, text } = yield* run(id, given)
      expect(outcome._tag === "InvalidArguments" && outcome.issues.length).toBe(count)
      expect(text).toContain(`and ${count - 10} more`)
    }
  })
)

it.effect("a wide schema that is malformed is refused with its place", () =>
  Effect.gen(function* () {
    const inputSchema = { type: "object", properties: { ...all({}), odd: { type: "strange" } } }
    const refused = yield* Effect.flip(
      Toolset.dynamic([{ name: "wide", inputSchema, execute: () => Effect.succeed("done") }])
    )
    expect(refused.message).toContain("odd")
  })
)

// Each takes exponential time by JavaScript's own engine, or none at all with the flag `u`.
it.effect.each(["^(a|aa)*b(c|cc)*$", "^[\\w-.]+\\-$"])(
  "a wide schema with the pattern %s is refused, and never the call",
  (pattern) =>
    Effect.gen(function* () {
      const wide = { type: "object", properties: { ...all({}), odd: { type: "string", pattern } } }
      const made = (inputSchema: JsonSchema) =>
        Toolset.dynamic([{ name: "wide", inputSchema, execute: () => Effect.succeed("done") }])
      expect((yield* Effect.flip(made(wide))).message).toContain("properties.odd.pattern")
      // A server that checks it by itself has its tool.
      const toolset = yield* Effect.flatMap(Pattern.describeUnsafe(wide), made)
      const runner = yield* ToolRunner.make(toolset)
      expect((yield* runner.run(ToolCall.make("1", "wide", { odd: "x" })))._tag).toBe("Success")
      // A narrow one is compiled, with an engine that takes no longer for any text.
      const narrow = yield* made({ type: "object", properties: { odd: { type: "string", pattern } } })
      const ended = yield* (yield* ToolRunner.make(narrow)).run(ToolCall.make("1", "wide", { odd: "a".repeat(50) }))
      expect(ended._tag).toBe("InvalidArguments")
    })
)
