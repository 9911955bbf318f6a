/**
 * A toolset is what a runner runs: a live collection of tools, whatever they
 * were made from.
 *
 * A toolset's type names its tools, so that names, parameters and results stay
 * known to the compiler through every combinator; what requests must provide;
 * and how an offer can fail, which only a toolset with names unknown to the
 * compiler can.
 *
 * The file is long by its documentation alone: each name stands here with an
 * example that is run, and is made in a file of its own under `toolset/`.
 */

export {
  /**
   * A toolset: `Toolset<Tools, R, E>`. `Tools` maps the names that the compiler
   * knows to tools of `@effect/ai`.
   *
   * @category models
   */
  type Toolset,
  /**
   * Any toolset.
   *
   * @category models
   */
  type Any,
  /**
   * The tools of a toolset whose names only the run time knows.
   *
   * @category models
   */
  type DynamicTools,
  /**
   * Which definitions were added, removed or altered.
   *
   * @category models
   */
  type Change,
  /**
   * The tools that are offered for one request, and the names of those that
   * exist but are not.
   *
   * @category models
   */
  type Offer,
  /**
   * One tool of a toolset, ready to be run. Sources make entries; programs need
   * not look at them.
   *
   * @category models
   */
  type Entry,
  /**
   * The hidden fields of all tools, as the call context must hold them.
   *
   * @category type-level
   */
  type ContextOf
} from "./toolset/model.js"

export {
  /**
   * A toolset from a toolkit, with the handlers that are in the context: its
   * type requires what `toolkit.toLayer` provides. Each toolset keeps the
   * handlers it was made with, so two toolkits may have tools of one name.
   *
   * Fails with `InvalidTool` when a tool cannot be offered to a model.
   *
   * Handlers that hold resources live as long as their Layer: make the toolset
   * where the Layer lives (`ToolRunner.layer`), or use `fromLayer`.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { Tool, Toolkit } from "@effect/ai"
   * import { ToolCall, ToolRunner, Toolset } from "@wield/core"
   * import { Effect, Schema } from "effect"
   *
   * const Double = Tool.make("double", { parameters: { n: Schema.Number }, success: Schema.Number })
   * class Sums extends Toolkit.make(Double) {}
   * const SumsLive = Sums.toLayer({ double: ({ n }) => Effect.succeed(n * 2) })
   *
   * const program = Effect.gen(function* () {
   *   const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Sums))
   *   return yield* runner.run(ToolCall.make("call_1", "double", '{"n":21}'))
   * })
   * const outcome = Effect.runSync(program.pipe(Effect.provide(SumsLive)))
   * assert.strictEqual(outcome._tag === "Success" && outcome.encoded, 42)
   * ```
   *
   * @category constructors
   */
  fromToolkit,
  /**
   * A toolset from a toolkit and the Layer of its handlers, which lives until
   * the scope closes.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { Tool, Toolkit } from "@effect/ai"
   * import { ToolRunner, Toolset } from "@wield/core"
   * import { Effect, Schema } from "effect"
   *
   * const Double = Tool.make("double", { parameters: { n: Schema.Number }, success: Schema.Number })
   * class Sums extends Toolkit.make(Double) {}
   * const SumsLive = Sums.toLayer({ double: ({ n }) => Effect.succeed(n * 2) })
   *
   * const program = Effect.gen(function* () {
   *   const runner = yield* ToolRunner.make(yield* Toolset.fromLayer(Sums, SumsLive))
   *   return yield* runner.call("double", { n: 21 })
   * })
   * assert.strictEqual(Effect.runSync(Effect.scoped(program)), 42)
   * ```
   *
   * @category constructors
   */
  fromLayer,
  /**
   * The tools of a toolkit. A class that extends `Toolkit.make(…)` is named in
   * it, so that an editor shows `Toolset<ToolsOf<typeof Shop>>` in place of all
   * tools with their schemas.
   *
   * @category type-level
   */
  type ToolsOf
} from "./toolset/fromToolkit.js"

