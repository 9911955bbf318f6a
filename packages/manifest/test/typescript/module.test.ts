import { describe, expect, it } from "@effect/vitest"
import { CallContext, Facts, Hidden, ToolCall, ToolDefinition, ToolRunner, Toolset } from "@wield/core"
import { ManifestEntry, TypedTools, TypeScript } from "@wield/manifest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Tool, Toolkit } from "@effect/ai"
import { errorsOf, generated, loaded } from "./generated.js"

const order = ManifestEntry.api({
  name: "get_order",
  description: "One order */ globalThis.broken = true /*",
  parameters: {
    type: "object",
    properties: {
      customerId: { type: "string" },
      id: { type: "integer", minimum: 1 },
      currency: { enum: ["EUR", "CHF"], default: "EUR" },
      'a"b\n': { type: "string", description: "`${x}` \u2028", default: "\\" }
    },
    required: ["customerId", "id"]
  },
  context: ["CUSTOMERID"],
  api: {
    path: "/orders/{id}",
    method: "GET",
    result: {
      schema: { type: "object", properties: { total: { type: "number" } }, required: ["total"] },
      path: undefined
    }
  }
})

const chart = ManifestEntry.client({ name: "show-chart", description: "Shows a chart" })

/** The type of what is generated of `order`, as far as the tests use it. */
const Declared = Toolkit.make(
  Tool.make("get_order", {
    parameters: { customerId: Schema.String, id: Schema.Int },
    success: Schema.Struct({ total: Schema.Number }),
    failure: Schema.Unknown,
    failureMode: "return"
  }).pipe(Hidden.fields("customerId"))
)

const layerOfDeclared = (source: TypedTools.Source) => TypedTools.layer(Declared, source)

class NoSuchOrder extends Data.TaggedError("NoSuchOrder") {
  override get message(): string {
    return "no such order"
  }
}

/** What the tests generate, to be compiled at once: a compiler takes seconds to start. */
const generatedModules: Array<string> = []

const isCompiled = (...modules: ReadonlyArray<string>): void => void generatedModules.push(...modules)

