/**
 * A Responses request from Wield's words.
 */
import type { Json, Loss, ToolDefinition } from "@wield/core"
import { Json as JsonGuards } from "@wield/core"
import { isSameJson } from "../internal/isSameJson.js"
import { settingsOf } from "../internal/settingsOf.js"
import type { OfferedTools } from "../openai/offeredTools.js"
import type { Conversing, WireFormat } from "../WireFormat.js"
import { decodeChoice } from "./decodeTools.js"
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
    // What definitions and options say counts; what they could not say stands in the settings.
    const { tool_choice: sent } = settings
    const offered: ReadonlyArray<unknown> = Array.isArray(tools.body["tools"]) ? tools.body["tools"] : []
    const said = decodeChoice(sent, offered.filter(JsonGuards.isObject), request.definitions)
    const isAsSent = sent !== undefined && isSameJson(said ?? null, request.options.choice ?? null)
    const body: Json.JsonObject = {
      ...settings,
      ...tools.body,
      ...(isAsSent ? { tool_choice: sent } : {}),
      ...(instructions === undefined ? {} : { instructions }),
      ...(input === undefined ? {} : { input })
    }
    return { body, losses: [...losses, ...tools.losses] }
  }