export {
  /**
   * A tool that is known at run time only: name, description, JSON Schema and
   * what it does.
   *
   * @category models
   */
  type DynamicTool,
  /**
   * A toolset that can be changed while it is in use; it announces each change
   * of its definitions.
   *
   * @category models
   */
  type DynamicToolset,
  /**
   * A toolset from tools that are known at run time only. Arguments are
   * validated against their JSON Schema (any draft, and the dialects that
   * `JsonSchema.compile` reads). `execute` gets what was given: a `default` in the
   * schema tells a model what happens without the value, and is never filled in.
   * What a tool answers must be a JSON value; it is not checked against its
   * `outputSchema`.
   *
   * Fails with `ToolNameCollision` when two have the same name, with
   * `InvalidTool` when a schema cannot be compiled.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { ToolCall, ToolRunner, Toolset } from "@wield/core"
   * import { Effect } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   const toolset = yield* Toolset.dynamic([
   *     {
   *       name: "greet",
   *       description: "Greets a person",
   *       inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
   *       execute: ({ name }) => Effect.succeed(`Hello, ${name}`)
   *     }
   *   ])
   *   const runner = yield* ToolRunner.make(toolset)
   *   return yield* runner.run(ToolCall.make("call_1", "greet", { name: "Ada" }))
   * })
   * Effect.runPromise(program).then((outcome) => {
   *   assert.strictEqual(outcome._tag === "Success" && outcome.encoded, "Hello, Ada")
   * })
   * ```
   *
   * @category constructors
   */
  dynamic
} from "./toolset/dynamic.js"

export {
  /**
   * Several toolsets as one. A name that stands in more than one of them is a
   * compile error; where only the run time knows the names it is a
   * `ToolNameCollision` in the error channel of what uses the toolset.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { Tool, Toolkit } from "@effect/ai"
   * import { ToolRunner, Toolset } from "@wield/core"
   * import { Effect, Schema } from "effect"
   *
   * class Shop extends Toolkit.make(Tool.make("get_orders", { success: Schema.Number })) {}
   * class Bank extends Toolkit.make(Tool.make("get_orders", { success: Schema.String })) {}
   *
   * const program = Effect.gen(function* () {
   *   // Each with its own Layer: in one context, the last handler of a name would be that of both.
   *   const shop = yield* Toolset.fromToolkit(Shop).pipe(
   *     Effect.provide(Shop.toLayer({ get_orders: () => Effect.succeed(3) }))
   *   )
   *   const bank = yield* Toolset.fromToolkit(Bank).pipe(
   *     Effect.provide(Bank.toLayer({ get_orders: () => Effect.succeed("standing orders") }))
   *   )
   *   // @ts-expect-error Both have a tool named get_orders.
   *   Toolset.combine(shop, bank)
   *
   *   const runner = yield* ToolRunner.make(Toolset.combine(shop, bank.pipe(Toolset.prefix("bank_"))))
   *   return [yield* runner.call("get_orders", {}), yield* runner.call("bank_get_orders", {})]
   * })
   * assert.deepStrictEqual(Effect.runSync(program), [3, "standing orders"])
   * ```
   *
   * @category combinators
   */
  combine
} from "./toolset/combine.js"

export {
  /**
   * A toolset whose names all begin with the given text.
   *
   * @example
   * ```ts
   * import { Tool, Toolkit } from "@effect/ai"
   * import { ToolRunner, Toolset } from "@wield/core"
   * import { Effect, Schema } from "effect"
   *
   * class Now extends Toolkit.make(Tool.make("now", { success: Schema.Number })) {}
   * const program = Effect.gen(function* () {
   *   const clock = (yield* Toolset.fromToolkit(Now)).pipe(Toolset.prefix("clock_"))
   *   const runner = yield* ToolRunner.make(clock)
   *   return yield* runner.call("clock_now", {})
   * })
   * Effect.runSync(program.pipe(Effect.provide(Now.toLayer({ now: () => Effect.succeed(0) }))))
   * ```
   *
   * @category combinators
   */
  prefix
} from "./toolset/prefix.js"

export {
  /**
   * A toolset in which some tools have other names: `rename({ old: "new" })`.
   * A new name that another tool has, and an old name that no tool has, are
   * compile errors; with names unknown to the compiler, a new name that is
   * taken is a `ToolNameCollision` and an old one that is not there is ignored.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { Tool, Toolkit } from "@effect/ai"
   * import { ToolCall, ToolRunner, Toolset } from "@wield/core"
   * import { Effect, Schema } from "effect"
   *
   * class Clock extends Toolkit.make(Tool.make("now", { success: Schema.Number })) {}
   * const program = Effect.gen(function* () {
   *   const clock = (yield* Toolset.fromToolkit(Clock)).pipe(Toolset.rename({ now: "current_time" }))
   *   const runner = yield* ToolRunner.make(clock)
   *   const old = yield* runner.run(ToolCall.make("call_1", "now", {}))
   *   return [old._tag, yield* runner.call("current_time", {})]
   * })
   * assert.deepStrictEqual(
   *   Effect.runSync(program.pipe(Effect.provide(Clock.toLayer({ now: () => Effect.succeed(12) })))),
   *   ["UnknownTool", 12]
   * )
   * ```
   *
   * @category combinators
   */
  rename
} from "./toolset/rename.js"

