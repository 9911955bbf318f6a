/**
 * A toolset is what a runner runs: a live collection of tools, whatever they
 * were made from.
 *
 * A toolset's type names its tools, so that names, parameters and results stay
 * known to the compiler through every combinator; what requests must provide;
 * and how an offer can fail, which only a toolset with names unknown to the
 * compiler can.
 *
 * Half of the file is documentation; what combinators do is made under `toolset/`.
 */
import type { Tool, Toolkit } from "@effect/ai"
import type { Context, Scope } from "effect"
import * as Effect from "effect/Effect"
import { dual, identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { CallContext, type Values } from "./CallContext.js"
import { memoize } from "./internal/memoize.js"
import { aFunction, anything, aText, type Checks, fields, holds, isYes, orThrow, record, texts } from "./Options.js"
import { handlerOf, toolsOf } from "./internal/effectAi.js"
import type { ProviderSettings, ToolDefinition } from "./ToolDefinition.js"
import type { InvalidTool } from "./ToolsetError.js"
import { entryOf } from "./toolset/entryOf.js"
import {
  type Change,
  checkToolset,
  type DynamicTools,
  type Entry,
  knownOffer,
  make,
  type NameOf,
  noneWithheld,
  type Offer,
  type RequirementsOf,
  type Toolset
} from "./toolset/model.js"
import { withNames } from "./toolset/named.js"
import { renameChange, renameOffer } from "./toolset/rename.js"

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

/**
 * The tools of a toolkit. A class that extends `Toolkit.make(…)` is named in
 * it, so that an editor shows `Toolset<ToolsOf<typeof Shop>>` in place of all
 * tools with their schemas.
 *
 * @category type-level
 */
// Mapped, so that the compiler keeps the toolkit's name in what it shows.
export type ToolsOf<Kit extends Toolkit.Any> = { readonly [Name in keyof Kit["tools"]]: Kit["tools"][Name] }

type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never

/** The names that more than one tool of a toolkit has: `Toolkit.make` keeps the last and forgets the others. */
type Repeated<Tools> = {
  readonly [Name in keyof Tools]: IsUnion<Tools[Name]> extends false ? never : Name
}[keyof Tools]

interface RepeatedToolName<Name> {
  readonly "Two tools of this toolkit have the same name": Name
}

type WithoutRepeated<Tools> = [Repeated<Tools>] extends [never] ? unknown : RepeatedToolName<Repeated<Tools>>

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
 * import { ToolRunner, Toolset } from "@wield/core"
 * import { Effect, Schema } from "effect"
 *
 * const Double = Tool.make("double", { parameters: { n: Schema.Number }, success: Schema.Number })
 * class Sums extends Toolkit.make(Double) {}
 * const SumsLive = Sums.toLayer({ double: ({ n }) => Effect.succeed(n * 2) })
 * const program = Effect.gen(function* () {
 *   const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Sums))
 *   return yield* runner.call("double", { n: 21 })
 * })
 * assert.strictEqual(Effect.runSync(program.pipe(Effect.provide(SumsLive))), 42)
 * ```
 *
 * @category constructors
 */
export const fromToolkit = <Kit extends Toolkit.Any>(
  toolkit: Kit & WithoutRepeated<Kit["tools"]>
): Effect.Effect<Toolset<ToolsOf<Kit>, RequirementsOf<Kit["tools"]>>, InvalidTool, Tool.HandlersFor<Kit["tools"]>> =>
  Effect.contextWithEffect((handlers: Context.Context<Tool.HandlersFor<Kit["tools"]>>) =>
    withHandlers<Kit>(toolkit, handlers)
  )

/**
 * A toolset from a toolkit and the Layer of its handlers, which lives until
 * the scope closes.
 *
 * @category constructors
 */
export const fromLayer = <Kit extends Toolkit.Any, E, RIn>(
  toolkit: Kit & WithoutRepeated<Kit["tools"]>,
  handlers: Layer.Layer<Tool.HandlersFor<Kit["tools"]>, E, RIn>
): Effect.Effect<Toolset<ToolsOf<Kit>, RequirementsOf<Kit["tools"]>>, InvalidTool | E, RIn | Scope.Scope> =>
  Effect.flatMap(Layer.build(handlers), (built) => withHandlers<Kit>(toolkit, built))

const withHandlers = <Kit extends Toolkit.Any>(
  toolkit: Kit,
  handlers: Context.Context<Tool.HandlersFor<Kit["tools"]>>
): Effect.Effect<Toolset<ToolsOf<Kit>, RequirementsOf<Kit["tools"]>>, InvalidTool> =>
  Effect.gen(function* () {
    const entries = new Map<string, Entry>()
    for (const tool of toolsOf(toolkit)) {
      entries.set(tool.name, yield* entryOf(tool, handlerOf(tool, handlers)))
    }
    return make({ offer: Effect.succeed({ entries, withheld: noneWithheld }), changes: Stream.empty })
  })

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
   * import { ToolRunner, Toolset } from "@wield/core"
   * import { Effect } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   const now = yield* Toolset.dynamic([{ name: "now", execute: () => Effect.succeed("12:00") }])
   *   const set = yield* Toolset.dynamic([{ name: "set", execute: () => Effect.void }])
   *   const clock = Toolset.combine(now, set).pipe(Toolset.select("now"), Toolset.prefix("clock_"))
   *   return yield* (yield* ToolRunner.make(clock)).definitions
   * })
   * Effect.runPromise(program).then(([now]) => assert.strictEqual(now?.name, "clock_now"))
   * ```
   *
   * @category constructors
   */
  dynamic,
  /**
   * As `dynamic`, of tools that never change: a name in a policy that none of
   * them has is an `InvalidPolicy` where the runner is made.
   *
   * @category constructors
   */
  constant
} from "./toolset/dynamic.js"

