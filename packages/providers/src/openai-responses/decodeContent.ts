/**
 * Content of a Responses input item in Wield's words: of what the user says,
 * and of results.
 */
import type { Loss } from "@wield/core"
import { Content, Json } from "@wield/core"
import { imageType } from "../internal/imageType.js"
import type { Fields } from "../internal/wireField.js"
import { stringField } from "../internal/wireField.js"

/** What has no words here is a loss, and stays in the native item only. */
export const decodeContent = (
  content: unknown,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Content.Part> => {
  if (typeof content === "string") return [Content.text(content)]
  if (!Array.isArray(content)) return []
  return content.flatMap((piece: unknown, index) => {
    const part = Json.isObject(piece) ? decodePiece(piece) : undefined
    if (part !== undefined) return [part]
    losses.push({
      subject,
      path: ["content", index],
      keyword: (Json.isObject(piece) ? stringField(piece, "type") : undefined) ?? "content",
      reason: "It is known to this API only (such as by the id of an uploaded file), and kept for it only."
    })
    return []
  })
}

const decodePiece = (piece: Fields): Content.Part | undefined => {
  const text = stringField(piece, "text") ?? stringField(piece, "refusal")
  if (text !== undefined) return Content.text(text)
  const image = stringField(piece, "image_url")
  if (image !== undefined) return decodeImage(image)
  const data = stringField(piece, "file_data")
  const url = stringField(piece, "file_url")
  if (data === undefined && url === undefined) return undefined
  const filename = stringField(piece, "filename")
  const { mediaType, source } = decodeUrl(data ?? url ?? "", fileType(filename ?? url))
  return new Content.File({
    mediaType,
    // Data may stand without the beginning of a data URL.
    source: data !== undefined && source._tag === "Url" ? { _tag: "Base64", data } : source,
    ...(filename === undefined ? {} : { filename })
  })
}

export const decodeImage = (url: string): Content.Image => {
  const { mediaType, source } = decodeUrl(url, "image/*")
  return new Content.Image({
    mediaType: mediaType === "image/*" && source._tag === "Base64" ? imageType(source.data) : mediaType,
    source
  })
}

const decodeUrl = (url: string, otherwise: string): { readonly mediaType: string; readonly source: Content.Source } => {
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1
  const head = url.slice("data:".length, comma)
  if (comma === -1 || !head.endsWith(";base64")) return { mediaType: otherwise, source: { _tag: "Url", url } }
  return {
    mediaType: head.slice(0, -";base64".length) || otherwise,
    source: { _tag: "Base64", data: url.slice(comma + 1) }
  }
}

/** The API takes text and PDF; other types are told by no ending that is worth a guess. */
const fileType = (name: string | undefined): string =>
  name?.toLowerCase().endsWith(".pdf") === true ? "application/pdf" : "application/octet-stream"