export {
  /**
   * A selection of a toolset's tools: `select("get_orders", "refund")`. What is
   * not selected does not exist in it: a call of it ends as `UnknownTool`.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { Tool, Toolkit } from "@effect/ai"
   * import { ToolCall, ToolRunner, Toolset } from "@wield/core"
   * import { Effect, Schema } from "effect"
   *
   * class Clock extends Toolkit.make(Tool.make("now", { success: Schema.Number }), Tool.make("set", {})) {}
   * const program = Effect.gen(function* () {
   *   const runner = yield* ToolRunner.make((yield* Toolset.fromToolkit(Clock)).pipe(Toolset.select("now")))
   *   return (yield* runner.run(ToolCall.make("call_1", "set", {})))._tag
   * })
   * const ClockLive = Clock.toLayer({ now: () => Effect.succeed(12), set: () => Effect.void })
   * assert.strictEqual(Effect.runSync(program.pipe(Effect.provide(ClockLive))), "UnknownTool")
   * ```
   *
   * @category combinators
   */
  select
} from "./toolset/select.js"

export {
  /**
   * Decides per request which tools are offered, by definition and call
   * context. What is not offered cannot be run by naming it: such a call ends
   * as `Unavailable`.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { CallContext, ToolRunner, Toolset } from "@wield/core"
   * import { Effect } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   const all = yield* Toolset.dynamic([{ name: "delete_all", execute: () => Effect.succeed("gone") }])
   *   const runner = yield* ToolRunner.make(
   *     all.pipe(Toolset.filter((definition, context) => context.isAdmin === true || !definition.facts.isDestructive))
   *   )
   *   return yield* runner.definitions
   * })
   * Effect.runPromise(program).then((offered) => assert.strictEqual(offered.length, 0))
   * Effect.runPromise(program.pipe(CallContext.provide({ isAdmin: true }))).then((offered) =>
   *   assert.strictEqual(offered.length, 1)
   * )
   * ```
   *
   * @category combinators
   */
  filter
} from "./toolset/filter.js"

export {
  /**
   * How `filterEffect` announces changes.
   *
   * @category models
   */
  type FilterEffectOptions,
  /**
   * Decides per request which tools are offered, by an effect that can look
   * something up first: in the call context, in the current run, in a store. As
   * with `filter`, what is not offered cannot be run by naming it. How the effect
   * fails, the offer fails.
   *
   * Where it decides otherwise without a change of the toolset, `changes` says
   * what to announce. An effect that gives the same function for the same
   * decision spares making the offer again.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { ToolCall, ToolRunner, Toolset } from "@wield/core"
   * import { Effect, Ref } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   const isOpen = yield* Ref.make(true)
   *   const all = yield* Toolset.dynamic([{ name: "order", execute: () => Effect.succeed("ordered") }])
   *   const toolset = all.pipe(Toolset.filterEffect(Effect.map(Ref.get(isOpen), (open) => () => open)))
   *   const runner = yield* ToolRunner.make(toolset)
   *   const before = yield* runner.run(ToolCall.make("call_1", "order", {}))
   *   yield* Ref.set(isOpen, false)
   *   const after = yield* runner.run(ToolCall.make("call_2", "order", {}))
   *   return [before._tag, after._tag]
   * })
   * Effect.runPromise(program).then((tags) => assert.deepStrictEqual(tags, ["Success", "Unavailable"]))
   * ```
   *
   * @category combinators
   */
  filterEffect
} from "./toolset/filterEffect.js"

