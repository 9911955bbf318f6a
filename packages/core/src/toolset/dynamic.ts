/**
 * A toolset whose tools are known at run time only: their names, their JSON
 * Schemas and what they do. It can change while it is in use.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type * as Content from "../Content.js"
import type { Facts } from "../Facts.js"
import { type Compile, compiler } from "../json-schema/compile.js"
import type { Issue } from "../Issue.js"
import type { JsonSchema } from "../Json.js"
import { holds, orThrow } from "../Options.js"
import { makeBreathe } from "../Time.js"
import type { ToolDefinition } from "../ToolDefinition.js"
import { type InvalidTool, ToolNameCollision } from "../ToolsetError.js"
import { entryOfDynamic } from "./entryOfDynamic.js"
import { type Change, type DynamicTools, type Entry, make, noneWithheld, type Offer, type Toolset } from "./model.js"

export interface DynamicTool<out R = never> {
  readonly name: string
  readonly description?: string | undefined
  /**
   * JSON Schema of the arguments, of any draft and of the dialects that
   * `JsonSchema.compile` reads; formats are asserted. A `default` is shown to
   * models and never filled in: it says what happens without the value.
   * Absent, `{}` and `{"type":"object"}` all mean "no parameters".
   */
  readonly inputSchema?: JsonSchema | undefined
  readonly outputSchema?: JsonSchema | undefined
  readonly facts?: Partial<Facts> | undefined
  /** The tool as its source spells it, where it came from one: icons, annotations and `_meta` of an MCP server. */
  readonly native?: ToolDefinition["native"]
  readonly providerSettings?: ToolDefinition["providerSettings"]
  /** Properties of the input schema that the call context supplies: models neither see nor set them. */
  readonly hidden?: ReadonlyArray<string> | undefined
  /**
   * Checks what a JSON Schema cannot say, such as a refinement of zod, and may
   * convert: its value is what `execute` gets. It gets the arguments that fit
   * `inputSchema`, hidden fields included. Its issues end the call as
   * `InvalidArguments`, those of hidden fields as `MissingContext`.
   */
  readonly validate?:
    | ((parameters: {
        readonly [name: string]: unknown
      }) => Effect.Effect<{ readonly [name: string]: unknown }, ReadonlyArray<Issue>>)
    | undefined
  /**
   * Checks what `execute` gave, and may convert: its value is the result. Content
   * is not checked. Its issues end the call as `InvalidResult`, of which the model
   * reads a reference only.
   */
  readonly validateResult?: ((result: unknown) => Effect.Effect<unknown, ReadonlyArray<Issue>>) | undefined
  /**
   * How results and failures of types of their own become JSON, and are read
   * again when a call is replayed. In place of `validateResult`.
   */
  readonly codec?: Codec | undefined
  /**
   * Each success is content of several parts (`Content.Part`s) rather than a
   * JSON value. A tool that answers with both gives a `Content.Answer` for
   * content.
   */
  readonly isContent?: boolean | undefined
  /**
   * Each call runs and shows its whole result: a policy's `cache` keeps no result
   * of it, and its `resultBound` shortens none.
   */
  readonly isFresh?: boolean | undefined
  /**
   * Gets the valid arguments; gives a JSON value. A failure goes to the
   * model: a string, a JSON value, or an error, of which the message goes.
   */
  readonly execute: (parameters: { readonly [name: string]: unknown }) => Effect.Effect<unknown, unknown, R>
}

type Converter = (value: unknown) => Effect.Effect<unknown, () => ReadonlyArray<Issue>>

export interface Codec {
  readonly encodeSuccess: Converter
  readonly decodeSuccess: Converter
  readonly encodeFailure: Converter
  readonly decodeFailure: Converter
  /** A failure is raised (failureMode "error"): `run` fails with it. */
  readonly isRaising: boolean
  /** What the model reads of a success in place of its JSON; `undefined` for the JSON. */
  readonly content?: ((result: unknown) => ReadonlyArray<Content.Part> | undefined) | undefined
}