export {
  /**
   * Several toolsets as one. A name that stands in more than one of them is a
   * compile error; where only the run time knows the names it is a
   * `ToolNameCollision` in the error channel of what uses the toolset.
   *
   * @category combinators
   */
  combine
} from "./toolset/combine.js"

export {
  /**
   * A toolset in which some tools have other names: `rename({ old: "new" })`.
   * A new name that another tool has, and an old name that no tool has, are
   * compile errors; with names unknown to the compiler, a new name that is
   * taken is a `ToolNameCollision`, and an old one that is not there is thrown,
   * or logged where tools come and go.
   *
   * @category combinators
   */
  rename
} from "./toolset/rename.js"

type Prefixed<Tools, Prefix extends string> = {
  readonly [Name in keyof Tools as Name extends string ? `${Prefix}${Name}` : Name]: Tools[Name]
}

/**
 * A toolset whose names all begin with the given text.
 *
 * @category combinators
 */
export const prefix: {
  <const Prefix extends string>(
    prefix: Prefix
  ): <Tools, R, E>(self: Toolset<Tools, R, E>) => Toolset<Prefixed<Tools, Prefix>, R, E>
  <Tools, R, E, const Prefix extends string>(
    self: Toolset<Tools, R, E>,
    prefix: Prefix
  ): Toolset<Prefixed<Tools, Prefix>, R, E>
} = dual(2, <Tools, R, E, const Prefix extends string>(self: Toolset<Tools, R, E>, prefix: Prefix) => {
  orThrow(aText(prefix), "The prefix of a toolset")
  const newName = (name: string) => `${prefix}${name}`
  return mapOffer<Prefixed<Tools, Prefix>, R, E>(
    self,
    (offer) => renameOffer(offer, newName),
    Stream.map((change) => renameChange(change, newName))
  )
})

type Selected<Tools, Name> = { readonly [Key in Extract<keyof Tools, Name | symbol>]: Tools[Key] }

type Selection<Tools, Name> = unknown extends Tools ? DynamicTools : Selected<Tools, Name>

/**
 * A selection of a toolset's tools: `select("get_orders", "refund")`. What is
 * not selected does not exist in it: a call of it ends as `UnknownTool`. A name
 * that no tool has is thrown; where tools come and go, it is logged once.
 *
 * @category combinators
 */
export const select =
  <Tools, const Name extends NameOf<Tools>>(...names: ReadonlyArray<Name>) =>
  <R, E>(self: Toolset<Tools, R, E>): Toolset<Selection<Tools, Name>, R, E> => {
    orThrow(texts(names), "What `Toolset.select` takes")
    const selected = new Set<string>(names)
    const isSelected = (name: string) => selected.has(name)
    return mapOffer<Selection<Tools, Name>, R, E>(
      withNames(self, "Toolset.select", names),
      ({ entries, withheld }) => ({
        entries: new Map([...entries].filter(([name]) => isSelected(name))),
        withheld: new Map([...withheld].filter(([name]) => isSelected(name)))
      }),
      Stream.filterMap((change) => {
        const added = change.added.filter(isSelected)
        const removed = change.removed.filter(isSelected)
        const altered = change.altered.filter(isSelected)
        const isChanged = added.length + removed.length + altered.length > 0
        return isChanged ? Option.some({ added, removed, altered }) : Option.none()
      })
    )
  }