describe("a generated module", () => {
  it.effect("is the same each time, whatever stands in texts and names", () =>
    Effect.gen(function* () {
      const { code, losses } = yield* TypeScript.generate({ entries: [order, chart] })
      expect(losses).toEqual([])
      isCompiled(code)
      expect((yield* TypeScript.generate({ entries: [order, chart] })).code).toBe(code)
      expect(code).not.toMatch(/^globalThis/m)
      expect(code).toContain('.pipe(Hidden.fields("customerId"))')
      expect(code.split("\n").filter((line) => line.length > 130 && !line.includes("description"))).toEqual([])
      yield* loaded(code)
      expect(globalThis).not.toHaveProperty("broken")
    })
  )

  it.scoped("runs its tools by the tools it was generated of, with hidden fields, and sends no default", () =>
    Effect.gen(function* () {
      const { code } = yield* TypeScript.generate({ entries: [order] })
      const module = yield* loaded(code)
      const asked: Array<unknown> = []
      const source: TypedTools.Source = [
        {
          name: "get_order",
          execute: (parameters) => {
            asked.push(parameters)
            return parameters["id"] === 2
              ? Effect.fail(new NoSuchOrder())
              : Effect.succeed({ total: parameters["id"] === 3 ? "much" : 7.5 })
          }
        }
      ]
      // What the compiler says of a module that it sees is tried above; this one is loaded at run time.
      const { layer, Tools } = module as unknown as {
        readonly Tools: typeof Declared
        readonly layer: (source: TypedTools.Source) => ReturnType<typeof layerOfDeclared>
      }
      const toolset = yield* Toolset.fromLayer(Tools, layer(source))
      const runner = (yield* ToolRunner.make(toolset)).forRun({ context: { customerId: "c1" } })
      const call = (id: number) => runner.run(ToolCall.make(`call_${id}`, "get_order", { id }))
      expect(yield* call(1)).toMatchObject({ _tag: "Success", encoded: { total: 7.5 } })
      expect(asked).toEqual([{ customerId: "c1", id: 1 }])
      expect(yield* call(2)).toMatchObject({ _tag: "Failure", encoded: { error: "no such order" } })
      expect((yield* call(3))._tag).toBe("InvalidResult")
      expect((yield* call(0))._tag).toBe("InvalidArguments")
      const [definition] = yield* runner.definitions
      expect(definition?.facts).toMatchObject({ kind: "api", isReadOnly: true, isDestructive: false })
      expect(JSON.stringify(definition?.inputSchema)).not.toContain("customerId")
      expect(definition?.inputSchema).toMatchObject({ properties: { currency: { default: "EUR" } } })
      const missing = yield* Effect.either(Toolset.fromLayer(Tools, layer([])))
      expect(Either.isLeft(missing) && missing.left).toMatchObject({ _tag: "MissingTools", names: ["get_order"] })
    })
  )

  it.scoped("is run with the call context of each request, not with that of the one that built its Layer", () =>
    Effect.gen(function* () {
      const source: TypedTools.Source = () =>
        Effect.map(CallContext.CallContext, ({ customerId }) => ({ total: customerId === "bob" ? 1 : 0 }))
      const toolset = yield* CallContext.provide(Toolset.fromLayer(Declared, layerOfDeclared(source)), {
        customerId: "ada"
      })
      const runner = yield* ToolRunner.make(toolset)
      const ask = CallContext.provide(runner.run(ToolCall.make("call_1", "get_order", { id: 1 })), {
        customerId: "bob"
      })
      expect(yield* ask).toMatchObject({ encoded: { total: 1 } })
    })
  )

  it.effect("is used with the types that it states, which are not worked out", () =>
    Effect.gen(function* () {
      const { code } = yield* TypeScript.generate({ entries: [order, chart] })
      expect(code).toContain("// @ts-nocheck\n")
      expect(code).toContain('export const GetOrder: Hidden.Hidden<"customerId"> & TypedTools.Tool<')
      const use = `
        import { Tool } from "@effect/ai"
        import { type Hidden, ToolRunner, Toolset } from "@wield/core"
        import { Effect } from "effect"
        import { GetOrder, layer, Tools } from "./program${generatedModules.length}.js"
        export const parameters: Tool.Parameters<typeof GetOrder> = { customerId: "c_1", id: 1 }
        export const visible: Hidden.VisibleParameters<typeof GetOrder> = { id: 1, currency: "EUR" }
        // @ts-expect-error The currency is none.
        export const wrong: Hidden.VisibleParameters<typeof GetOrder> = { id: 1, currency: "DM" }
        export const total = (result: Tool.Success<typeof GetOrder>): number => result.total
        export const program = Effect.gen(function* () {
          const toolset = yield* Toolset.fromLayer(Tools, layer(() => Effect.succeed({ total: 1 })))
          const runner = (yield* ToolRunner.make(toolset)).forRun({ context: { customerId: "c_1" } })
          // @ts-expect-error There is no such tool.
          yield* runner.call("get_orders", {})
          return (yield* runner.call("get_order", { id: 1 })).total satisfies number
        })
      `
      isCompiled(code, use)
    })
  )

  it.scoped("says shared definitions once, however many use each other", () =>
    Effect.gen(function* () {
      const levels = 30
      const names = Array.from({ length: levels }, (_, level) => `Level${level}`)
      const $defs = Object.fromEntries(
        names.map((name, level) => {
          const below = { $ref: `#/$defs/Level${level + 1}` }
          const own = { type: "object", properties: { id: { type: "integer" } } }
          const shared = { type: "object", properties: { left: below, right: { ...below, description: "The other" } } }
          return [name, level === levels - 1 ? own : shared]
        })
      )
      const { code } = yield* generated({ type: "object", properties: { top: { $ref: "#/$defs/Level0" } }, $defs })
      const { layer, Tools } = (yield* loaded(code)) as unknown as {
        readonly Tools: typeof Declared
        readonly layer: (source: TypedTools.Source) => ReturnType<typeof layerOfDeclared>
      }
      const toolset = yield* Toolset.fromLayer(
        Tools,
        layer(() => Effect.succeed(null))
      )
      const [definition] = yield* (yield* ToolRunner.make(toolset)).definitions
      expect(JSON.stringify(definition?.inputSchema).length).toBeLessThan(levels * 300)
      expect(definition?.inputSchema).toMatchObject({
        $defs: { Level3: { properties: { right: { $ref: "#/$defs/Level4", description: "The other" } } } }
      })
    })
  )

  it.effect("is generated of the definitions of any toolset, with their facts", () =>
    Effect.gen(function* () {
      const definition = ToolDefinition.make({
        name: "search",
        description: "Searches",
        inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
        facts: Facts.make({
          title: "Search",
          isSequential: true,
          isOpenWorld: false,
          disclosure: "endpoint",
          examples: [{ query: "nuts" }]
        })
      })
      const { code } = yield* TypeScript.generate([definition])
      isCompiled(code)
      for (const fact of [
        'Tool.Title, "Search"',
        "Tool.OpenWorld, false",
        'Facts.ToolDisclosure, "endpoint"',
        "Facts.Sequential, true",
        'Facts.Examples, [{ query: "nuts" }]'
      ]) {
        expect(code).toContain(fact)
      }
    })
  )

  it.scoped("declares recursive definitions, and those that several tools share once", () =>
    Effect.gen(function* () {
      const $defs = {
        Node: { type: "object", properties: { left: { $ref: "#/$defs/Node" }, right: { $ref: "#/$defs/Leaf" } } },
        Leaf: { type: "object", properties: { up: { $ref: "#/$defs/Node" }, kind: { enum: ["a", "b"], default: "a" } } }
      }
      const tool = (name: string, definitions: object) =>
        ToolDefinition.make({
          name,
          inputSchema: { type: "object", properties: { node: { $ref: "#/$defs/Node" } }, $defs: definitions }
        })
      const { code, losses } = yield* TypeScript.generate([
        tool("one", $defs),
        tool("two", $defs),
        tool("three", { Node: { type: "string" } }),
        ToolDefinition.make({
          name: "four",
          inputSchema: {
            type: "object",
            properties: { kind: { $ref: "#/$defs/Kind", default: "b" } },
            $defs: { Kind: { enum: ["a", "b"] } }
          }
        })
      ])
      isCompiled(code)
      const { layer, Tools } = (yield* loaded(code)) as unknown as {
        readonly Tools: typeof Declared
        readonly layer: (source: TypedTools.Source) => ReturnType<typeof layerOfDeclared>
      }
      const toolset = yield* Toolset.fromLayer(
        Tools,
        layer(() => Effect.succeed(null))
      )
      const definitions = yield* (yield* ToolRunner.make(toolset)).definitions
      expect(JSON.stringify(definitions[0]?.inputSchema)).toContain('"default":"a"')
      expect(JSON.stringify(definitions[3]?.inputSchema)).toContain('"default":"b"')
      expect(code.match(/^export (interface|type) .*$/gm)).toEqual([
        expect.stringContaining("Kind"),
        expect.stringContaining("Node "),
        expect.stringContaining("Leaf"),
        expect.stringContaining("Node2 = string"),
        "export interface OneParameters { readonly node?: Node | undefined }",
        "export interface TwoParameters { readonly node?: Node | undefined }",
        "export interface ThreeParameters { readonly node?: Node2 | undefined }",
        expect.stringContaining("FourParameters")
      ])
      expect(code).toContain("Schema.suspend((): Schema.Schema<Node> => Node)")
      expect(losses).toEqual([])
    })
  )

  it.effect("says in a comment and in the losses what Effect Schema cannot", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [string, object]> = [
        ["oneOf", { oneOf: [{ type: "object" }, { type: "object", required: ["a"] }] }],
        ["not", { type: "object", not: { required: ["a"] } }],
        ["patternProperties", { type: "object", patternProperties: { "^x": { type: "string" } } }],
        ["default", { type: "string", default: 7 }],
        ["pattern", { type: "string", pattern: "^(a+)+$" }],
        ["type", { properties: { a: { type: "string" } } }],
        [
          "additionalProperties",
          { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "integer" } }
        ]
      ]
      for (const [keyword, schema] of cases) {
        const { code, losses } = yield* generated({ type: "object", properties: { value: schema } })
        expect(losses).toMatchObject([{ subject: "tool", keyword }])
        expect(code).toContain(`.${keyword}: ${losses[0]?.reason}`)
        isCompiled(code)
      }
    })
  )

  it.effect("runs no pattern that could take long, neither when it is made nor when it is used", () =>
    Effect.gen(function* () {
      const hidden = `^(a{${"0".repeat(40)}1,})+$`
      const text = `${"a".repeat(40)}!`
      const properties = {
        hidden: { type: "string", pattern: hidden },
        chosen: { type: "string", enum: [text, "a"], pattern: hidden },
        both: {
          allOf: [
            { type: "string", pattern: "^(a|a)*$" },
            { type: "string", pattern: "^(?:a?){50}b$" }
          ]
        },
        long: { type: "string", pattern: "^a.*b.*c.*$" },
        short: { type: "string", maxLength: 100, pattern: "^a.*b.*c.*$" }
      }
      const { code, losses } = yield* generated({ type: "object", properties })
      expect(losses.map(({ keyword, reason }) => [keyword, reason.includes("exponential")])).toEqual([
        ["pattern", true],
        ["pattern", true],
        ["pattern", true],
        ["pattern", false]
      ])
      expect(code.match(/new RegExp/g)).toHaveLength(2)
      expect(code).toMatch(/value\.length > \d+ \|\| new RegExp/)
      isCompiled(code)
    })
  )

  it.effect("cannot be made of two tools of one name, or of a schema that cannot be read", () =>
    Effect.gen(function* () {
      const tool = ToolDefinition.make({ name: "one" })
      expect(yield* Effect.flip(TypeScript.generate([tool, tool]))).toMatchObject({
        _tag: "ToolNameCollision",
        names: ["one"]
      })
      expect(yield* Effect.flip(generated({ type: "object", properties: { a: { $ref: "#/nowhere" } } }))).toMatchObject(
        { _tag: "InvalidTool", tool: "tool" }
      )
    })
  )

  it.effect("type-checks under strict: all of the above", () =>
    Effect.gen(function* () {
      expect(generatedModules.length).toBeGreaterThan(10)
      expect(yield* errorsOf(generatedModules)).toEqual([])
    })
  )
})
