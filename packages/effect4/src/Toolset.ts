/**
 * A toolset: tools with their handlers, from a toolkit of Effect 4 or known at
 * run time only, ready for a runner, an agent or a `LanguageModel`.
 */
import { Toolset as Toolset3 } from "@wield/effect3"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Types from "effect/Types"
import type { Values } from "./CallContext.js"
import type { InvalidTool, ToolNameCollision, ToolsetError } from "./Errors.js"
import type { Facts } from "./Facts.js"
import type * as Hidden from "./Hidden.js"
import { toolkitOfToolset } from "./internal/toToolkit.js"
import { toolsOfToolkit } from "./internal/tools.js"
import type { Deferred, Unhandled } from "./Outcome.js"
import type { Policy } from "./Policy.js"
import type * as Ai from "./internal/effectAi.js"
import { handlerInto3 } from "./internal/into3.js"
import { into4 } from "./internal/seam.js"
import { addCall, combineParts, makeToolset, partsOf, renameParts } from "./internal/toolsets.js"

/**
 * @category type ids
 */
export declare const TypeId: unique symbol

/** The key of a toolset's tools under which it says that it has tools whose names only the run time knows. */
declare const Dynamic: unique symbol

/**
 * The tools of a toolset whose names only the run time knows.
 *
 * @category models
 */
export interface DynamicTools {
  readonly [Dynamic]: true
}

/**
 * A toolset. `Tools` are its tools by name, `R` what their handlers require of
 * each call, beyond what their Layer had.
 *
 * @category models
 */
export interface Toolset<out Tools, out R = never> {
  readonly [TypeId]: { readonly _Tools: Types.Covariant<Tools>; readonly _R: Types.Covariant<R> }
}

/**
 * The tools of a toolkit.
 *
 * @category type-level
 */
export type ToolsOf<Kit extends Ai.AnyToolkit> = Ai.ToolsOf<Kit>

/**
 * What the handlers of these tools require of each call.
 *
 * @category type-level
 */
export type RequirementsOf<Tools> = { readonly [Name in keyof Tools]: Ai.ServicesOf<Tools[Name]> }[keyof Tools]

/**
 * The hidden fields of all tools, as the call context must hold them.
 *
 * @category type-level
 */
export type ContextOf<Tools> = Types.Simplify<
  Types.UnionToIntersection<
    { readonly [Name in keyof Tools & string]: Hidden.ContextOf<Tools[Name]> }[keyof Tools & string]
  >
>

/**
 * A toolkit of Effect 4 and the handlers of its Layer as a toolset. Fails with
 * `InvalidTool` where a tool cannot be offered: its parameters are no object, a
 * hidden field is not among them, its provider executes it.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolCall, ToolRunner, Toolset } from "@wield/effect4"
 * import { Effect, Schema } from "effect"
 * import { Tool, Toolkit } from "effect/ai"
 *
 * const Double = Tool.make("double", { parameters: Schema.Struct({ n: Schema.Finite }), success: Schema.Finite })
 * const Sums = Toolkit.make(Double)
 * const program = Effect.gen(function* () {
 *   const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Sums))
 *   return yield* runner.run(ToolCall.make("call_1", "double", '{"n":21}'))
 * })
 * const SumsLive = Sums.toLayer({ double: ({ n }) => Effect.succeed(n * 2) })
 * const outcome = await Effect.runPromise(Effect.provide(program, SumsLive))
 * assert.ok(outcome._tag === "Success" && outcome.result === 42)
 * ```
 *
 * @category constructors
 */
export const fromToolkit = <Kit extends Ai.AnyToolkit>(
  toolkit: Kit
): Effect.Effect<
  Toolset<ToolsOf<Kit>, RequirementsOf<ToolsOf<Kit>>>,
  InvalidTool | ToolNameCollision,
  Ai.HandlersOf<Kit>
> =>
  Effect.flatMap(Effect.context<Ai.HandlersOf<Kit>>(), (context) =>
    Effect.flatMap(into4(toolsOfToolkit(toolkit, context)), ({ rules, tools }) =>
      Effect.map(into4(Toolset3.constant(tools)), (toolset) => makeToolset(toolset, rules))
    )
  )

/**
 * The same with the Layer of its handlers, which lives as long as the scope.
 *
 * @category constructors
 */
export const fromLayer = <Kit extends Ai.AnyToolkit, E, RIn>(
  toolkit: Kit,
  handlers: Layer.Layer<Ai.HandlersOf<Kit>, E, RIn>
): Effect.Effect<
  Toolset<ToolsOf<Kit>, RequirementsOf<ToolsOf<Kit>>>,
  E | InvalidTool | ToolNameCollision,
  RIn | Scope.Scope
> => Effect.flatMap(Layer.build(handlers), (context) => Effect.provide(fromToolkit(toolkit), context))

/**
 * A tool that is known at run time only.
 *
 * @category models
 */
export interface DynamicTool<out R = never> {
  readonly name: string
  readonly description?: string | undefined
  /** JSON Schema of the arguments; without it, the tool takes none. */
  readonly inputSchema?: { readonly [keyword: string]: unknown } | undefined
  readonly outputSchema?: { readonly [keyword: string]: unknown } | undefined
  readonly facts?: Partial<Facts> | undefined
  /** Properties of the input schema that the call context supplies. */
  readonly hidden?: ReadonlyArray<string> | undefined
  /** Gets the valid arguments; gives a JSON value. A failure goes to the model. */
  readonly execute: (parameters: { readonly [name: string]: unknown }) => Effect.Effect<unknown, unknown, R>
}

type Tool3 = Toolset3.DynamicTool

