/**
 * The only file that touches the inside of `@effect/ai`: handler lookup,
 * annotations, JSON Schema, tools that advertise a definition. A move to
 * Effect 4 changes this file.
 */
import * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { withoutCallContext } from "../CallContext.js"
import type * as SchemaTree from "../SchemaTree.js"
import { Examples, type Facts, Sequential, ToolDisclosure, ToolKind } from "../Facts.js"
import { peek } from "../Fibers.js"
import { HiddenFields } from "../Hidden.js"
import type { JsonObject, JsonSchema } from "../Json.js"
import { holds, orThrow } from "../Options.js"
import type { ShadowTool } from "../ShadowTool.js"
import type { ProviderTool, ToolDefinition } from "../ToolDefinition.js"

/** A handler as `Toolkit.toLayer` leaves it in the context. */
export interface Handler {
  readonly context: Context.Context<never>
  readonly handler: (parameters: unknown) => Effect.Effect<unknown, unknown>
}

/** The parts of a tool that Wield reads. */
export interface ToolParts {
  readonly name: string
  readonly description: string | undefined
  readonly parametersSchema: Schema.Schema.Any & { readonly fields?: Schema.Struct.Fields }
  readonly successSchema: Schema.Schema.Any
  readonly failureSchema: Schema.Schema.All
  readonly failureMode: Tool.FailureMode
  readonly facts: Facts
  readonly hidden: ReadonlyArray<string>
  readonly provider: ProviderTool | undefined
  readonly requiresHandler: boolean
}

export const toolsOf = (toolkit: Toolkit.Any): ReadonlyArray<Tool.Any> => {
  orThrow(aToolkit(toolkit), "What a toolset is made of")
  return Object.values(toolkit.tools)
}

const aToolkit = holds(
  "a toolkit, such as `Toolkit.make(…)` gives",
  (given) => Predicate.hasProperty(given, "tools") && Predicate.isRecord(given.tools)
)

/**
 * The handler of a tool, which `Toolkit.toLayer` stored under the tool's id.
 * Absent for a provider-defined tool without one, or where types were bypassed.
 */
export const handlerOf = (tool: Tool.Any, context: Context.Context<never>): Handler | undefined => {
  const stored = peek(context, { key: tool.id })
  if (!Predicate.hasProperty(stored, "handler") || !Predicate.hasProperty(stored, "context")) return undefined
  // Nothing but `toLayer` writes under a tool's id.
  const { context: own, handler } = stored as unknown as Handler
  return { handler, context: withoutCallContext(own) }
}

export const partsOf = (tool: Tool.Any): ToolParts => ({
  name: tool.name,
  // Falls back to the description of the parameters' schema. `getDescription`
  // wants the full `Tool` type only to infer from it.
  description: Tool.getDescription(tool as Tool.Tool<string, ToolConfig>),
  // `AnyParametersSchema` spells out a schema's members without its brand.
  parametersSchema: tool.parametersSchema as ToolParts["parametersSchema"],
  successSchema: tool.successSchema,
  failureSchema: tool.failureSchema,
  failureMode: tool.failureMode,
  facts: factsOf(tool),
  // A provider-defined tool has no annotations in @effect/ai 0.37.
  hidden: tool.annotations === undefined ? [] : Context.get(tool.annotations, HiddenFields),
  provider: providerOf(tool),
  requiresHandler: requiresHandler(tool)
})

interface ToolConfig {
  readonly parameters: Tool.AnyParametersSchema
  readonly success: Schema.Schema.Any
  readonly failure: Schema.Schema.All
  readonly failureMode: Tool.FailureMode
}

const isProviderDefined = (tool: Tool.Any): tool is Tool.AnyProviderDefined =>
  Predicate.hasProperty(tool, Tool.ProviderDefinedTypeId)

const requiresHandler = (tool: Tool.Any): boolean => !isProviderDefined(tool) || tool.requiresHandler

const providerOf = (tool: Tool.Any): ProviderTool | undefined =>
  isProviderDefined(tool)
    ? {
        id: tool.id,
        name: tool.providerName,
        settings: settingsOf(tool)
      }
    : undefined

/** `@effect/ai` keeps its own option beside the provider's, whose API would refuse it. */
const settingsOf = (tool: Tool.AnyProviderDefined): JsonObject => {
  // Encoded by the tool's own argument schema, hence JSON.
  const { failureMode: _, ...settings } = tool.args as JsonObject
  return settings
}

const factsOf = (tool: Tool.Any): Facts => {
  const annotations = tool.annotations ?? Context.empty()
  return {
    kind: isProviderDefined(tool) && !tool.requiresHandler ? "provider" : Context.get(annotations, ToolKind),
    title: Option.getOrUndefined(Context.getOption(annotations, Tool.Title)),
    isReadOnly: Context.get(annotations, Tool.Readonly),
    isDestructive: Context.get(annotations, Tool.Destructive),
    isIdempotent: Context.get(annotations, Tool.Idempotent),
    isOpenWorld: Context.get(annotations, Tool.OpenWorld),
    disclosure: Context.get(annotations, ToolDisclosure),
    isSequential: Context.get(annotations, Sequential),
    examples: Context.get(annotations, Examples)
  }
}

/** The JSON Schema of a schema's encoded side, with all but recursive parts written out. Throws where a schema has no JSON Schema. */
export const unsharedJsonSchemaOf = (ast: SchemaTree.Node): JsonSchema =>
  Tool.getJsonSchemaFromSchemaAst(ast) as unknown as JsonSchema

/**
 * A tool that advertises a definition and decodes nothing. `setParameters` and
 * the like take any schema at run time, though the types want a struct.
 */
export const shadowTool = (definition: ToolDefinition): ShadowTool<string> =>
  definition.provider === undefined ? shadow(definition) : providerShadow(definition, definition.provider)

const anything = (inputSchema: JsonSchema) => Schema.Unknown.annotations({ jsonSchema: inputSchema })

const shadow = ({ description, inputSchema, name }: ToolDefinition): ShadowTool<string> =>
  Tool.make(name, { description, success: Schema.Any, failure: Schema.Any, failureMode: "return" }).setParameters(
    // Of a parameters schema, providers read the AST only, which has the JSON Schema.
    anything(inputSchema) as unknown as ShadowTool<string>["parametersSchema"]
  ) as unknown as ShadowTool<string>

/** What a provider executes keeps its kind, by which its API knows it; `setParameters` would take that away. */
const providerShadow = ({ inputSchema, name }: ToolDefinition, provider: ProviderTool): ShadowTool<string> => {
  const tool = Tool.providerDefined({
    // The id of a provider-defined tool is made of two names and a dot, as the format that it came from says it.
    id: provider.id as `${string}.${string}`,
    toolkitName: name,
    providerName: provider.name,
    args: {},
    success: Schema.Any,
    failure: Schema.Any
  })(provider.settings)
  // The one field by which the two differ.
  return Object.assign(tool, { parametersSchema: anything(inputSchema) }) as unknown as ShadowTool<string>
}
