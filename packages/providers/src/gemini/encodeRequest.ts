/** Gemini's API: a request body from Wield's words. */
import type { Json, Loss, ToolDefinition } from "@wield/core"
import * as Either from "effect/Either"
import { isSameJson } from "../internal/isSameJson.js"
import { nameMap } from "../internal/nameMap.js"
import { settingsOf } from "../internal/settingsOf.js"
import type { EncodedRequest, Request, ToolsOptions, WireFormat } from "../WireFormat.js"
import { decodeToolConfig, decodeTools } from "./decodeTools.js"
import { listOf } from "./decodePart.js"
import { encodeContents } from "./encodeContents.js"
import { formatName, nameRule } from "./names.js"

export const makeEncodeRequest =
  (encodeTools: WireFormat["encodeTools"]) =>
  (request: Request): EncodedRequest => {
    const losses: Array<Loss.Loss> = []
    const { contents: single, tool_config, toolConfig, tools, ...settings } = settingsOf(request, formatName, losses)
    const offered = encodeTools(request.definitions, request.options)
    const { contents, system } = encodeContents(
      request.messages,
      nameMap(request.definitions, nameRule),
      request.model,
      losses
    )
    const made: { [key: string]: Json.Json } = { ...offered.body }
    // Tools that are put back as they stood worked without the switch that new ones would need.
    if (isNative(request.definitions) && isSameJson(callingOf(request.options), {})) delete made["toolConfig"]
    // As it was sent, where that is what definitions and options still say.
    if (tools !== undefined && holds(tools, request.definitions)) made["tools"] = tools
    for (const [key, config] of Object.entries({ tool_config, toolConfig })) {
      if (config === undefined || !isSameJson(decodeToolConfig(config), callingOf(request.options))) continue
      delete made["toolConfig"]
      made[key] = config
    }
    // One content in place of a list goes back so, while nothing has been added to it.
    const sent = single !== undefined && isSameJson(contents, [single]) ? single : contents
    return { body: { ...settings, ...system, ...made, contents: sent }, losses: [...losses, ...offered.losses] }
  }

const isNative = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): boolean =>
  definitions.every(({ native }) => native?.format === formatName)

const callingOf = ({ choice, isStrict }: ToolsOptions): ToolsOptions => ({
  ...(choice === undefined ? {} : { choice }),
  ...(isStrict === undefined ? {} : { isStrict })
})

const holds = (tools: Json.Json, definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): boolean => {
  const held = Either.getOrElse(decodeTools(listOf(tools) ?? [], []), () => [])
  return isSameJson(
    held.map(({ native }) => native?.json),
    definitions.map(({ native }) => native?.json)
  )
}
