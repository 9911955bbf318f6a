/**
 * An output item of the input as a result.
 */
import type { Loss, ToolResult } from "@wield/core"
import { Content, Json } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField } from "../internal/wireField.js"
import { decodeContent, decodeImage } from "./decodeContent.js"

/** Undefined for what answers no call of the application's (an approval). */
export const decodeResult = (
  item: Fields,
  id: string,
  name: string,
  subject: string,
  losses: Array<Loss.Loss>
): ToolResult.ToolResult => {
  const structured = structuredOf(item)
  return {
    id,
    name,
    // Only patches have a flag.
    isError: item["type"] === "apply_patch_call_output" && item["status"] === "failed",
    ...(structured === undefined
      ? { content: contentOf(item, subject, losses) }
      : { content: [Content.json(structured)], structured })
  }
}

const structuredOf = (item: Fields): unknown => {
  switch (item["type"]) {
    case "shell_call_output":
      return Array.isArray(item["output"]) ? item["output"] : undefined
    case "tool_search_output":
      return Array.isArray(item["tools"]) ? item["tools"] : undefined
    default:
      // Some clients send a JSON value where the API wants its text.
      return Json.isObject(item["output"]) && item["type"] !== "computer_call_output" ? item["output"] : undefined
  }
}

const contentOf = (item: Fields, subject: string, losses: Array<Loss.Loss>): ReadonlyArray<Content.Part> => {
  if (item["type"] !== "computer_call_output") return decodeContent(item["output"], subject, losses)
  const url = stringField(objectField(item, "output") ?? {}, "image_url")
  if (url !== undefined) return [decodeImage(url)]
  losses.push({
    subject,
    path: ["output"],
    keyword: "computer_screenshot",
    reason: "The screenshot is known to this API only, by the id of its file."
  })
  return []
}
