/** Anthropic's Messages API: a request body from Wield's words. */
import type { Loss } from "@wield/core"
import type { Json } from "@wield/core"
import { isSameJson } from "../internal/isSameJson.js"
import { nameMap } from "../internal/nameMap.js"
import { settingsOf } from "../internal/settingsOf.js"
import type { EncodedRequest, Request } from "../WireFormat.js"
import { decodeChoice } from "./decodeTools.js"
import { encodeMessages } from "./encodeMessages.js"
import { encodeTools } from "./encodeTools.js"
import { formatName, nameRule } from "./names.js"

export const encodeRequest = (request: Request): EncodedRequest => {
  const losses: Array<Loss.Loss> = []
  const { system: noSystem, tool_choice, tools: noTools, ...settings } = settingsOf(request, formatName, losses)
  const offered = encodeTools(request.definitions, request.options)
  const names = nameMap(request.definitions, nameRule)
  const { messages, system } = encodeMessages(request.messages, names, losses)
  const { choice, isParallel } = request.options
  // As it was sent, where that is what the options still say.
  const isChoice = isSameJson(decodeChoice(tool_choice), {
    ...(choice === undefined ? {} : { choice }),
    ...(isParallel === undefined ? {} : { isParallel })
  })
  const body: { [key: string]: Json.Json } = { ...settings }
  if (system !== undefined) body["system"] = system
  else if (noSystem !== undefined) body["system"] = noSystem
  if (offered.body["tools"] === undefined && noTools !== undefined) body["tools"] = noTools
  Object.assign(body, offered.body)
  if (tool_choice !== undefined && isChoice) body["tool_choice"] = tool_choice
  return { body: { ...body, messages }, losses: [...losses, ...offered.losses] }
}
