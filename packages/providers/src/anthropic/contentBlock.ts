/**
 * Anthropic's Messages API: a content part as the block of a user message or a
 * result, and back.
 */
import type { Loss } from "@wield/core"
import { Content, Json } from "@wield/core"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField } from "../internal/wireField.js"

export const isMedia = (part: Content.Part): part is Content.Image | Content.File =>
  part._tag === "Image" || part._tag === "File"

const imageTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

/** An image or document block; `undefined` for text, and for media that the API has no block for. */
export const encodeMedia = (part: Content.Part): Json.JsonObject | undefined => {
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

/** What the fields of a block say here; all others are told as losses. */
const said: { readonly [type: string]: ReadonlySet<string> } = {
  text: new Set(["type", "text"]),
  image: new Set(["type", "source"]),
  document: new Set(["type", "source", "title"]),
  tool_result: new Set(["type", "tool_use_id", "content", "is_error"]),
  tool_use: new Set(["type", "id", "name", "input"]),
  // The signature goes with the block, which only the provider reads.
  thinking: new Set(["type", "thinking", "signature"]),
  redacted_thinking: new Set(["type", "data"])
}

export type Path = ReadonlyArray<string | number>

/** Fields of a block that have no words here. */
export const unsaidFields = (block: Fields, subject: string, path: Path): ReadonlyArray<Loss.Loss> => {
  const type = stringField(block, "type") ?? ""
  const known = Object.hasOwn(said, type) ? said[type] : undefined
  if (known === undefined) return []
  return Object.keys(block)
    .filter((key) => !known.has(key) && block[key] !== null && block[key] !== undefined)
    .map((keyword) => ({ subject, path, keyword, reason: "Kept for Anthropic's API only." }))
}

export const unsaidBlock = (block: unknown, subject: string, path: Path): Loss.Loss => ({
  subject,
  path,
  keyword: (Json.isObject(block) ? stringField(block, "type") : undefined) ?? "block",
  reason: "Kept for Anthropic's API only: there are no words for it here."
})

/** The content of a user message or a result: a string, or blocks. */
export const decodeContent = (
  content: unknown,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): ReadonlyArray<Content.Part> => {
  if (typeof content === "string") return [Content.text(content)]
  if (!Array.isArray(content)) return []
  return content.flatMap((block, index) => decodeContentBlock(block, subject, [...path, index], losses))
}

export const decodeContentBlock = (
  block: unknown,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): ReadonlyArray<Content.Part> => {
  const part = Json.isObject(block) ? partOf(block) : undefined
  if (part === undefined || !Json.isObject(block)) {
    losses.push(unsaidBlock(block, subject, path))
    return []
  }
  losses.push(...unsaidFields(block, subject, path))
  return [part]
}

const partOf = (block: Fields): Content.Part | undefined => {
  const source = objectField(block, "source") ?? {}
  switch (block["type"]) {
    case "text": {
      const text = stringField(block, "text")
      return text === undefined ? undefined : Content.text(text)
    }
    case "image": {
      const found = decodeSource(source)
      return found === undefined
        ? undefined
        : new Content.Image({ mediaType: stringField(source, "media_type") ?? "image/*", source: found })
    }
    case "document": {
      const text = source["type"] === "text" ? stringField(source, "data") : undefined
      const found: Content.Source | undefined =
        text === undefined ? decodeSource(source) : { _tag: "Base64", data: Encoding.encodeBase64(text) }
      const mediaType = stringField(source, "media_type") ?? (text === undefined ? "application/pdf" : "text/plain")
      const title = stringField(block, "title")
      return found === undefined
        ? undefined
        : new Content.File({ mediaType, source: found, ...(title === undefined ? {} : { filename: title }) })
    }
  }
  return undefined
}

/** `undefined` for files that lie with Anthropic, and for documents made of blocks. */
const decodeSource = (source: Fields): Content.Source | undefined => {
  const data = stringField(source, "data")
  if (source["type"] === "base64" && data !== undefined) return { _tag: "Base64", data }
  const url = stringField(source, "url")
  return source["type"] === "url" && url !== undefined ? { _tag: "Url", url } : undefined
}
