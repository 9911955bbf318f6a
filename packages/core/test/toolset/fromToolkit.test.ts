import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Facts, Hidden, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
import { expectOutcome } from "../tools/outcomes.js"
import { shop } from "../tools/Shop.js"

const definitionOf = (tool: Tool.Any) =>
  Effect.gen(function* () {
    const kit = Toolkit.make(tool)
    // The types of a tool that is not known here ask for a handler that nothing fits.
    const handlers = { [tool.name]: () => Effect.void } as never
    const toolset = yield* Toolset.fromLayer(kit, kit.toLayer(handlers))
    const definitions = yield* (yield* ToolRunner.make(toolset)).definitions
    return definitions[0]
  })

it.scoped("a definition has name, description, input schema, output schema and facts", () =>
  Effect.gen(function* () {
    const definitions = yield* (yield* ToolRunner.make(yield* shop)).definitions
    expect(definitions.map(({ name }) => name)).toEqual(["get_orders", "refund", "cancel", "show_chart"])
    expect(definitions[1]).toEqual({
      name: "refund",
      description: "Pays money back",
      inputSchema: {
        type: "object",
        properties: {
          amount: expect.objectContaining({ type: "number", exclusiveMinimum: 0 }) as unknown,
          reason: { type: "string" }
        },
        required: ["amount"],
        additionalProperties: false
      },
      outputSchema: expect.objectContaining({ type: "string" }) as unknown,
      facts: Facts.unstated,
      provider: undefined
    })
    expect(definitions[3]?.facts.kind).toBe("client")
    expect(definitions[2]?.facts.isIdempotent).toBe(true)
  })
)

it.scoped("the same toolset gives the same definitions, so that what is made of them can be cached by identity", () =>
  Effect.gen(function* () {
    const runner = (yield* ToolRunner.make(yield* shop)).forRun({ context: { customerId: "c_1" } })
    expect(yield* runner.definitions).toBe(yield* runner.definitions)
    const other = yield* ToolRunner.make(yield* shop)
    expect((yield* other.definitions)[0]).toBe((yield* other.definitions)[0])
  })
)

it.scoped("a tool without parameters takes an object without properties", () =>
  Effect.gen(function* () {
    for (const tool of [Tool.make("bare"), Tool.make("empty", { parameters: {} })]) {
      expect((yield* definitionOf(tool))?.inputSchema).toEqual({
        type: "object",
        properties: {},
        additionalProperties: false
      })
    }
  })
)

it.scoped("a parameter named like a member of Object is a parameter like any other", () =>
  Effect.gen(function* () {
    const Odd = Tool.make("odd", {
      parameters: {
        toString: Schema.String,
        constructor: Schema.String,
        hasOwnProperty: Schema.optional(Schema.String)
      },
      success: Schema.Unknown
    })
    const kit = Toolkit.make(Odd)
    const runner = yield* ToolRunner.make(
      yield* Toolset.fromLayer(kit, kit.toLayer({ odd: (all) => Effect.succeed({ ...all }) }))
    )
    const sent = { toString: "a", constructor: "b" }
    expect(
      expectOutcome(yield* runner.run(ToolCall.make("c", "odd", JSON.stringify(sent))), "Success").encoded
    ).toEqual(sent)
    const missing = expectOutcome(yield* runner.run(ToolCall.make("c", "odd", {})), "InvalidArguments")
    expect(missing.issues.map(({ path }) => path.join("."))).toEqual(["toString", "constructor"])
  })
)