/**
 * Decides per request which tools are offered, by definition and call
 * context. What is not offered cannot be run by naming it: such a call ends
 * as `Unavailable`.
 *
 * @category combinators
 */
export const filter =
  (isOffered: (definition: ToolDefinition, context: Values) => boolean) =>
  <Tools, R, E>(self: Toolset<Tools, R, E>): Toolset<Tools, R, E> => {
    orThrow(aFunction(isOffered), "What `Toolset.filter` takes")
    return perRequest(self, (offer, context) => filterOffer(offer, (definition) => isOffered(definition, context)))
  }

/**
 * How `filterEffect` announces changes.
 *
 * @category models
 */
export interface FilterEffectOptions {
  /** What to announce, given what the toolset itself announces: the same unless given. */
  readonly changes?: ((changes: Stream.Stream<Change>) => Stream.Stream<Change>) | undefined
}

type IsOffered = (definition: ToolDefinition) => boolean

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
 * @category combinators
 */
export const filterEffect: {
  <E2>(
    decide: Effect.Effect<IsOffered, E2>,
    options?: FilterEffectOptions
  ): <Tools, R, E>(self: Toolset<Tools, R, E>) => Toolset<Tools, R, E | E2>
  <Tools, R, E, E2>(
    self: Toolset<Tools, R, E>,
    decide: Effect.Effect<IsOffered, E2>,
    options?: FilterEffectOptions
  ): Toolset<Tools, R, E | E2>
} = dual(
  (args) => !Effect.isEffect(args[0]),
  <Tools, R, E, E2>(
    self: Toolset<Tools, R, E>,
    decide: Effect.Effect<IsOffered, E2>,
    { changes = identity }: FilterEffectOptions = {}
  ): Toolset<Tools, R, E | E2> => {
    orThrow(anEffect(decide), "What `Toolset.filterEffect` takes")
    checkToolset("What is filtered", self)
    const viewsOf = memoize((offer: Offer) => memoize((isOffered: IsOffered) => filterOffer(offer, isOffered)))
    return make<Tools, R, E | E2>(
      {
        // The decision first: it may change the toolset, as connecting to a server does.
        offer: Effect.zipWith(decide, self.offer, (isOffered, offer) => {
          orThrow(aFunction(isOffered), "What the effect of `Toolset.filterEffect` gives")
          return viewsOf(offer)(isOffered)
        }),
        changes: changes(self.changes)
      },
      self
    )
  }
)

const anEffect = holds("an effect that gives a function", Effect.isEffect)

const filterOffer = (offer: Offer, isOffered: IsOffered): Offer => {
  const entries = new Map<string, Entry>()
  const withheld = new Map(offer.withheld)
  for (const [name, entry] of offer.entries) {
    if (isYes(isOffered(entry.definition), "A filter of tools")) entries.set(name, entry)
    else withheld.set(name, entry)
  }
  return { entries, withheld }
}

/**
 * What `prepare` may change of a definition.
 *
 * @category models
 */
export type Prepared = Partial<Pick<ToolDefinition, "description" | "inputSchema" | "outputSchema">>

/**
 * Changes definitions per request, such as a description by the user's
 * language: `prepare((definition, context) => ({ description: … }))`. What the
 * model is shown changes; how a call is decoded and run does not, so a narrower
 * schema is not enforced and a wider one not accepted.
 *
 * @category combinators
 */
export const prepare =
  (change: (definition: ToolDefinition, context: Values) => Prepared) =>
  <Tools, R, E>(self: Toolset<Tools, R, E>): Toolset<Tools, R, E> => {
    orThrow(aFunction(change), "What `Toolset.prepare` takes")
    return perRequest(self, (offer, context) =>
      redefine(offer, (definition) => {
        const prepared = change(definition, context)
        orThrow(checkPrepared(prepared), "What the function of `Toolset.prepare` gives")
        return prepared
      })
    )
  }

/** One that spreads the definition gives back the rest of it, which stays as it is. */
const checkPrepared = fields({
  description: aText,
  inputSchema: anything,
  outputSchema: anything,
  name: anything,
  facts: anything,
  provider: anything,
  settings: anything,
  native: anything,
  providerSettings: anything
} satisfies Checks<ToolDefinition>)

