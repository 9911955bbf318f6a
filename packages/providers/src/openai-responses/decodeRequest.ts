/**
 * A Responses request in Wield's words.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
import type { Loss, Message, ToolDefinition } from "@wield/core"
import { Content, Json } from "@wield/core"
import * as Either from "effect/Either"
import { isSameJson } from "../internal/isSameJson.js"
import type { Fields } from "../internal/wireField.js"
import { wireError } from "../internal/wireField.js"
import type { OfferedTools } from "../openai/offeredTools.js"
import type { WireError } from "../WireError.js"
import type { Conversing, WireFormat } from "../WireFormat.js"
import { decodeInput } from "./decodeInput.js"
import { decodeDefinitions, decodeOptions } from "./decodeTools.js"
import { name } from "./name.js"

export const makeDecodeRequest =
  (
    offeredTools: (definitions: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined) => OfferedTools,
    encodeTools: WireFormat["encodeTools"]
  ): Conversing["decodeRequest"] =>
  (body) => {
    if (!Json.isObject(body)) return Either.left(wireError(name, [], "a request body", body))
    const { input, instructions, parallel_tool_calls, tool_choice, tools: sentTools, ...others } = body
    const losses: Array<Loss.Loss> = []
    const items = objectsOf(typeof input === "string" ? [] : (input ?? []), "input")
    if (Either.isLeft(items)) return Either.left(items.left)
    const tools = objectsOf(sentTools ?? [], "tools")
    if (Either.isLeft(tools)) return Either.left(tools.left)

    const definitions = decodeDefinitions(tools.right, losses)
    const options = decodeOptions(body, tools.right, definitions)
    const messages: Array<Message.Message> = []
    if (typeof instructions === "string") messages.push(systemOf(instructions))
    if (typeof input === "string") messages.push(userOf(input))
    messages.push(...decodeInput(items.right, { offered: offeredTools(definitions), isStrict: false }, losses))
    for (const key of ["previous_response_id", "conversation", "prompt"]) {
      if (others[key] !== undefined && others[key] !== null) losses.push(heldByTheApi(key))
    }

    // What definitions and options cannot say stands in the settings, so that it can be put back.
    const made = encodeTools(definitions, options).body
    const settings: Record<string, unknown> = { ...others }
    const said = { tools: sentTools, tool_choice, parallel_tool_calls }
    for (const [key, value] of Object.entries(said)) {
      if (value !== undefined && !isSameJson(value, made[key])) settings[key] = value
    }
    if (instructions !== undefined && typeof instructions !== "string") settings["instructions"] = instructions
    if (input !== undefined && messages.length === (typeof instructions === "string" ? 1 : 0)) settings["input"] = input
    return Either.right({
      messages,
      definitions,
      options,
      // A request's body is JSON.
      settings: { format: name, json: settings as Json.JsonObject },
      losses
    })
  }

const objectsOf = (value: unknown, key: string): Either.Either<ReadonlyArray<Fields>, WireError> => {
  if (!Array.isArray(value)) return Either.left(wireError(name, [key], "an array of objects", value))
  const list: ReadonlyArray<unknown> = value
  const wrong = list.findIndex((item) => !Json.isObject(item))
  if (wrong !== -1) return Either.left(wireError(name, [key, wrong], "an object", list[wrong]))
  return Either.right(list.filter(Json.isObject))
}

const systemOf = (text: string): Message.System => ({ _tag: "System", text, native: { format: name, json: [text] } })

const userOf = (text: string): Message.User => ({
  _tag: "User",
  content: [Content.text(text)],
  native: { format: name, json: [text] }
})

const heldByTheApi = (key: string): Loss.Loss => ({
  subject: "settings",
  path: [key],
  keyword: key,
  reason: "What was said before stands with the API only: these messages are not the whole conversation."
})
