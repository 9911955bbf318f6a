/**
 * Definitions as Mistral's requests have them: as OpenAI's, but for its own
 * word for "must call one", and without a way to name several.
 */
import type { Loss, ToolDefinition } from "@wield/core"
import type { ToolChoice, WireFormat } from "../WireFormat.js"

export const mistralTools =
  (encodeTools: WireFormat["encodeTools"]): WireFormat["encodeTools"] =>
  (definitions, options = {}) => {
    const losses: Array<Loss.Loss> = []
    const offered = definitions.every(isOwn) ? definitions : definitions.filter(isOwn)
    for (const definition of definitions) if (!isOwn(definition)) losses.push(foreign(definition))
    const choice = narrowed(options.choice, losses)
    const encoded = encodeTools(offered, { ...options, choice })
    return {
      body: encoded.body["tool_choice"] === "required" ? { ...encoded.body, tool_choice: "any" } : encoded.body,
      losses: [...losses, ...encoded.losses]
    }
  }

const isOwn = ({ native, provider }: ToolDefinition.ToolDefinition): boolean =>
  provider === undefined || provider.id.startsWith("mistral.") || native?.format === "mistral"

const foreign = ({ name, provider }: ToolDefinition.ToolDefinition): Loss.Loss => ({
  subject: name,
  path: [],
  keyword: "provider",
  reason: `${provider?.id} is a tool of another provider's API; it is not offered.`
})

const narrowed = (choice: ToolChoice | undefined, losses: Array<Loss.Loss>): ToolChoice | undefined => {
  if (choice?._tag !== "OneOf" || choice.names.length < 2) return choice
  losses.push({
    subject: "tool_choice",
    path: [],
    keyword: "tool_choice",
    reason: "Mistral can demand one tool or any: it is asked to call any of those offered."
  })
  return { _tag: "Required" }
}
