/**
 * Definitions as the part of a request that offers tools, as far as both of
 * OpenAI's APIs do it alike. Where the fields of an entry stand is the API's
 * own matter (`Shape`).
 */
import type { Loss, ToolDefinition } from "@wield/core"
import { Json } from "@wield/core"
import { definitionCache } from "../internal/definitionCache.js"
import { ownSettings } from "../internal/ownTool.js"
import type { WireFormat } from "../WireFormat.js"
import type { OfferedTool } from "./chosenTools.js"
import { chosenTools } from "./chosenTools.js"
import type { FunctionTool } from "./functionTool.js"
import { functionTool } from "./functionTool.js"
import type { OfferedTools } from "./offeredTools.js"
import { providerTool } from "./providerTool.js"

/** Where one of the two APIs puts things. */
export interface Shape {
  /** Name of the format: a tool that came from one of its own requests is put back as it stood there. */
  readonly format: string
  /** Whether a tool of such a request is an entry of `tools`. */
  readonly isEntry: (tool: Json.JsonObject) => boolean
  /** Which of the settings of a tool stand beside its name. */
  readonly functionSettings: (settings: Json.JsonObject) => Json.JsonObject
  /** The entry of `tools` for a function. */
  readonly functionEntry: (tool: FunctionTool) => Json.JsonObject
  /** How a choice refers to a function. */
  readonly functionReference: (nativeName: string) => Json.JsonObject
  /** How a choice refers to a tool that the API itself defines. */
  readonly providerReference: (tool: Json.JsonObject, nativeName: string) => Json.JsonObject
  /** The choice by which one of several must be called. */
  readonly oneOf: (references: ReadonlyArray<Json.JsonObject>) => Json.JsonObject
}

interface Encoded {
  readonly tool: Json.JsonObject | undefined
  readonly reference: Json.JsonObject
  readonly losses: ReadonlyArray<Loss.Loss>
}

export const makeEncodeTools = (
  shape: Shape,
  offeredTools: (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>) => OfferedTools
): WireFormat["encodeTools"] => {
  const encodeOne =
    (isStrict: boolean) =>
    (definition: ToolDefinition.ToolDefinition, nativeName: string): Encoded => {
      if (definition.provider !== undefined) {
        const { tool, losses } = verbatim(definition, shape) ?? providerTool(definition, definition.provider)
        return { tool, losses, reference: tool === undefined ? {} : shape.providerReference(tool, nativeName) }
      }
      const reference = shape.functionReference(nativeName)
      const kept = verbatim(definition, shape)
      if (kept !== undefined) return { ...kept, reference }
      const own = ownSettings(definition, shape.format)
      const described = functionTool(definition, nativeName, isStrict, own && shape.functionSettings(own))
      return { tool: { ...own, ...shape.functionEntry(described) }, reference, losses: described.losses }
    }
  const strict = definitionCache(encodeOne(true))
  const plain = definitionCache(encodeOne(false))

  return (definitions, options = {}) => {
    const { toNative } = offeredTools(definitions)
    const encode = options.isStrict === true ? strict : plain
    const tools: Array<Json.JsonObject> = []
    const losses: Array<Loss.Loss> = []
    const offered: Array<OfferedTool> = []
    for (const definition of definitions) {
      const encoded = encode(definition, toNative(definition.name))
      losses.push(...encoded.losses)
      if (encoded.tool === undefined) continue
      tools.push(encoded.tool)
      offered.push({ name: definition.name, reference: encoded.reference })
    }
    const chosen = options.choice === undefined ? undefined : chosenTools(options.choice, offered)
    if (chosen !== undefined) losses.push(...chosen.losses)
    // An empty `tools` is refused, and so is anything about tools without it.
    if (tools.length === 0) return { body: {}, losses }
    return {
      body: {
        tools,
        ...(chosen?.choice === undefined ? {} : { tool_choice: toolChoice(chosen.choice, shape) }),
        ...(options.isParallel === undefined ? {} : { parallel_tool_calls: options.isParallel })
      },
      losses
    }
  }
}

const verbatim = (
  { native }: ToolDefinition.ToolDefinition,
  { format, isEntry }: Shape
): { readonly tool: Json.JsonObject; readonly losses: ReadonlyArray<Loss.Loss> } | undefined =>
  native?.format === format && isJsonObject(native.json) && isEntry(native.json)
    ? { tool: native.json, losses: [] }
    : undefined

const isJsonObject = (json: Json.Json): json is Json.JsonObject => Json.isObject(json)

const toolChoice = (choice: string | ReadonlyArray<Json.JsonObject>, shape: Shape): Json.Json => {
  if (typeof choice === "string") return choice
  const [first] = choice
  return choice.length === 1 && first !== undefined ? first : shape.oneOf(choice)
}