/**
 * A toolset in which some tools have other descriptions:
 * `describe({ get_orders: "…" })`. A name that no tool has is a compile error
 * where names are static.
 *
 * @category combinators
 */
export const describe =
  <Tools>(descriptions: { readonly [Name in NameOf<Tools>]?: string }) =>
  <R, E>(self: Toolset<Tools, R, E>): Toolset<Tools, R, E> => {
    orThrow(record(aText)(descriptions), "What `Toolset.describe` takes")
    const given = new Map(Object.entries<string | undefined>(descriptions))
    return mapOffer<Tools, R, E>(withNames(self, "Toolset.describe", [...given.keys()]), (offer) =>
      redefine(offer, ({ name }) => (given.get(name) === undefined ? {} : { description: given.get(name) }))
    )
  }

/**
 * A toolset whose tools carry settings that only one provider's API knows, such as who may call them:
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Toolset } from "@wield/core"
 * import { Anthropic } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([{ name: "stock", execute: () => Effect.succeed(5) }])
 *   const shared = toolset.pipe(
 *     // Programs that Anthropic runs may call it.
 *     Toolset.providerSettings(() => ({ anthropic: { allowed_callers: ["direct", "code_execution_20260120"] } }))
 *   )
 *   const { entries } = yield* shared.offer
 *   return Anthropic.encodeTools([...entries.values()].map(({ definition }) => definition)).body
 * })
 * assert.match(JSON.stringify(await Effect.runPromise(program)), /"allowed_callers"/)
 * ```
 *
 * Models of `@effect/ai` are not sent them.
 *
 * @category combinators
 */
export const providerSettings =
  (settingsOf: (definition: ToolDefinition) => ProviderSettings | undefined) =>
  <Tools, R, E>(self: Toolset<Tools, R, E>): Toolset<Tools, R, E> => {
    orThrow(aFunction(settingsOf), "What `Toolset.providerSettings` takes")
    return mapOffer<Tools, R, E>(self, (offer) =>
      redefine(offer, (definition) => {
        const settings = settingsOf(definition)
        if (settings === undefined) return {}
        orThrow(record(anything)(settings), "What the function of `Toolset.providerSettings` gives")
        return { providerSettings: { ...definition.providerSettings, ...settings } }
      })
    )
  }

/** A tool is renamed by `rename` only, and its facts are its author's. What is not offered is described to no model. */
const redefine = (
  { entries, withheld }: Offer,
  change: (definition: ToolDefinition) => Prepared & Pick<ToolDefinition, "providerSettings">
): Offer => {
  const redefined = new Map<string, Entry>()
  for (const [name, entry] of entries) {
    const { definition } = entry
    const changed = change(definition)
    const isChanged = Object.keys(changed).length > 0
    redefined.set(
      name,
      isChanged ? { ...entry, definition: { ...definition, ...changed, name, facts: definition.facts } } : entry
    )
  }
  return { entries: redefined, withheld }
}

/** Another view of a toolset's offer for each request. */
const perRequest = <Tools, R, E>(
  self: Toolset<Tools, R, E>,
  change: (offer: Offer, context: Values) => Offer
): Toolset<Tools, R, E> => {
  checkToolset(aView, self)
  return make({ offer: Effect.zipWith(self.offer, CallContext, change), changes: self.changes }, self)
}

const aView = "What another toolset is made of"

/** Another view of a toolset's offer; what cannot change is computed once. */
const mapOffer = <Tools, R, E>(
  self: Toolset<unknown, unknown, E>,
  change: (offer: Offer) => Offer,
  announced: (changes: Stream.Stream<Change>) => Stream.Stream<Change> = identity
): Toolset<Tools, R, E> => {
  checkToolset(aView, self)
  const known = knownOffer(self)
  const offer = known === undefined ? Effect.map(self.offer, memoize(change)) : Effect.succeed(change(known))
  return make({ offer, changes: announced(self.changes) }, self)
}

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
   * With `{ raisesFailures: true }`, a tool with failureMode "error" fails the
   * request with its failure, as one of `@effect/ai` does.
   * Hidden fields are filled from `CallContext.provide` around the request. A
   * call that would be deferred is not run, for `@effect/ai` has no word for it.
   *
   * A name that no tool has still fails the response with `MalformedOutput`:
   * `@effect/ai` knows the names it has offered only.
   *
   * @category conversions
   */
  toToolkit
} from "./toolset/toToolkit.js"