describe("a tool that cannot be offered is refused where the toolset is made", () => {
  const reasonOf = (tool: Tool.Any) =>
    Effect.map(Effect.flip(definitionOf(tool)), (error) => (error._tag === "InvalidTool" ? error.message : error._tag))

  it.scoped("when its parameters have no JSON Schema", () =>
    Effect.gen(function* () {
      const message = yield* reasonOf(Tool.make("bad", { parameters: { when: Schema.DateFromSelf } }))
      expect(message).toMatch(/^The tool "bad" cannot be offered: its parameters have no JSON Schema/)
      expect(message).toContain("when")
      expect(message).toContain("Schema.Date rather than Schema.DateFromSelf")
      expect(message).not.toContain("\n")
    })
  )
  it.scoped("when hidden fields are not among its parameters", () =>
    Effect.gen(function* () {
      const unknown = Tool.make("bad", { parameters: { a: Schema.String } }).annotate(Hidden.HiddenFields, ["b"])
      expect(yield* reasonOf(unknown)).toContain("the hidden fields b are not among its parameters")
    })
  )
  it.scoped("when a visible parameter differs from a hidden one in case only", () =>
    Effect.gen(function* () {
      const twins = Tool.make("bad", { parameters: { tenant: Schema.String, TENANT: Schema.String } }).pipe(
        Hidden.fields("tenant")
      )
      expect(yield* reasonOf(twins)).toContain("its parameters TENANT differ from a hidden field only in case")
    })
  )
  it.effect("when its handler is missing, where types were bypassed", () =>
    Effect.gen(function* () {
      const kit = Toolkit.make(Tool.make("lonely"))
      const bypassed = Toolset.fromToolkit(kit) as Effect.Effect<unknown, unknown>
      expect(String(yield* Effect.flip(bypassed))).toContain("it has no handler")
    })
  )
})

it.scoped("a success or failure that JSON cannot say is refused: the model would read something else", () =>
  Effect.gen(function* () {
    const success = yield* Effect.flip(definitionOf(Tool.make("when", { success: Schema.DateFromSelf })))
    expect(success.message).toContain("its success has no JSON Schema")
    const failure = yield* Effect.flip(definitionOf(Tool.make("who", { failure: Schema.DateFromSelf })))
    expect(failure.message).toContain("its failure has no JSON Schema")
  })
)

it.scoped("a success that may be absent is fine: it is null to the model", () =>
  Effect.gen(function* () {
    const definition = yield* definitionOf(Tool.make("find", { success: Schema.UndefinedOr(Schema.String) }))
    expect(definition?.outputSchema).toEqual({ type: "string" })
  })
)

it.scoped("two toolkits with a tool of one name, each with its own Layer, each keep their own handler", () =>
  Effect.gen(function* () {
    const Now = Tool.make("now", { success: Schema.String })
    const [One, Two] = [Toolkit.make(Now), Toolkit.make(Now)]
    const one = yield* Toolset.fromLayer(One, One.toLayer({ now: () => Effect.succeed("one") }))
    const two = yield* Toolset.fromLayer(Two, Two.toLayer({ now: () => Effect.succeed("two") }))
    const runner = yield* ToolRunner.make(
      Toolset.combine(one.pipe(Toolset.prefix("a_")), two.pipe(Toolset.prefix("b_")))
    )
    expect(yield* runner.call("a_now", {})).toBe("one")
    expect(yield* runner.call("b_now", {})).toBe("two")
  })
)

it.scoped("a provider's own tool is offered with its settings, and never run here", () =>
  Effect.gen(function* () {
    const Search = Tool.providerDefined({
      id: "openai.web_search",
      toolkitName: "WebSearch",
      providerName: "web_search",
      args: { depth: Schema.Number },
      success: Schema.Unknown
    })
    const kit = Toolkit.make(Search({ depth: 2 }))
    const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(kit))
    const [definition] = yield* runner.definitions
    expect(definition?.facts.kind).toBe("provider")
    expect(definition?.provider).toEqual({ id: "openai.web_search", name: "web_search", settings: { depth: 2 } })
    expectOutcome(yield* runner.run(ToolCall.make("c", "WebSearch", {})), "Unavailable")
  })
)

it.scoped("a provider's tool that the application runs does not show its provider what only @effect/ai reads", () =>
  Effect.gen(function* () {
    const Bash = Tool.providerDefined({
      id: "anthropic.bash_20250124",
      toolkitName: "Bash",
      providerName: "bash",
      args: {},
      requiresHandler: true,
      parameters: { command: Schema.String },
      success: Schema.String,
      failure: Schema.String
    })
    const kit = Toolkit.make(Bash({ failureMode: "return" }))
    const toolset = Toolset.fromToolkit(kit).pipe(Effect.provide(kit.toLayer({ Bash: () => Effect.succeed("ok") })))
    const runner = yield* ToolRunner.make(yield* toolset)
    const [definition] = yield* runner.definitions
    expect(definition?.provider?.settings).toEqual({})
  })
)
