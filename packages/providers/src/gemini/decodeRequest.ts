/**
 * Gemini's API: a request body in Wield's words.
 *
 * @see https://ai.google.dev/api/generate-content#request-body
 */
import type { Loss, Message } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import { isSameJson } from "../internal/isSameJson.js"
import { wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import type { Request, WireFormat } from "../WireFormat.js"
import { listOf } from "./decodePart.js"
import { decodeContentPart } from "./contentPart.js"
import { decodeContents } from "./decodeContents.js"
import { decodeToolConfig, decodeTools } from "./decodeTools.js"
import { formatName } from "./names.js"
import { nativeInstruction } from "./systemInstruction.js"

export const makeDecodeRequest =
  (encodeTools: WireFormat["encodeTools"]) =>
  (body: unknown): Either.Either<Request, WireError> => {
    if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "a request body", body))
    const { contents: sent, tools, toolConfig, ...others } = body
    const losses: Array<Loss.Loss> = []
    const contents = listOf(sent ?? "")
    if (contents === undefined) return Either.left(wireError(formatName, ["contents"], "an array of contents", sent))
    const offered = listOf(tools)
    if (offered === undefined) return Either.left(wireError(formatName, ["tools"], "an array of tools", tools))
    const definitions = decodeTools(offered, losses)
    if (Either.isLeft(definitions)) return Either.left(definitions.left)
    const options = decodeToolConfig(toolConfig ?? others["tool_config"])
    const history = decodeContents(contents, losses)
    if (Either.isLeft(history)) return Either.left(history.left)

    const instruction = decodeInstruction(others, losses)
    const settings: Record<string, unknown> = { ...others }
    if (instruction !== undefined) {
      delete settings[others["systemInstruction"] === undefined ? "system_instruction" : "systemInstruction"]
    }
    if (!Array.isArray(sent)) settings["contents"] = sent
    // What definitions and options cannot say stands in the settings, so that it can be put back.
    const made = encodeTools(definitions.right, options).body
    if (tools !== undefined && !isSameJson(tools, made["tools"])) settings["tools"] = tools
    const isSaid = !isSameJson(options, {}) && isSameJson(toolConfig, made["toolConfig"])
    if (toolConfig !== undefined && !isSaid) settings["toolConfig"] = toolConfig
    return Either.right({
      messages: instruction === undefined ? history.right : [instruction, ...history.right],
      definitions: definitions.right,
      options,
      // A request's body is JSON.
      settings: { format: formatName, json: settings as Json.JsonObject },
      losses
    })
  }

const decodeInstruction = (
  body: { readonly [key: string]: unknown },
  losses: Array<Loss.Loss>
): Message.System | undefined => {
  const value = body["systemInstruction"] ?? body["system_instruction"]
  const parts = Json.isObject(value) ? listOf(value["parts"]) : undefined
  if (parts === undefined) return undefined
  const content = parts.flatMap((part, index) => decodeContentPart(part, "system", ["parts", index], losses))
  return {
    _tag: "System",
    text: content.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("\n\n"),
    // A request's body is JSON.
    native: { format: formatName, json: [nativeInstruction(body) as Json.Json] }
  }
}