/** Plain JavaScript can give anything. */
const toolTo3 = <R>(tool: DynamicTool<R>): unknown =>
  Predicate.hasProperty(tool, "execute") && typeof tool.execute === "function"
    ? {
        ...tool,
        execute: (parameters: { readonly [name: string]: unknown }) =>
          handlerInto3(() => tool.execute(parameters), addCall)
      }
    : tool

/**
 * A toolset from tools that are known at run time only.
 *
 * @category constructors
 */
export const dynamic = <R = never>(
  tools: Iterable<DynamicTool<R>>
): Effect.Effect<Toolset<DynamicTools, R>, ToolNameCollision | InvalidTool> =>
  Effect.map(
    into4(
      // What compiles them says what is wrong with them.
      Toolset3.constant((Predicate.isIterable(tools) ? Array.from(tools, toolTo3) : tools) as Iterable<Tool3>)
    ),
    (toolset) => makeToolset(toolset, new Map())
  )

/**
 * Two toolsets as one. Two tools of one name are a `ToolNameCollision` where a
 * runner is made.
 *
 * @category combinators
 */
export const combine = <Tools, R, Tools2, R2>(
  left: Toolset<Tools, R>,
  right: Toolset<Tools2, R2>
): Toolset<Tools & Tools2, R | R2> => combineParts(partsOf(left), partsOf(right))

type Prefixed<Tools, Prefix extends string> = {
  readonly [Name in keyof Tools as Name extends string ? `${Prefix}${Name}` : Name]: Tools[Name]
}

/**
 * A toolset whose names begin with a prefix.
 *
 * @category combinators
 */
export const prefix = <Tools, R, const Prefix extends string>(
  self: Toolset<Tools, R>,
  prefix: Prefix
): Toolset<Prefixed<Tools, Prefix>, R> => {
  const { rules, toolset } = partsOf(self)
  return renameParts(Toolset3.prefix(toolset, prefix), rules, (name) => `${prefix}${name}`)
}

type NewName<Names, Name> = Name extends keyof Names ? (Names[Name] extends string ? Names[Name] : Name) : Name

/** Any name, where only the run time knows them all. */
type OldName<Tools> = Tools extends DynamicTools ? string : keyof Tools & string

/**
 * A toolset in which some tools have other names: `Toolset.rename(shop, { old:
 * "new" })`. A new name that another tool has is a `ToolNameCollision` where a
 * runner is made.
 *
 * @category combinators
 */
export const rename = <Tools, R, const Names extends { readonly [Old in OldName<Tools>]?: string }>(
  self: Toolset<Tools, R>,
  names: Names & { readonly [Old in Exclude<keyof Names, OldName<Tools>>]: never }
): Toolset<{ readonly [Name in keyof Tools as NewName<Names, Name>]: Tools[Name] }, R> => {
  const { rules, toolset } = partsOf(self)
  const newNames: { readonly [old: string]: string | undefined } = names
  // What has no new name keeps its own, there as here.
  return renameParts(Toolset3.rename(toolset, newNames as { readonly [old: string]: string }), rules, (name) =>
    Object.hasOwn(newNames, name) ? (newNames[name] ?? name) : name
  )
}

/**
 * A toolset of some of the tools.
 *
 * @category combinators
 */
export const select = <Tools, R, const Name extends keyof Tools & string>(
  self: Toolset<Tools, R>,
  ...names: ReadonlyArray<Name>
): Toolset<Pick<Tools, Name>, R> => {
  const { rules, toolset } = partsOf(self)
  const selected: ReadonlySet<string> = new Set(names)
  // It looks at the names; which there are is known to this package's types.
  const select3 = Toolset3.select(...(names as ReadonlyArray<never>))
  return renameParts(select3(toolset), rules, (name) => (selected.has(name) ? name : undefined))
}

/**
 * What a call comes to that the tool itself did not end.
 *
 * @category type-level
 */
export type NotRun = Deferred | Unhandled

/**
 * The tools of a toolset as `LanguageModel` knows them: their names and results are kept.
 *
 * @category type-level
 */
export type ToolkitTools<Tools, R> = {
  readonly [Name in keyof Tools & string]: Ai.ShadowTool<
    Name,
    Ai.Success<Tools[Name]>,
    Ai.Failure<Tools[Name]> | NotRun,
    R
  >
} & (Tools extends DynamicTools ? { readonly [name: string]: Ai.ShadowTool<string, unknown, unknown, R> } : unknown)

/**
 * A toolset as a toolkit for the `LanguageModel` of Effect 4, whose calls run
 * under a policy. It has the tools on offer when the effect is run.
 *
 * Whatever is wrong with a call, the response lives on: it is a result with
 * `isFailure`, whose `encodedResult` the model reads. A call that would wait is
 * not run, for `LanguageModel` has no word for it: an agent does. A name that
 * no tool has still fails the response, unless `toolCallValidation` is
 * `"deferred"`.
 *
 * @category conversions
 */
export const toToolkit = <Tools, R>(
  toolset: Toolset<Tools, R>,
  policy: Policy<NoInfer<Tools>> = {},
  ...[options]: [keyof ContextOf<Tools>] extends [never]
    ? [options?: { readonly id?: string; readonly context?: Values }]
    : [options: { readonly id?: string; readonly context: ContextOf<Tools> & Values }]
): Effect.Effect<Ai.WithHandler<ToolkitTools<Tools, R>>, ToolsetError> =>
  // The names and results are those of the toolset's type.
  toolkitOfToolset(partsOf(toolset), policy, options ?? {}) as unknown as Effect.Effect<
    Ai.WithHandler<ToolkitTools<Tools, R>>,
    ToolsetError
  >
