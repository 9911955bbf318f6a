/** What plain JavaScript may give: what was to be kept back must not be shown, or offered. */
import { expect, it } from "@effect/vitest"
import { Facts, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { causeOf, untyped } from "../../../../test/untyped.js"

const pay: Toolset.DynamicTool = { name: "pay", execute: () => Effect.succeed("paid") }

it.effect.each<readonly [object, string]>([
  [{ hiden: ["account"] }, 'hiden must be named as an option is (did you mean "hidden"?)'],
  [{ hidden: "account" }, "hidden must be an array of texts"],
  [{ facts: { isReadonly: true } }, 'facts.isReadonly must be named as an option is (did you mean "isReadOnly"?)'],
  [{ facts: { isReadOnly: "yes" } }, "facts.isReadOnly must be true or false"],
  [{ name: undefined }, "name must be a name, but is nothing"],
  [{ description: 5 }, "description must be a text, but is 5"],
  [{ execute: "pay" }, 'execute must be a function, but is "pay"'],
  [{ facts: { kind: "cleint" } }, 'facts.kind must be "local" or "api" or "client" or "provider", but is "cleint"'],
  [{ facts: { disclosure: "no" } }, 'facts.disclosure must be "none" or "endpoint" or "any", but is "no"'],
  [{ facts: { title: 5 } }, "facts.title must be a text, but is 5"],
  [{ facts: { examples: [{}, "a"] } }, 'facts.examples[1] must be an object of arguments, but is "a"'],
  [{ facts: new Map() }, "facts must be an object, but is an instance of Map"],
  [{ inputSchema: new Map() }, "inputSchema must be a JSON Schema, but is an instance of Map"],
  [
    { inputSchema: { type: "object", properties: { n: new Date(0) } } },
    "properties.n: expected a JSON Schema, which is a literal's object without functions; this is an instance of Date"
  ],
  [
    { inputSchema: { type: "object", properties: { n: { anyOf: [{ type: "number", "~run": () => 1 }] } } } },
    "properties.n.anyOf[0]: expected a JSON Schema"
  ]
])("a tool with %j is refused", ([more, problem]) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Toolset.dynamic([{ ...pay, ...more }]))
    expect(error.message).toContain(problem)
  })
)

// As plain JavaScript gives them.
const unsure = [async () => false, () => Effect.succeed(false)] as unknown as ReadonlyArray<() => boolean>

it.effect("a filter that gives a promise or an effect offers nothing", () =>
  Effect.gen(function* () {
    const tools = yield* Toolset.dynamic([pay])
    for (const decide of unsure) {
      for (const offer of [
        Toolset.filter(decide)(tools).offer,
        Toolset.filterEffect(Effect.succeed(decide))(tools).offer
      ]) {
        expect(yield* causeOf(offer)).toContain("must give true or false")
      }
      const facts = Facts.make({ disclosure: "endpoint" })
      expect(() => Facts.staysLocal({ isEndpointAllowed: decide })({ name: "pay", facts })).toThrow("true or false")
    }
  })
)

it.effect.each<readonly [object, string]>([
  [{ offred: [] }, 'offred must be named as an option is (did you mean "offered"?)'],
  [{ context: new Map([["account", 1]]) }, "context must be an object, but is an instance of Map"],
  [{ context: Promise.resolve({}) }, "context must be an object, but is a promise"]
])("a run of %j does not begin", ([options, problem]) =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* Toolset.dynamic([pay]))
    expect(() => runner.forRun(options)).toThrow(problem)
  })
)

it.effect("what is no toolset is refused where it is given", () =>
  Effect.gen(function* () {
    const tools = yield* Toolset.dynamic([pay])
    for (const wrong of [undefined, [pay], Promise.resolve(tools), Toolset.dynamic([pay])]) {
      // As above.
      const given = wrong as unknown as typeof tools
      const made = Effect.asVoid(ToolRunner.make(given))
      expect(yield* causeOf(made)).toContain("What a runner is made of must be a toolset")
      expect(() => Toolset.combine(tools, given)).toThrow("Number 2 of what is combined must be a toolset")
    }
  })
)

