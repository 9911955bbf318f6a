/**
 * Law 2: a hidden field appears in no definition, and no value a model sends
 * reaches it.
 */
import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Facts, Hidden, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, FastCheck, Schema } from "effect"
import { expectOutcome } from "../tools/outcomes.js"
import { runs } from "../../../../test/sizes.js"

const secret = "value-of-the-call-context"
const forged = "value-that-the-model-sent"

const name = FastCheck.stringMatching(/^[a-zA-Z_$][a-zA-Z0-9_$]{0,12}$/).filter((text) => text !== "__proto__")

/** The same word with each letter in whatever case. */
const recased = (word: string): FastCheck.Arbitrary<string> =>
  FastCheck.array(FastCheck.boolean(), { minLength: word.length, maxLength: word.length }).map((upper) =>
    [...word].map((letter, index) => (upper[index] === true ? letter.toUpperCase() : letter.toLowerCase())).join("")
  )

const scenario = FastCheck.uniqueArray(name, {
  minLength: 2,
  maxLength: 6,
  selector: (text) => text.toLowerCase()
}).chain((names) =>
  FastCheck.record({
    names: FastCheck.constant(names),
    hiddenCount: FastCheck.integer({ min: 1, max: names.length - 1 }),
    spellings: FastCheck.tuple(...names.map(recased)),
    isText: FastCheck.boolean()
  })
)

const toolOf = (names: ReadonlyArray<string>, hidden: ReadonlyArray<string>) =>
  Tool.make("tool", {
    parameters: Object.fromEntries(names.map((field) => [field, Schema.String])),
    success: Schema.Unknown
  })
    // Names that are known at run time only; `Hidden.fields` wants them in the type.
    .annotate(Hidden.HiddenFields, hidden)

describe("law 2: hidden fields", () => {
  it.scoped.prop(
    "are in no definition, and what a model sends for them, however spelled, does not reach the handler",
    { scenario },
    ({ scenario: { hiddenCount, isText, names, spellings } }) =>
      Effect.gen(function* () {
        const hidden = names.slice(0, hiddenCount)
        const visible = names.slice(hiddenCount)
        const tool = toolOf(names, hidden)
        const kit = Toolkit.make(tool)
        const received: Array<unknown> = []
        const toolset = yield* Toolset.fromLayer(
          kit,
          kit.toLayer({ tool: (parameters) => Effect.sync(() => void received.push(parameters)) })
        )
        const runner = (yield* ToolRunner.make(toolset)).forRun({
          context: Object.fromEntries(hidden.map((field) => [field, secret]))
        })
        const [definition] = yield* runner.definitions
        const properties = Object.keys((definition?.inputSchema.properties ?? {}) as object)
        expect(properties.sort()).toEqual([...visible].sort())

        const sent: ReadonlyArray<readonly [string, string]> = [
          ...visible.map((field) => [field, "visible"] as const),
          ...hidden.map((field) => [field, forged] as const),
          ...spellings.slice(0, hiddenCount).map((field) => [field, forged] as const)
        ]
        const args = Object.fromEntries(sent)
        const outcome = yield* runner.run(ToolCall.make("c", "tool", isText ? JSON.stringify(args) : args))
        expectOutcome(outcome, "Success")
        expect(received).toEqual([
          Object.fromEntries([...visible.map((field) => [field, "visible"]), ...hidden.map((field) => [field, secret])])
        ])
        expect(JSON.stringify(received)).not.toContain(forged)
      }),
    { fastCheck: { numRuns: runs(60) } }
  )

  it.scoped("are in no definition through examples, descriptions of schemas, nested schemas or output", () =>
    Effect.gen(function* () {
      class Who extends Schema.Class<Who>("Who")({ hiddenId: Schema.String }) {}
      const Tracked = Tool.make("tracked", {
        parameters: {
          hiddenWho: Who.annotations({ description: "hiddenWho says who" }),
          hiddenDay: Schema.Date,
          text: Schema.String
        },
        success: Schema.String
      }).pipe(
        Facts.examples({ text: "x", hiddenWho: { hiddenId: "1" }, hiddenDay: "2026-01-01T00:00:00.000Z" }),
        Hidden.fields("hiddenWho", "hiddenDay")
      )
      const kit = Toolkit.make(Tracked)
      const toolset = yield* Toolset.fromLayer(kit, kit.toLayer({ tracked: () => Effect.succeed("") }))
      const definitions = yield* (yield* ToolRunner.make(toolset)).definitions
      expect(definitions[0]?.facts.examples).toEqual([{ text: "x" }])
      expect(JSON.stringify(definitions)).not.toMatch(/hidden|Who/i)
    })
  )

  it.effect("of dynamic tools are in no definition, and no value a model sends reaches them", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        {
          name: "tool",
          inputSchema: {
            type: "object",
            $defs: {
              customerId: { type: "string", description: "the customerId" },
              text: { $ref: "#/$defs/any~1text/anyOf/0" },
              "any/text": { anyOf: [{ type: "string" }, { $ref: "#/$defs/text" }] }
            },
            properties: { customerId: { $ref: "#/$defs/customerId" }, text: { $ref: "#/$defs/text" } },
            required: ["customerId", "text"],
            additionalProperties: false,
            examples: [{ customerId: "c_1", text: "x" }],
            default: { customerId: "c_1", text: "x" }
          },
          hidden: ["customerId"],
          facts: { examples: [{ customerId: "c_1", text: "x" }] },
          execute: Effect.succeed
        }
      ])
      const runner = (yield* ToolRunner.make(toolset)).forRun({ context: { customerId: secret } })
      const definitions = yield* runner.definitions
      expect(definitions[0]?.facts.examples).toEqual([{ text: "x" }])
      expect(JSON.stringify(definitions)).not.toContain("customerId")
      expect(Object.keys(definitions[0]?.inputSchema.$defs ?? {})).toEqual(["text", "any/text"])
      for (const key of ["customerId", "CUSTOMERID", "customerID"]) {
        const outcome = yield* runner.run(ToolCall.make("c", "tool", { text: "x", [key]: forged }))
        expect(expectOutcome(outcome, "Success").encoded).toEqual({ text: "x", customerId: secret })
      }
    })
  )

  it.scoped("are in no definition through any combinator", () =>
    Effect.gen(function* () {
      const Plain = toolOf(["customerId", "text"], ["customerId"])
      const kit = Toolkit.make(Plain)
      const toolset = yield* Toolset.fromLayer(kit, kit.toLayer({ tool: (parameters) => Effect.succeed(parameters) }))
      const view = toolset.pipe(
        Toolset.prefix("a_"),
        Toolset.rename({ a_tool: "b" }),
        Toolset.describe({ b: "described" }),
        Toolset.filter(() => true),
        Toolset.prepare(() => ({})),
        Toolset.select("b")
      )
      const runner = (yield* ToolRunner.make(Toolset.combine(view, toolset))).forRun({
        context: { customerId: secret }
      })
      expect(JSON.stringify(yield* runner.definitions)).not.toContain("customerId")
      const outcome = yield* runner.run(ToolCall.make("c", "b", { text: "x", CUSTOMERID: forged }))
      expect(expectOutcome(outcome, "Success").encoded).toEqual({ text: "x", customerId: secret })
    })
  )
})