export {
  /**
   * What `prepare` may change of a definition.
   *
   * @category models
   */
  type Prepared,
  /**
   * Changes definitions per request: `prepare((definition, context) => ({
   * description: … }))`. What the model is shown changes; how a call is decoded
   * and run does not, so a narrower schema is not enforced and a wider one not
   * accepted.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { Tool, Toolkit } from "@effect/ai"
   * import { ToolRunner, Toolset } from "@wield/core"
   * import { Effect, Schema } from "effect"
   *
   * class Clock extends Toolkit.make(Tool.make("now", { description: "The time", success: Schema.Number })) {}
   * const program = Effect.gen(function* () {
   *   const clock = (yield* Toolset.fromToolkit(Clock)).pipe(
   *     Toolset.prepare((_, context) => (context.language === "de" ? { description: "Die Uhrzeit" } : {}))
   *   )
   *   const runner = yield* ToolRunner.make(clock)
   *   return (yield* runner.forRun({ context: { language: "de" } }).definitions).map(({ description }) => description)
   * })
   * assert.deepStrictEqual(
   *   Effect.runSync(program.pipe(Effect.provide(Clock.toLayer({ now: () => Effect.succeed(12) })))),
   *   ["Die Uhrzeit"]
   * )
   * ```
   *
   * @category combinators
   */
  prepare
} from "./toolset/prepare.js"

export {
  /**
   * A toolset in which some tools have other descriptions:
   * `describe({ get_orders: "…" })`. A name that no tool has is a compile error
   * where names are static.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { Tool, Toolkit } from "@effect/ai"
   * import { ToolRunner, Toolset } from "@wield/core"
   * import { Effect, Schema } from "effect"
   *
   * class Clock extends Toolkit.make(Tool.make("now", { description: "The time", success: Schema.Number })) {}
   * const program = Effect.gen(function* () {
   *   const clock = (yield* Toolset.fromToolkit(Clock)).pipe(
   *     Toolset.describe({ now: "The time in Vienna, in seconds since midnight" })
   *   )
   *   const runner = yield* ToolRunner.make(clock)
   *   return (yield* runner.definitions).map(({ description }) => description)
   * })
   * assert.deepStrictEqual(
   *   Effect.runSync(program.pipe(Effect.provide(Clock.toLayer({ now: () => Effect.succeed(12) })))),
   *   ["The time in Vienna, in seconds since midnight"]
   * )
   * ```
   *
   * @category combinators
   */
  describe
} from "./toolset/describe.js"

export {
  /**
   * What a call comes to that the tool itself did not end: denied, deferred,
   * timed out, of invalid arguments, … The program gets the outcome, the model
   * its text.
   *
   * @category type-level
   */
  type NotRun,
  /**
   * The tools of a toolset as `@effect/ai` knows them: their names and results
   * are kept; arguments are `unknown`, as the model sent them.
   *
   * @category type-level
   */
  type ToolkitTools,
  /**
   * A toolset as a toolkit for `LanguageModel` of `@effect/ai`: `{ tools, handle }`,
   * whose calls run through the runner's pipeline under a policy. It has the
   * tools that are on offer when the effect is run; given to `LanguageModel` as
   * an effect, it has those on offer for each request.
   *
   * The model is shown the toolset's definitions. Whatever is wrong with a call,
   * the response lives on: invalid arguments, a denial, a timeout, a crash are
   * results with `isFailure`, whose `encodedResult` the model can read and whose
   * `result` is the outcome; so is a typed failure, whatever its failureMode.
   * Hidden fields are filled from `CallContext.provide` around the request. A
   * call that would be deferred is not run, for `@effect/ai` has no word for it.
   *
   * A name that no tool has still fails the response with `MalformedOutput`:
   * `@effect/ai` knows the names it has offered only.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { LanguageModel } from "@effect/ai"
   * import { Toolset } from "@wield/core"
   * import { Effect, Stream } from "effect"
   *
   * // A model that calls one tool, with an argument of the wrong type; a program has a Layer of a provider.
   * const model = LanguageModel.make({
   *   generateText: () =>
   *     Effect.succeed([{ type: "tool-call", id: "call_1", name: "greet", params: { name: 7 } }]),
   *   streamText: () => Stream.empty
   * })
   *
   * const program = Effect.gen(function* () {
   *   const toolset = yield* Toolset.dynamic([
   *     {
   *       name: "greet",
   *       inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
   *       execute: ({ name }) => Effect.succeed(`Hello, ${name}`)
   *     }
   *   ])
   *   const response = yield* LanguageModel.generateText({
   *     prompt: "Greet number seven",
   *     toolkit: Toolset.toToolkit(toolset)
   *   })
   *   return response.toolResults[0]
   * })
   * Effect.runPromise(program.pipe(Effect.provideServiceEffect(LanguageModel.LanguageModel, model))).then((result) => {
   *   assert.strictEqual(result?.isFailure, true)
   *   assert.match(String(result?.encodedResult), /The arguments of greet are invalid/)
   * })
   * ```
   *
   * @category conversions
   */
  toToolkit
} from "./toolset/toToolkit.js"