it.effect.each([undefined, 5, "pay", pay, Promise.resolve([pay])])(
  "a dynamic toolset of %j says what it takes",
  (given) =>
    Effect.gen(function* () {
      const make = untyped<Effect.Effect<unknown>>(Toolset.dynamic)
      expect(yield* causeOf(make(given))).toContain(
        "What a dynamic toolset is made of must be an array of tools, but is"
      )
    })
)

it.effect("what is no tool is refused by its name", () =>
  Effect.gen(function* () {
    for (const given of [undefined, "pay", []]) {
      const error = yield* Effect.flip(untyped<ReturnType<typeof Toolset.dynamic>>(Toolset.dynamic)([given]))
      expect(error.message).toContain('The tool "without a name" cannot be offered: it must be an object, but is')
    }
  })
)

it.effect.each<readonly [string, unknown, ReadonlyArray<unknown>, string]>([
  ["prefix", Toolset.prefix, [5], "The prefix of a toolset must be a text, but is 5"],
  ["select", Toolset.select, [["pay"]], "What `Toolset.select` takes must be an array of texts, but is an array"],
  [
    "rename",
    Toolset.rename,
    [new Map([["pay", "buy"]])],
    "What `Toolset.rename` takes must be an object, but is an instance of Map"
  ],
  ["rename", Toolset.rename, [{ pay: 5 }], "pay must be a name, but is 5"],
  ["describe", Toolset.describe, [{ pay: ["Pays"] }], "pay must be a text, but is an array"],
  ["filter", Toolset.filter, [true], "What `Toolset.filter` takes must be a function, but is true"],
  [
    "filterEffect",
    Toolset.filterEffect,
    [() => true],
    "What `Toolset.filterEffect` takes must be an effect that gives a function"
  ],
  ["prepare", Toolset.prepare, [{}], "What `Toolset.prepare` takes must be a function, but is an empty object"],
  ["providerSettings", Toolset.providerSettings, [{}], "What `Toolset.providerSettings` takes must be a function"]
])("%s says what it takes", ([, make, given, problem]) =>
  Effect.gen(function* () {
    const tools = yield* Toolset.dynamic([pay])
    expect(() => untyped<(tools: unknown) => unknown>(make)(...given)(tools)).toThrow(problem)
  })
)

it.effect.each<readonly [string, unknown, ReadonlyArray<unknown>]>([
  ["prefix", Toolset.prefix, ["my_"]],
  ["select", Toolset.select, ["pay"]],
  ["rename", Toolset.rename, [{ pay: "buy" }]],
  ["describe", Toolset.describe, [{ pay: "Pays" }]],
  ["filter", Toolset.filter, [() => true]],
  ["filterEffect", Toolset.filterEffect, [Effect.succeed(() => true)]],
  ["prepare", Toolset.prepare, [() => ({})]],
  ["providerSettings", Toolset.providerSettings, [() => ({})]]
])("%s of what is no toolset says so", ([, make, given]) =>
  Effect.sync(() => {
    for (const wrong of [undefined, [pay], Toolset.dynamic([pay])]) {
      expect(() => untyped<(tools: unknown) => unknown>(make)(...given)(wrong)).toThrow("must be a toolset")
    }
  })
)

it.effect.each<readonly [string, unknown, unknown, string]>([
  ["prepare", Toolset.prepare, async () => ({ description: "Pays" }), "must be an object, but is a promise"],
  ["prepare", Toolset.prepare, () => ({ descripton: "Pays" }), 'did you mean "description"?'],
  ["providerSettings", Toolset.providerSettings, async () => ({}), "must be an object, but is a promise"]
])("what the function of %s gives is checked", ([, make, change, problem]) =>
  Effect.gen(function* () {
    const tools = yield* Toolset.dynamic([pay])
    const changed = untyped<(given: Toolset.DynamicToolset) => Toolset.DynamicToolset>(make)(change)(tools)
    expect(yield* causeOf(changed.offer)).toContain(problem)
  })
)

it.effect("what is no toolkit is refused where it is given", () =>
  Effect.gen(function* () {
    for (const wrong of [undefined, [pay], { tools: 5 }]) {
      const made = untyped<Effect.Effect<unknown>>(Toolset.fromToolkit)(wrong)
      expect(yield* causeOf(made)).toContain("What a toolset is made of must be a toolkit")
    }
  })
)
