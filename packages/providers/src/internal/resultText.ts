/** Results and arguments as text, for APIs that have them so. */
import type { Content, Outcome, ToolResult } from "@wield/core"
import * as Result from "@wield/core/ToolResult"

/**
 * What the model reads. A JSON string is sent as it is, without quotes and
 * escapes, as a text part is. An error says that it is one: a typed failure is
 * `{"error": …}`, any other text begins with `Error: `.
 */
export const resultText = (outcome: Outcome.Outcome | undefined, result: ToolResult.ToolResult): string => {
  const only = result.content.length === 1 ? result.content[0] : undefined
  if (only !== undefined && only._tag === "JsonValue") {
    // The runner has already made this text; a large result is not walked twice.
    const text =
      (outcome?._tag === "Success" || outcome?._tag === "Failure") && only.value === outcome.encoded
        ? outcome.text
        : (JSON.stringify(only.value) ?? "null")
    if (result.isError) return `{"error":${text}}`
    return typeof only.value === "string" ? only.value : text
  }
  const text = result.content.map(partText).join("\n")
  return result.isError ? `Error: ${text}` : text
}

/** One part as text; an image or file is a note that it was left out. */
export const partText = (part: Content.Part): string =>
  Result.toText({ id: "", name: "", isError: false, content: [part] })

/** The text of instructions; images and files say nothing there. */
export const instructionText = (content: ReadonlyArray<Content.Part>): string =>
  content.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("\n\n")

/** Arguments as the JSON text that OpenAI's APIs have in their messages. */
export const argumentText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "{}")
