/**
 * Gemini's API: results as `functionResponse` parts. Media travels inside a
 * response where the model takes it there (Gemini 3), and in a content of its
 * own behind it otherwise.
 */
import type { Content, Json, Loss, ToolResult } from "@wield/core"
import { Json as JsonGuards } from "@wield/core"
import type { NamedCall } from "../internal/namedCalls.js"
import { encodeMedia } from "./contentPart.js"

/** A result, and how its call stands in the history. */
export interface Response extends NamedCall {
  readonly result: ToolResult.ToolResult
}

/** Media inside of a response is refused before Gemini 3. */
export const takesMediaInside = (model: string | undefined): boolean => /gemini-([3-9]|\d\d)/.test(model ?? "")

/** The contents that hold these results: responses, and media behind them. */
export const encodeResponses = (
  results: ReadonlyArray<Response>,
  takesMedia: boolean,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> => {
  const responses: Array<Json.JsonObject> = []
  const behind: Array<Json.JsonObject> = []
  for (const { name, nativeId, result } of results) {
    const inside: Array<Json.JsonObject> = []
    const values: Array<Json.Json> = []
    for (const item of result.content) {
      if (item._tag === "Text") values.push(item.text)
      // The core has shown that a result is JSON. A void one is null (a result is never undefined).
      else if (item._tag === "JsonValue") values.push((item.value ?? null) as Json.Json)
      else {
        const data = encodeMedia(item)
        if (data !== undefined && takesMedia && isTakenInside(item)) inside.push(data)
        else if (data !== undefined) {
          const label = `File ${behind.filter((entry) => "text" in entry).length + 1}`
          values.push(`${label} (${item.mediaType}) follows the results.`)
          behind.push({ text: `${label}, from the result of ${name}:` }, data)
        } else values.push(linkInstead(item, result, losses))
      }
    }
    responses.push({
      functionResponse: {
        // One of ours would answer a call that Gemini's history does not have.
        ...(nativeId === undefined ? {} : { id: nativeId }),
        name,
        response: responseObject(values, result.isError),
        ...(inside.length === 0 ? {} : { parts: inside })
      }
    })
  }
  return [
    // Responses first and alone: Gemini counts them against the calls of the turn before.
    ...(responses.length === 0 ? [] : [{ role: "user", parts: responses }]),
    ...(behind.length === 0 ? [] : [{ role: "user", parts: behind }])
  ]
}

/**
 * A response must be an object. Gemini reads its keys `output` and `error` as
 * result and error details, and takes any other object as the result itself.
 */
const responseObject = (values: ReadonlyArray<Json.Json>, isError: boolean): Json.JsonObject => {
  const [only] = values
  const value: Json.Json = values.length === 1 && only !== undefined ? only : values
  if (isError) return { error: value }
  return isJsonObject(value) && !("output" in value) && !("error" in value) ? value : { output: value }
}

const isJsonObject = (value: Json.Json): value is Json.JsonObject => JsonGuards.isObject(value)

/** What Gemini 3 documents for multimodal function responses; other media is refused there. */
const insideTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "application/pdf",
  "text/plain"
])

/** Only Vertex AI takes a URI inside a response, so it goes behind it for both. */
const isTakenInside = (item: Content.Image | Content.File): boolean =>
  item.source._tag === "Base64" && insideTypes.has(item.mediaType)

const linkInstead = (
  item: Content.Image | Content.File,
  result: ToolResult.ToolResult,
  losses: Array<Loss.Loss>
): string => {
  losses.push({
    subject: result.name,
    path: [],
    keyword: item._tag === "Image" ? "image" : "file",
    reason: "Gemini reads files from gs and https addresses only; a note stands in its place."
  })
  return `[a file of type ${item.mediaType} that this API cannot carry in a result]`
}
