/**
 * A tool that the API itself defines, in the API's own spelling.
 */
import type { Json, Loss, ToolDefinition } from "@wield/core"

/** Ids of tools that only another API knows; OpenAI's own and those of compatible servers pass. */
const otherApis = /^(anthropic|google|gemini|vertex|bedrock|amazon|cohere|mistral|ollama)\./

/**
 * The entry of `tools`: the settings, with the provider's name as their `type`
 * unless they state one (`custom` tools do: their name is the tool's own).
 */
export const providerTool = (
  definition: ToolDefinition.ToolDefinition,
  provider: ToolDefinition.ProviderTool
): { readonly tool: Json.JsonObject | undefined; readonly losses: ReadonlyArray<Loss.Loss> } => {
  if (!otherApis.test(provider.id)) {
    return {
      tool: "type" in provider.settings ? provider.settings : { type: provider.name, ...provider.settings },
      losses: []
    }
  }
  return {
    tool: undefined,
    losses: [
      {
        subject: definition.name,
        path: [],
        keyword: "provider",
        reason: `${provider.id} is a tool of another provider's API; it is not offered.`
      }
    ]
  }
}
