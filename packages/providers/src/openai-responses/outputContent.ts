/**
 * A result as the `output` of a Responses item: text, or a list of texts,
 * images and files.
 */
import type { Content, Json, Loss, Outcome, ToolResult } from "@wield/core"
import { partText, resultText } from "../openai/resultText.js"

export interface OutputContent {
  readonly output: Json.Json
  readonly losses: ReadonlyArray<Loss.Loss>
}

export const outputContent = (outcome: Outcome.Outcome | undefined, result: ToolResult.ToolResult): OutputContent => {
  if (!result.content.some((part) => part._tag === "Image" || part._tag === "File")) {
    return { output: resultText(outcome, result), losses: [] }
  }
  const losses: Array<Loss.Loss> = []
  const output = result.content.map((part, index) => {
    const carried = carry(part)
    if (carried !== undefined) return carried
    if (part._tag === "File") {
      losses.push({
        subject: result.name,
        path: ["content", index],
        keyword: "file",
        reason: `The API takes no ${part.mediaType} in a result; the model reads that it was left out.`
      })
    }
    return { type: "input_text", text: partText(part) }
  })
  return { output: result.isError ? [{ type: "input_text", text: "Error:" }, ...output] : output, losses }
}

export const carry = (part: Content.Part): Json.JsonObject | undefined => {
  if (part._tag === "Image") return { type: "input_image", image_url: url(part), detail: "auto" }
  // The API answers 400 `unsupported_file` to audio and video.
  if (part._tag !== "File" || /^(audio|video)\//.test(part.mediaType)) return undefined
  if (part.source._tag === "Url") return { type: "input_file", file_url: part.source.url }
  // Data without a name is refused.
  const filename = part.filename ?? `file.${part.mediaType.split("/")[1] ?? "bin"}`
  return { type: "input_file", file_data: url(part), filename }
}

/** Where an image or file is to be had: its URL, or its data as one. */
export const url = ({ mediaType, source }: Content.Image | Content.File): string =>
  source._tag === "Url" ? source.url : `data:${mediaType};base64,${source.data}`