export interface DynamicToolset<R = never> extends Toolset<DynamicTools, R> {
  /** Adds a tool, or alters the one of its name. */
  readonly put: (tool: DynamicTool<R>) => Effect.Effect<void, InvalidTool>
  /** Removes a tool; does nothing where no tool has this name. */
  readonly remove: (name: string) => Effect.Effect<void>
  /** Replaces all tools at once. One that is the same object as before is kept as it is, and costs nothing. */
  readonly replace: (tools: Iterable<DynamicTool<R>>) => Effect.Effect<void, ToolNameCollision | InvalidTool>
}

export const dynamic = <R = never>(
  tools: Iterable<DynamicTool<R>>
): Effect.Effect<DynamicToolset<R>, ToolNameCollision | InvalidTool> =>
  Effect.gen(function* () {
    const compile = yield* compiler
    const made = new WeakMap<DynamicTool<R>, Entry>()
    let entries: ReadonlyMap<string, Entry> = yield* entriesOf(tools, compile, made)
    let offer: Offer = { entries, withheld: noneWithheld }
    const news = yield* PubSub.unbounded<Change>()
    // What is there is read in the same step as it is replaced: between two
    // steps another fiber may have changed it.
    const become = (nextOf: (current: ReadonlyMap<string, Entry>) => ReadonlyMap<string, Entry>) =>
      Effect.suspend(() => {
        const next = nextOf(entries)
        const change = changeOf(entries, next)
        entries = next
        offer = { entries, withheld: noneWithheld }
        return isChange(change) ? PubSub.publish(news, change) : Effect.void
      })
    const base = make<DynamicTools, R>({ offer: Effect.sync(() => offer), changes: Stream.fromPubSub(news) })
    return Object.assign(base, {
      put: (tool: DynamicTool<R>) =>
        Effect.flatMap(entryOfDynamic(tool, compile), (entry) =>
          become((current) => new Map(current).set(tool.name, entry))
        ),
      remove: (name: string) => become((current) => new Map([...current].filter(([other]) => other !== name))),
      replace: (all: Iterable<DynamicTool<R>>) =>
        Effect.flatMap(entriesOf(all, compile, made), (next) => become(() => next))
    })
  })

export const constant = <R = never>(
  tools: Iterable<DynamicTool<R>>
): Effect.Effect<Toolset<DynamicTools, R>, ToolNameCollision | InvalidTool> =>
  Effect.gen(function* () {
    const entries = yield* entriesOf(tools, yield* compiler, new WeakMap())
    return make({ offer: Effect.succeed({ entries, withheld: noneWithheld }), changes: Stream.empty })
  })

/** `made` has the entries of tools that were given before: compiling a schema takes milliseconds. */
const entriesOf = <R>(
  tools: Iterable<DynamicTool<R>>,
  compile: Compile,
  made: WeakMap<DynamicTool<R>, Entry>
): Effect.Effect<ReadonlyMap<string, Entry>, ToolNameCollision | InvalidTool> =>
  Effect.gen(function* () {
    orThrow(someTools(tools), "What a dynamic toolset is made of")
    const entries = new Map<string, Entry>()
    const repeated = new Set<string>()
    const breathe = yield* makeBreathe
    for (const tool of tools) {
      const entry = made.get(tool) ?? (yield* entryOfDynamic(tool, compile))
      if (entries.has(tool.name)) repeated.add(tool.name)
      made.set(tool, entry)
      entries.set(tool.name, entry)
      yield* breathe
    }
    return repeated.size === 0 ? entries : yield* new ToolNameCollision({ names: [...repeated] })
  })

const someTools = holds("an array of tools", (given) => typeof given === "object" && Predicate.isIterable(given))

const changeOf = (before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): Change => ({
  added: [...after.keys()].filter((name) => !before.has(name)),
  removed: [...before.keys()].filter((name) => !after.has(name)),
  altered: [...after].flatMap(([name, entry]) => {
    const previous = before.get(name)
    return previous !== undefined && !isSame(previous.definition, entry.definition) ? [name] : []
  })
})

/** Both are made in one place, so their keys stand in the same order. */
const isSame = (left: ToolDefinition, right: ToolDefinition): boolean =>
  left === right || JSON.stringify(left) === JSON.stringify(right)

const isChange = (change: Change): boolean => change.added.length + change.removed.length + change.altered.length > 0
