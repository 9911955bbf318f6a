/**
 * A Responses request from Wield's words.
 */
import type { Json, Loss, ToolDefinition } from "@wield/core"
import { settingsOf } from "../internal/settingsOf.js"
import type { OfferedTools } from "../openai/offeredTools.js"
import type { Conversing, WireFormat } from "../WireFormat.js"
import { encodeInput } from "./encodeInput.js"
import { name } from "./name.js"

export const makeEncodeRequest =
  (
    offeredTools: (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>) => OfferedTools,
    encodeTools: WireFormat["encodeTools"]
  ): Conversing["encodeRequest"] =>
  (request) => {
    const losses: Array<Loss.Loss> = []
    const settings = settingsOf(request, name, losses)
    const tools = encodeTools(request.definitions, request.options)
    const { input, instructions } = encodeInput(
      request.messages,
      offeredTools(request.definitions),
      typeof settings["previous_response_id"] === "string" || (settings["conversation"] ?? null) !== null,
      losses
    )
    const body: Json.JsonObject = {
      // What definitions and options say counts; what they could not say stands in the settings.
      ...settings,
      ...tools.body,
      ...(instructions === undefined ? {} : { instructions }),
      ...(input === undefined ? {} : { input })
    }
    return { body, losses: [...losses, ...tools.losses] }
  }
