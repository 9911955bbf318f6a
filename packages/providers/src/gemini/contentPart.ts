/**
 * Gemini's API: a content part as a part of a user's content, and back.
 */
import type { Json, Loss } from "@wield/core"
import { Content, Json as JsonGuards } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { stringField } from "../internal/wireField.js"
import { either } from "./decodePart.js"

export type Path = ReadonlyArray<string | number>

/** `undefined` for a URL that Gemini has no way to read. */
export const encodeMedia = (item: Content.Image | Content.File): Json.JsonObject | undefined => {
  if (item.source._tag === "Base64") return { inlineData: { mimeType: item.mediaType, data: item.source.data } }
  const { url } = item.source
  return /^(gs|https):\/\//.test(url) ? { fileData: { mimeType: item.mediaType, fileUri: url } } : undefined
}

export const unsaid = (subject: string, path: Path, keyword: string): Loss.Loss => ({
  subject,
  path,
  keyword,
  reason: "Kept for Gemini's API only: there are no words for it here."
})

/** Signatures go with the part, which only the provider reads. */
const said: ReadonlySet<string> = new Set(
  (
    "text thought thoughtSignature thought_signature inlineData inline_data fileData file_data " +
    "functionCall function_call functionResponse function_response executableCode executable_code toolCall tool_call"
  ).split(" ")
)

/** Fields of a part that have no words here. */
export const unsaidFields = (part: Fields, subject: string, path: Path): ReadonlyArray<Loss.Loss> =>
  Object.keys(part)
    .filter((key) => !said.has(key) && part[key] !== null)
    .map((keyword) => unsaid(subject, path, keyword))

/** What the user says in a part: text, an image, a file. */
export const decodeContentPart = (
  part: unknown,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): ReadonlyArray<Content.Part> => {
  if (!JsonGuards.isObject(part)) {
    losses.push(unsaid(subject, path, "part"))
    return []
  }
  const text = stringField(part, "text")
  const found = text === undefined ? decodeMedia(part) : Content.text(text)
  if (found === undefined) {
    losses.push(unsaid(subject, path, Object.keys(part)[0] ?? "part"))
    return []
  }
  losses.push(...unsaidFields(part, subject, path))
  return [found]
}

export const decodeMedia = (part: Fields): Content.Image | Content.File | undefined => {
  const inline = either(part, "inlineData", "inline_data")
  if (JsonGuards.isObject(inline)) {
    const data = stringField(inline, "data")
    return data === undefined ? undefined : mediaOf(inline, { _tag: "Base64", data: standardBase64(data) })
  }
  const file = either(part, "fileData", "file_data")
  if (!JsonGuards.isObject(file)) return undefined
  const url = either(file, "fileUri", "file_uri")
  return typeof url === "string" ? mediaOf(file, { _tag: "Url", url }) : undefined
}

const mediaOf = (blob: Fields, source: Content.Source): Content.Image | Content.File => {
  const stated = either(blob, "mimeType", "mime_type")
  const mediaType = typeof stated === "string" ? stated : "application/octet-stream"
  if (mediaType.startsWith("image/")) return new Content.Image({ mediaType, source })
  const name = either(blob, "displayName", "display_name")
  return new Content.File({ mediaType, source, ...(typeof name === "string" ? { filename: name } : {}) })
}

/** Google's clients write bytes in the alphabet for URLs, which other APIs refuse. */
const standardBase64 = (data: string): string => data.replaceAll("-", "+").replaceAll("_", "/")
