/**
 * The parts of a user's message, as OpenAI has them.
 */
import { Content, ToolResult } from "@wield/core"
import type { Json } from "@wield/core"
import type { ChatDialect } from "../openai/chat/ChatDialect.js"
import { fileOf, imageOf, toUrl } from "../openai/chat/dataUrl.js"
import { objectField, stringField } from "../internal/wireField.js"

/** A file that the API holds itself, named by `file_id`, has no words here. */
export const decodeUserPart: ChatDialect["decodeUserPart"] = (part) => {
  // Some compatible servers take the URL itself in place of the object.
  const image = stringField(objectField(part, "image_url") ?? {}, "url") ?? stringField(part, "image_url")
  if (image !== undefined) return imageOf(image)
  const audio = objectField(part, "input_audio")
  const data = audio === undefined ? undefined : stringField(audio, "data")
  if (audio !== undefined && data !== undefined) {
    return new Content.File({
      mediaType: `audio/${stringField(audio, "format") ?? "*"}`,
      source: { _tag: "Base64", data }
    })
  }
  const file = objectField(part, "file")
  const fileData = file === undefined ? undefined : stringField(file, "file_data")
  return file === undefined || fileData === undefined
    ? undefined
    : fileOf(fileData, "application/octet-stream", stringField(file, "filename"))
}

export const encodeUserPart: ChatDialect["encodeUserPart"] = (part) => {
  switch (part._tag) {
    case "Text":
      return { part: { type: "text", text: part.text } }
    case "JsonValue":
      return { part: note(part) }
    case "Image":
      return { part: { type: "image_url", image_url: { url: toUrl(part) } } }
    case "File": {
      if (part.source._tag === "Url") {
        return {
          part: note(part),
          loss: {
            keyword: "file",
            reason: "The API takes a file as its bytes, not by URL; a note stands in its place."
          }
        }
      }
      const format = audioFormats.get(part.mediaType)
      if (format !== undefined)
        return { part: { type: "input_audio", input_audio: { data: part.source.data, format } } }
      const { filename } = part
      return {
        part: { type: "file", file: { ...(filename === undefined ? {} : { filename }), file_data: toUrl(part) } }
      }
    }
  }
}

const audioFormats: ReadonlyMap<string, string> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/mp3", "mp3"],
  ["audio/mpeg", "mp3"]
])

/** What the model reads in place of a part that cannot be sent. */
const note = (part: Content.Part): Json.JsonObject => ({
  type: "text",
  text: ToolResult.toText({ id: "", name: "", isError: false, content: [part] })
})
