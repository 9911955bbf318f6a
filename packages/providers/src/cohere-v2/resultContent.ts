/**
 * Cohere's Chat API: a result as the content of a message of the role `tool`:
 * text, or documents, which the model can cite.
 */
import type { Content, Loss, Outcome, ToolResult } from "@wield/core"
import { Json } from "@wield/core"
import { partText, resultText } from "../openai/resultText.js"

export const resultContent = (
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult,
  losses: Array<Loss.Loss>
): Json.Json => {
  losses.push(...leftOut(result))
  // There is no flag for errors: the text says so.
  if (result.isError || !result.content.some(isCitable)) return resultText(outcome, result)
  return result.content.flatMap((part): ReadonlyArray<Json.JsonObject> => {
    if (part._tag === "JsonValue") {
      if (Json.isObject(part.value)) return [document(part.value)]
      // Cohere's guides: each item of a list is a document of its own, cited on its own.
      if (isObjects(part.value)) return part.value.map(document)
    }
    return [{ type: "text", text: partText(part) }]
  })
}

const document = (data: object): Json.JsonObject => ({
  type: "document",
  // The core has shown that a result is JSON.
  document: { data: data as Json.JsonObject }
})

const isCitable = (part: Content.Part): boolean =>
  part._tag === "JsonValue" && (Json.isObject(part.value) || isObjects(part.value))

const isObjects = (value: unknown): value is ReadonlyArray<object> =>
  Array.isArray(value) && value.length > 0 && value.every(Json.isObject)

const leftOut = (result: ToolResult.ToolResult): ReadonlyArray<Loss.Loss> =>
  result.content.flatMap((part, index) =>
    part._tag === "Image" || part._tag === "File"
      ? [
          {
            subject: result.name,
            path: ["content", index],
            keyword: part._tag === "Image" ? "image" : "file",
            reason: "A result of Cohere's API carries text and JSON only; the model reads that it was left out."
          }
        ]
      : []
  )
