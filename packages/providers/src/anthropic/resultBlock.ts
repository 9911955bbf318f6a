/** Anthropic's Messages API: a result as the model will read it, as a `tool_result` block. */
import type { Json, Loss } from "@wield/core"
import { ToolResult } from "@wield/core"
import { encodeMedia, isMedia } from "./contentBlock.js"

/** A result as a block, under the id by which the API knows its call. */
export const encodeResult = (
  result: ToolResult.ToolResult,
  nativeId: string,
  losses: Array<Loss.Loss>
): Json.JsonObject => {
  const block = { type: "tool_result", tool_use_id: nativeId, content: encodeContent(result, losses) }
  return result.isError ? { ...block, is_error: true } : block
}

const encodeContent = (result: ToolResult.ToolResult, losses: Array<Loss.Loss>): Json.Json => {
  const [only] = result.content
  if (result.content.length === 1 && only !== undefined && !isMedia(only)) return ToolResult.toText(result)
  return result.content.flatMap((part, index) => {
    // Anthropic: "all content must be type text if is_error is true".
    const block = result.isError ? undefined : encodeMedia(part)
    if (block !== undefined) return [block]
    if (isMedia(part)) {
      losses.push({
        subject: result.name,
        path: ["content", index],
        keyword: part._tag === "Image" ? "image" : "file",
        reason: result.isError
          ? "Anthropic takes only text in a result that is an error; a note stands in its place."
          : `Anthropic takes no ${part.mediaType} from this source in a result; a note stands in its place.`
      })
    }
    const text = ToolResult.toText({ ...result, content: [part] })
    // Anthropic: "text content blocks must be non-empty".
    return text === "" ? [] : [{ type: "text", text }]
  })
}
