/**
 * Anthropic's Messages API: the results of a turn's calls. All of them go into
 * one user message directly after the assistant's, or the API refuses the
 * request.
 */
import type { Content, Json, Loss, Outcome, ToolResult, Turn } from "@wield/core"
import { ToolResult as Result } from "@wield/core"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import type { EncodedResults } from "../WireFormat.js"

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const { results, pending, losses } = pairOutcomes(turn, outcomes)
  const allLosses = [...losses]
  const blocks = results.map(({ part, result }) => {
    const content = encodeContent(result, allLosses)
    const block = { type: "tool_result", tool_use_id: part.nativeId ?? part.call.id, content }
    return result.isError ? { ...block, is_error: true } : block
  })
  return {
    messages: blocks.length === 0 ? turn.native : [...turn.native, { role: "user", content: blocks }],
    pending,
    losses: allLosses
  }
}

const encodeContent = (result: ToolResult.ToolResult, losses: Array<Loss.Loss>): Json.Json => {
  if (!result.content.some(isMedia)) return Result.toText(result)
  return result.content.flatMap((part, index) => {
    // Anthropic: "all content must be type text if is_error is true".
    const block = result.isError ? undefined : encodePart(part)
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

const isMedia = (part: Content.Part): part is Content.Image | Content.File =>
  part._tag === "Image" || part._tag === "File"

const imageTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

/** An image or document block; `undefined` for text, and for media that the API has no block for. */
const encodePart = (part: Content.Part): Json.JsonObject | undefined => {
  if (part._tag === "Image") {
    return part.source._tag === "Url" || imageTypes.has(part.mediaType)
      ? { type: "image", source: encodeSource(part.mediaType, part.source) }
      : undefined
  }
  if (part._tag !== "File") return undefined
  const title = part.filename === undefined ? {} : { title: part.filename }
  if (part.mediaType === "application/pdf") {
    return { type: "document", source: encodeSource(part.mediaType, part.source), ...title }
  }
  if (part.mediaType.startsWith("text/") && part.source._tag === "Base64") {
    const text = Encoding.decodeBase64String(part.source.data)
    if (Either.isLeft(text)) return undefined
    // Plain text is sent as text; the API knows no other text type.
    return { type: "document", source: { type: "text", media_type: "text/plain", data: text.right }, ...title }
  }
  return undefined
}

const encodeSource = (mediaType: string, source: Content.Source): Json.JsonObject =>
  source._tag === "Url"
    ? { type: "url", url: source.url }
    : { type: "base64", media_type: mediaType, data: source.data }
