/**
 * Bedrock's Converse API: a result as the model will read it, as a
 * `toolResult` block.
 */
import type { Content, Loss, ToolResult } from "@wield/core"
import { Json, ToolResult as Result } from "@wield/core"
import type { NameDocument } from "./media.js"
import { encodeMedia } from "./media.js"

export const resultBlock = (
  result: ToolResult.ToolResult,
  toolUseId: string,
  nameDocument: NameDocument,
  losses: Array<Loss.Loss>
): Json.JsonObject => ({
  toolResult: {
    toolUseId,
    content: result.content.flatMap((part, index) => {
      const block = encodePart(part, result.isError, nameDocument)
      if (block !== undefined) return [block]
      if (part._tag === "Image" || part._tag === "File") losses.push(unsent(result, part, index))
      return textBlock(part, result)
    }),
    status: result.isError ? "error" : "success"
  }
})

/** `undefined` for what is sent as text. */
const encodePart = (part: Content.Part, isError: boolean, nameDocument: NameDocument): Json.JsonObject | undefined => {
  // Claude takes only text in a result that is an error.
  if (isError || part._tag === "Text") return undefined
  if (part._tag === "JsonValue") {
    // Bedrock: "Provide a json object for the field"; a list or a number is sent as its JSON text.
    // The core has shown that a result is JSON.
    return Json.isObject(part.value) ? { json: part.value as Json.JsonObject } : undefined
  }
  // The API has audio in messages, not in results.
  return part.mediaType.startsWith("audio/") ? undefined : encodeMedia(part, nameDocument)
}

const textBlock = (part: Content.Part, result: ToolResult.ToolResult): ReadonlyArray<Json.JsonObject> => {
  const text = Result.toText({ ...result, content: [part] })
  // A blank text is refused; a value that is one is said as JSON, so that the model sees it.
  if (text.trim() !== "") return [{ text }]
  return part._tag === "JsonValue" || result.content.length === 1 ? [{ text: JSON.stringify(text) }] : []
}

const unsent = (result: ToolResult.ToolResult, part: Content.Image | Content.File, index: number): Loss.Loss => ({
  subject: result.name,
  path: ["content", index],
  keyword: part._tag === "Image" ? "image" : "file",
  reason: result.isError
    ? "Claude on Bedrock takes only text in a result that is an error; a note stands in its place."
    : `The Converse API takes no ${part.mediaType} from this source in a result; a note stands in its place.`
})
