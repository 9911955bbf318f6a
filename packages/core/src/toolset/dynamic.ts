/**
 * A toolset whose tools are known at run time only: their names, their JSON
 * Schemas and what they do. It can change while it is in use.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import * as Context from "effect/Context"
import { type Facts, unstated } from "../Facts.js"
import { Parts } from "../Content.js"
import { type Convert, decoder, encoder } from "../internal/codec.js"
import { type Compile, compiler } from "../internal/jsonSchemaValidator.js"
import type { JsonSchema } from "../Json.js"
import { noParameters, type ToolDefinition } from "../ToolDefinition.js"
import { InvalidTool, ToolNameCollision, type ToolsetError } from "../ToolsetError.js"
import { type Change, type DynamicTools, type Entry, make, noneWithheld, type Offer, type Toolset } from "./model.js"

export interface DynamicTool<out R = never> {
  readonly name: string
  readonly description?: string | undefined
  /** JSON Schema of the arguments; absent, `{}` and `{"type":"object"}` all mean "no parameters". */
  readonly inputSchema?: JsonSchema | undefined
  readonly outputSchema?: JsonSchema | undefined
  readonly facts?: Partial<Facts> | undefined
  /** The success is content of several parts (`Content.Part`s) rather than a JSON value. */
  readonly isContent?: boolean | undefined
  /**
   * Gets the valid arguments; gives a JSON value. A failure is told to the
   * model: a string, a JSON value, or an error whose message is told.
   */
  readonly execute: (parameters: { readonly [name: string]: unknown }) => Effect.Effect<unknown, unknown, R>
}

export interface DynamicToolset<R = never> extends Toolset<DynamicTools, R> {
  /** Adds a tool, or alters the one of its name. */
  readonly put: (tool: DynamicTool<R>) => Effect.Effect<void, InvalidTool>
  /** Removes a tool; does nothing when there is none of this name. */
  readonly remove: (name: string) => Effect.Effect<void>
  /** Replaces all tools at once. */
  readonly replace: (tools: Iterable<DynamicTool<R>>) => Effect.Effect<void, ToolsetError>
}

export const dynamic = <R = never>(tools: Iterable<DynamicTool<R>>): Effect.Effect<DynamicToolset<R>, ToolsetError> =>
  Effect.gen(function* () {
    const compile = yield* compiler
    let entries: ReadonlyMap<string, Entry> = yield* entriesOf(tools, compile)
    let offer: Offer = { entries, withheld: noneWithheld }
    const news = yield* PubSub.unbounded<Change>()
    const become = (next: ReadonlyMap<string, Entry>) =>
      Effect.suspend(() => {
        const change = changeOf(entries, next)
        entries = next
        offer = { entries, withheld: noneWithheld }
        return isChange(change) ? PubSub.publish(news, change) : Effect.void
      })
    const base = make<DynamicTools, R>({ offer: Effect.sync(() => offer), changes: Stream.fromPubSub(news) })
    return Object.assign(base, {
      put: (tool: DynamicTool<R>) =>
        Effect.flatMap(entryOfDynamic(tool, compile), (entry) => become(new Map(entries).set(tool.name, entry))),
      remove: (name: string) =>
        Effect.suspend(() => {
          const next = new Map(entries)
          next.delete(name)
          return become(next)
        }),
      replace: (all: Iterable<DynamicTool<R>>) => Effect.flatMap(entriesOf(all, compile), become)
    })
  })

const entriesOf = <R>(
  tools: Iterable<DynamicTool<R>>,
  compile: Compile
): Either.Either<ReadonlyMap<string, Entry>, ToolsetError> =>
  Either.gen(function* () {
    const entries = new Map<string, Entry>()
    const repeated = new Set<string>()
    for (const tool of tools) {
      if (entries.has(tool.name)) repeated.add(tool.name)
      entries.set(tool.name, yield* entryOfDynamic(tool, compile))
    }
    return repeated.size === 0 ? entries : yield* Either.left(new ToolNameCollision({ names: [...repeated] }))
  })

const entryOfDynamic = <R>(tool: DynamicTool<R>, compile: Compile): Either.Either<Entry, InvalidTool> =>
  Either.gen(function* () {
    const inputSchema = yield* rootOf(tool)
    const decode = yield* Either.mapLeft(
      compile(inputSchema),
      (problem) => new InvalidTool({ tool: tool.name, reason: `its input schema cannot be compiled: ${problem}` })
    )
    const definition: ToolDefinition = {
      name: tool.name,
      description: tool.description,
      inputSchema,
      outputSchema: tool.outputSchema,
      facts: { ...unstated, ...tool.facts },
      provider: undefined
    }
    return {
      definition,
      decode,
      // The schema itself says whether it takes further properties.
      decodeStrict: decode,
      encode: Either.right,
      hidden: undefined,
      // What it requires is in the toolset's type; here it is erased. The
      // arguments are an object: the root of its schema says so.
      handler:
        definition.facts.kind === "client"
          ? undefined
          : (tool.execute as (parameters: unknown) => Effect.Effect<unknown, unknown>),
      context: Context.empty(),
      encodeSuccess: tool.isContent === true ? encodeParts : Either.right,
      encodeFailure,
      decodeSuccess: tool.isContent === true ? decodeParts : Either.right,
      decodeFailure: Either.right,
      isRaising: false,
      isContent: tool.isContent ?? false
    }
  })

const rootOf = (tool: DynamicTool<unknown>): Either.Either<JsonSchema, InvalidTool> => {
  const schema = tool.inputSchema
  if (schema === undefined || Object.keys(schema).length === 0) return Either.right(noParameters)
  if (schema.type !== "object") {
    return Either.left(
      new InvalidTool({
        tool: tool.name,
        reason: `the root of its input schema must have "type": "object", but has ${JSON.stringify(schema.type) ?? "none"}`
      })
    )
  }
  return Either.right(Object.keys(schema).length === 1 ? noParameters : schema)
}

const encodeParts = encoder(Parts)

const decodeParts = decoder(Parts, "ignore")

/** An error's message is meant for the model; its stack and its class are not. */
const encodeFailure: Convert = (failure) =>
  Either.right(failure instanceof Error ? { error: failure.message } : failure)

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
