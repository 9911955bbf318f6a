/**
 * A result as the `output` of a Responses item: text, or a list of texts,
 * images and files.
 */
import type { Content, Json, Outcome, ToolResult } from "@wield/core"
import { partText, resultText } from "../openai/resultText.js"

export const outputContent = (outcome: Outcome.Outcome | undefined, result: ToolResult.ToolResult): Json.Json => {
  if (!result.content.some((part) => part._tag === "Image" || part._tag === "File")) return resultText(outcome, result)
  const output = result.content.map(contentPiece)
  return result.isError ? [{ type: "input_text", text: "Error:" }, ...output] : output
}

/** One part of what the user says, or of a result. Which types of files the API takes, its models decide. */
export const contentPiece = (part: Content.Part): Json.JsonObject => {
  if (part._tag === "Image") return { type: "input_image", image_url: url(part), detail: "auto" }
  if (part._tag !== "File") return { type: "input_text", text: partText(part) }
  if (part.source._tag === "Url") return { type: "input_file", file_url: part.source.url }
  // Data without a name is refused.
  const filename = part.filename ?? `file.${part.mediaType.split("/")[1] ?? "bin"}`
  return { type: "input_file", file_data: url(part), filename }
}

/** Where an image or file is to be had: its URL, or its data as one. */
export const url = ({ mediaType, source }: Content.Image | Content.File): string =>
  source._tag === "Url" ? source.url : `data:${mediaType};base64,${source.data}`
