/**
 * A request's tools as @effect/ai takes them: shadow tools, by names that every
 * provider accepts, of which a response may name more than are advertised.
 */
import type { LanguageModel, Toolkit } from "@effect/ai"
import * as ShadowTool from "@wield/core/ShadowTool"
import * as ToolDefinition from "@wield/core/ToolDefinition"
import * as Turn from "@wield/core/Turn"
import * as NameMap from "@wield/providers/NameMap"
import * as Effect from "effect/Effect"
import type { ModelRequest } from "../Model.js"

type Tools = Record<string, ShadowTool.ShadowTool<string>>

export interface Offering {
  readonly names: NameMap.NameMap
  readonly tools: Tools
  readonly toolkit: Toolkit.WithHandler<Tools>
  readonly toolChoice: LanguageModel.ToolChoice<string>
}

/** What OpenAI, Anthropic, Gemini and Bedrock all accept; @effect/ai's packages send names as they are. */
const rule: NameMap.NameRule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 }

export const offeringOf = (request: ModelRequest): Offering => {
  const names = namesOf(request.definitions)
  const advertised = request.definitions.map((definition) => shadowOf(definition, names))
  const choice = choiceOf(request.options?.choice, names)
  const hasProviderTools = request.definitions.some(({ provider }) => provider !== undefined)
  // What the model called before and is not offered now is what it is most likely
  // to name wrongly. @effect/ai decodes a call of each tool in the toolkit, but
  // advertises only those of a `oneOf`. The Anthropic package leaves out the
  // provider's own tools of one, and OpenAI's says it with "auto" and "required" only.
  const former = choice === "auto" && !hasProviderTools ? formerTools(request, names, advertised) : []
  const tools = Object.fromEntries([...advertised, ...former].map((tool) => [tool.name, tool]))
  return {
    names,
    tools,
    toolkit: { tools, handle: () => Effect.dieMessage("Calls are not resolved here") },
    toolChoice: former.length === 0 ? choice : { mode: "auto", oneOf: advertised.map(({ name }) => name) }
  }
}

const choiceOf = (
  choice: NonNullable<ModelRequest["options"]>["choice"],
  names: NameMap.NameMap
): LanguageModel.ToolChoice<string> => {
  switch (choice?._tag) {
    case "None":
      return "none"
    case "Required":
      return "required"
    case "OneOf": {
      const [first, ...others] = choice.names.map(names.toNative)
      if (first === undefined) return "none"
      return others.length === 0 ? { tool: first } : { mode: "required", oneOf: [first, ...others] }
    }
    default:
      return "auto"
  }
}

const shadowOf = (definition: ToolDefinition.ToolDefinition, names: NameMap.NameMap) =>
  ShadowTool.make({ ...definition, name: names.toNative(definition.name) })

const formerTools = (
  { messages }: ModelRequest,
  names: NameMap.NameMap,
  advertised: ReadonlyArray<ShadowTool.ShadowTool<string>>
): ReadonlyArray<ShadowTool.ShadowTool<string>> => {
  const known = new Set(advertised.map(({ name }) => name))
  const former: Array<ShadowTool.ShadowTool<string>> = []
  for (const message of messages) {
    if (message._tag !== "Assistant") continue
    for (const call of Turn.calls(message)) {
      const name = names.toNative(call.name)
      if (known.has(name)) continue
      known.add(name)
      former.push(hiddenTool(name))
    }
  }
  return former
}

/** A tool by which a response is decoded and which no model is shown. */
export const hiddenTool = (name: string): ShadowTool.ShadowTool<string> =>
  ShadowTool.make(ToolDefinition.make({ name }))

/** A provider's own tool has the name by which its package decodes it, and a call gives the definition's back. */
const namesOf = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): NameMap.NameMap =>
  NameMap.make(
    definitions.map((definition) =>
      definition.provider === undefined
        ? definition
        : { ...definition, provider: { ...definition.provider, name: packageName(definition.provider.id) } }
    ),
    rule
  )

/**
 * `openai.web_search` is `OpenAiWebSearch` to its package,
 * `anthropic.code_execution_20250825` is `AnthropicCodeExecution`.
 */
const packageName = (id: string): string => {
  const [vendor = "", tool = ""] = id.split(".")
  const words = [...(vendor === "openai" ? ["open", "ai"] : [vendor]), ...tool.replace(/_\d{8}$/, "").split("_")]
  return words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`).join("")
}
