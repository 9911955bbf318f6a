/**
 * Anthropic's Messages API: a request body in Wield's words.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 */
import type { Loss, Message } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import { isSameJson } from "../internal/isSameJson.js"
import { wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import type { Request } from "../WireFormat.js"
import { decodeContent } from "./contentBlock.js"
import { decodeMessages, textOf } from "./decodeMessages.js"
import { decodeTools } from "./decodeTools.js"
import { encodeTools } from "./encodeTools.js"
import { formatName } from "./names.js"

export const decodeRequest = (body: unknown): Either.Either<Request, WireError> => {
  if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "a request body", body))
  const { messages: sent, system, tool_choice: choice, tools, ...others } = body
  const losses: Array<Loss.Loss> = []
  if (!Array.isArray(sent)) return Either.left(wireError(formatName, ["messages"], "an array of messages", sent))
  if (!(tools === undefined || tools === null || Array.isArray(tools))) {
    return Either.left(wireError(formatName, ["tools"], "an array of tools", tools))
  }
  const offered = decodeTools(tools ?? [], choice, losses)
  if (Either.isLeft(offered)) return Either.left(offered.left)
  const history = decodeMessages(sent, losses)
  if (Either.isLeft(history)) return Either.left(history.left)
  const instructions = decodeSystem(system, losses)

  // What definitions and options cannot say stands in the settings, so that it can be put back.
  const made = encodeTools(offered.right.definitions, offered.right.options).body
  const settings: Record<string, unknown> = { ...others }
  if (system !== undefined && instructions === undefined) settings["system"] = system
  if (tools !== undefined && !isSameJson(tools, made["tools"])) settings["tools"] = tools
  if (choice !== undefined && !isSameJson(choice, made["tool_choice"])) settings["tool_choice"] = choice
  return Either.right({
    messages: instructions === undefined ? history.right : [instructions, ...history.right],
    definitions: offered.right.definitions,
    options: offered.right.options,
    // A request's body is JSON.
    settings: { format: formatName, json: settings as Json.JsonObject },
    losses
  })
}

/** Undefined where it says nothing (`null`). */
const decodeSystem = (system: unknown, losses: Array<Loss.Loss>): Message.System | undefined => {
  if (typeof system !== "string" && !Array.isArray(system)) return undefined
  return {
    _tag: "System",
    text: textOf(decodeContent(system, "system", [], losses)),
    // A request's body is JSON.
    native: { format: formatName, json: [system as Json.Json] }
  }
}
