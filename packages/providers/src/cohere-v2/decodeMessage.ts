/**
 * Cohere's Chat API: the messages of a request body in Wield's words.
 */
import type { Loss, Message, ToolResult } from "@wield/core"
import { Content, Json } from "@wield/core"
import * as Either from "effect/Either"
import type { NameMap } from "../internal/nameMap.js"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField, wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import { messageParts } from "./messageParts.js"
import { formatName } from "./names.js"

export interface Reading {
  readonly names: NameMap
  /** The names of the calls so far, by id. */
  readonly called: Map<string, string>
  readonly losses: Array<Loss.Loss>
}

export const decodeMessage = (
  message: unknown,
  index: number,
  reading: Reading
): Either.Either<Message.Message, WireError> => {
  const path = ["messages", index]
  if (!Json.isObject(message)) return Either.left(wireError(formatName, path, "a message", message))
  const { content, role } = message
  // The body is parsed JSON.
  const native = { format: formatName, json: [message as Json.JsonObject] }
  const read = (): ReadonlyArray<Content.Part> => decodeContent(content, `message ${index}`, reading.losses)
  switch (role) {
    case "system":
    case "developer":
      return Either.right({ _tag: "System", text: read().map(textOf).join("\n\n"), native })
    case "user":
      return Either.right({ _tag: "User", content: read(), native })
    case "assistant":
      return Either.map(messageParts(message, path, reading.names), (parts) => {
        for (const part of parts) if (part._tag === "Call") reading.called.set(part.call.id, part.call.name)
        return { _tag: "Assistant", parts, native }
      })
    case "tool":
      return Either.right({ _tag: "Results", results: [decodeResult(message, read(), reading)], native })
    default:
      return Either.left(wireError(formatName, [...path, "role"], "system, user, assistant or tool", role))
  }
}

const decodeResult = (
  message: Fields,
  content: ReadonlyArray<Content.Part>,
  reading: Reading
): ToolResult.ToolResult => {
  const id = stringField(message, "tool_call_id") ?? ""
  const only = content.length === 1 ? content[0] : undefined
  return {
    id,
    name: reading.called.get(id) ?? "",
    isError: false,
    content,
    ...(only?._tag === "JsonValue" ? { structured: only.value } : {})
  }
}

const textOf = (part: Content.Part): string => (part._tag === "Text" ? part.text : "")

const decodeContent = (content: unknown, subject: string, losses: Array<Loss.Loss>): ReadonlyArray<Content.Part> => {
  if (typeof content === "string") return [Content.text(content)]
  if (!Array.isArray(content)) return []
  return content.flatMap((item: unknown, index) => {
    const part = Json.isObject(item) ? decodeItem(item) : undefined
    if (part !== undefined) return [part]
    const keyword = Json.isObject(item) ? (stringField(item, "type") ?? "content") : "content"
    const reason = `There are no words for ${keyword} here; it is kept in the native message.`
    losses.push({ subject, path: ["content", index], keyword, reason })
    return []
  })
}

const decodeItem = (item: Fields): Content.Part | undefined => {
  const text = stringField(item, "text")
  if (text !== undefined) return Content.text(text)
  const data = objectField(item, "document")?.["data"]
  // Cohere's guides put the JSON text of a document there, its reference the document.
  if (typeof data === "string") return Content.text(data)
  if (Json.isObject(data)) return Content.json(data)
  const image = item["image_url"]
  const url = Json.isObject(image) ? stringField(image, "url") : typeof image === "string" ? image : undefined
  return url === undefined ? undefined : decodeImage(url)
}

const decodeImage = (url: string): Content.Image => {
  const inline = /^data:([^;,]+);base64,/.exec(url)
  return inline === null
    ? new Content.Image({ mediaType: "image/*", source: { _tag: "Url", url } })
    : Content.image(inline[1] ?? "image/*", url.slice(inline[0].length))
}
