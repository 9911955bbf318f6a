/**
 * The parts of a user's message, as Mistral has them.
 *
 * @see https://docs.mistral.ai/api
 */
import type { Content, Json } from "@wield/core"
import { ToolResult } from "@wield/core"
import { objectField, stringField } from "../internal/wireField.js"
import type { ChatDialect } from "../openai/chat/ChatDialect.js"
import { fileOf, imageOf, toUrl } from "../openai/chat/dataUrl.js"

/** References, and files that the API holds itself, have no words here. */
export const decodeUserPart: ChatDialect["decodeUserPart"] = (part) => {
  const image = stringField(objectField(part, "image_url") ?? {}, "url") ?? stringField(part, "image_url")
  if (image !== undefined) return imageOf(image)
  const document = stringField(part, "document_url")
  if (document !== undefined) return fileOf(document, "application/*", stringField(part, "document_name"))
  // Mistral documents the string; its tokenizer's library has OpenAI's object too.
  const audio = stringField(part, "input_audio") ?? stringField(objectField(part, "input_audio") ?? {}, "data")
  return audio === undefined ? undefined : fileOf(audio, "audio/*")
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
      const { filename, mediaType, source } = part
      if (mediaType.startsWith("audio/")) {
        return { part: { type: "input_audio", input_audio: source._tag === "Url" ? source.url : source.data } }
      }
      if (mediaType.startsWith("video/")) {
        return {
          part: note(part),
          loss: { keyword: "file", reason: "The API takes no video; a note stands in its place." }
        }
      }
      return {
        part: {
          type: "document_url",
          document_url: toUrl(part),
          ...(filename === undefined ? {} : { document_name: filename })
        }
      }
    }
  }
}

/** What the model reads in place of a part that cannot be sent. */
const note = (part: Content.Part): Json.JsonObject => ({
  type: "text",
  text: ToolResult.toText({ id: "", name: "", isError: false, content: [part] })
})
