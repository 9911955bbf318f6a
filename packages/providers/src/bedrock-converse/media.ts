/**
 * Bedrock's Converse API: images, documents and video as blocks, and back.
 */
import { Content, type Json } from "@wield/core"
import * as Encoding from "effect/Encoding"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField } from "../internal/wireField.js"

type Formats = ReadonlyMap<string, string>

/** Media types by the API's words for them. */
const images: Formats = new Map(["png", "jpeg", "gif", "webp"].map((format) => [format, `image/${format}`]))

const documents: Formats = new Map([
  ["pdf", "application/pdf"],
  ["csv", "text/csv"],
  ["doc", "application/msword"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["xls", "application/vnd.ms-excel"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["html", "text/html"],
  ["txt", "text/plain"],
  ["md", "text/markdown"]
])

const videos: Formats = new Map([
  ["mp4", "video/mp4"],
  ["webm", "video/webm"],
  ["mov", "video/quicktime"],
  ["mkv", "video/x-matroska"],
  ["flv", "video/x-flv"],
  ["mpeg", "video/mpeg"],
  ["mpg", "video/mpg"],
  ["wmv", "video/x-ms-wmv"],
  ["three_gp", "video/3gpp"]
])

const audios: Formats = new Map([
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["ogg", "audio/ogg"],
  ["opus", "audio/opus"],
  ["aac", "audio/aac"],
  ["flac", "audio/flac"],
  ["mp4", "audio/mp4"],
  ["webm", "audio/webm"]
])

const kinds: ReadonlyArray<readonly [key: string, formats: Formats]> = [
  ["image", images],
  ["document", documents],
  ["video", videos],
  ["audio", audios]
]

/** `undefined` for a block of another kind, and for media in a form that has no words here. */
export const decodeMedia = (block: Fields): Content.Image | Content.File | undefined => {
  for (const [key, formats] of kinds) {
    const media = objectField(block, key)
    if (media === undefined) continue
    const source = decodeSource(objectField(media, "source") ?? {})
    const mediaType = formats.get(stringField(media, "format") ?? "") ?? (key === "document" ? "*/*" : `${key}/*`)
    if (source === undefined) return undefined
    if (key === "image") return new Content.Image({ mediaType, source })
    const filename = stringField(media, "name")
    return new Content.File({ mediaType, source, ...(filename === undefined ? {} : { filename }) })
  }
  return undefined
}

const decodeSource = (source: Fields): Content.Source | undefined => {
  const data = stringField(source, "bytes")
  if (data !== undefined) return { _tag: "Base64", data }
  const text = stringField(source, "text")
  if (text !== undefined) return { _tag: "Base64", data: Encoding.encodeBase64(text) }
  const url = stringField(objectField(source, "s3Location") ?? {}, "uri")
  return url === undefined ? undefined : { _tag: "Url", url }
}

/** Gives every document of a request a name that the API takes. */
export type NameDocument = (filename: string | undefined) => string

/** `undefined` where the API has no block for it. */
export const encodeMedia = (
  part: Content.Image | Content.File,
  nameDocument: NameDocument
): Json.JsonObject | undefined => {
  const source = encodeSource(part.source)
  if (source === undefined) return undefined
  const mediaType = part.mediaType.replace(/;.*$/, "").trim().toLowerCase()
  for (const [key, formats] of kinds) {
    if ((key === "image") !== (part._tag === "Image")) continue
    for (const [format, known] of formats) {
      if (known !== (aliases.get(mediaType) ?? mediaType)) continue
      const name = key === "document" && part._tag === "File" ? { name: nameDocument(part.filename) } : {}
      return { [key]: { format, ...name, source } }
    }
  }
  return undefined
}

const aliases: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["audio/mp3", "audio/mpeg"],
  ["audio/x-wav", "audio/wav"],
  ["text/x-markdown", "text/markdown"]
])

/** The API reads no address but Amazon's own. */
const encodeSource = (source: Content.Source): Json.JsonObject | undefined => {
  if (source._tag === "Base64") return { bytes: source.data }
  return source.url.startsWith("s3://") ? { s3Location: { uri: source.url } } : undefined
}

/**
 * Names for the documents of one request. The API takes letters, digits, single
 * spaces, hyphens, parentheses and square brackets, and refuses a name that it
 * has already seen in the request; `salt` keeps apart those of other messages.
 */
export const documentNames = (salt = ""): NameDocument => {
  const taken = new Set<string>()
  const suffix = salt === "" ? "" : ` [${clean(salt).slice(-32)}]`
  return (filename) => {
    const base = clean(filename ?? "").slice(0, 140) || "Document"
    let name = `${base}${suffix}`
    for (let attempt = 2; taken.has(name); attempt++) name = `${base} (${attempt})${suffix}`
    taken.add(name)
    return name
  }
}

const clean = (text: string): string =>
  text
    .replaceAll(/[^a-zA-Z0-9\s\-()[\]]/g, "-")
    .replaceAll(/\s+/g, " ")
    .trim()
