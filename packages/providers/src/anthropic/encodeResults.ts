/**
 * Anthropic's Messages API: the results of a turn's calls. All of them go into
 * one user message directly after the assistant's, or the API refuses the
 * request.
 */
import type { Json, Loss, Outcome, ToolResult, Turn } from "@wield/core"
import { ToolResult as Result } from "@wield/core"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import type { EncodedResults } from "../WireFormat.js"
import { encodeMedia, isMedia } from "./contentBlock.js"

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const { results, pending, losses } = pairOutcomes(turn, outcomes)
  const allLosses = [...losses]
  const blocks = results.map(({ part, result }) => encodeResult(result, part.nativeId ?? part.call.id, allLosses))
  return {
    messages: blocks.length === 0 ? turn.native : [...turn.native, { role: "user", content: blocks }],
    pending,
    losses: allLosses
  }
}

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
  if (result.content.length === 1 && only !== undefined && !isMedia(only)) return Result.toText(result)
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
    const text = Result.toText({ ...result, content: [part] })
    // Anthropic: "text content blocks must be non-empty".
    return text === "" ? [] : [{ type: "text", text }]
  })
}
