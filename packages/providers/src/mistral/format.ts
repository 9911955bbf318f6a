/** Chat Completions as Mistral speaks it. */
import type { Endpoint } from "../internal/contract.js"
import { fileOf, imageOf, isFetched, plainType, toUrl, unreadable } from "../internal/media.js"
import { nineCharacters } from "../internal/shortHash.js"
import { objectField, stringField } from "../internal/wireField.js"
import { type ChatDialect, chatTable, encodeTextOrImage, noteOf } from "../openai-chat/format.js"

/** References, and files that the API holds itself, have no words here. */
const decodeUserPart: ChatDialect["decodeUserPart"] = (part) => {
  const image = stringField(objectField(part, "image_url"), "url") ?? stringField(part, "image_url")
  if (image !== undefined) return imageOf(image)
  const document = stringField(part, "document_url")
  if (document !== undefined) return fileOf(document, "application/*", stringField(part, "document_name"))
  // Mistral documents the string; its tokenizer's library has OpenAI's object too.
  const audio = stringField(part, "input_audio") ?? stringField(objectField(part, "input_audio"), "data")
  return audio === undefined ? undefined : fileOf(audio, "audio/*")
}

const encodeUserPart: ChatDialect["encodeUserPart"] = (part) => {
  if (part._tag !== "File") return encodeTextOrImage(part)
  const { filename, source } = part
  const mediaType = plainType(part.mediaType)
  if (!isFetched(source)) return noteOf(part, unreadable(part))
  if (mediaType.startsWith("audio/")) {
    return { part: { type: "input_audio", input_audio: source._tag === "Url" ? source.url : source.data } }
  }
  if (mediaType.startsWith("video/")) return noteOf(part, "The API takes no video; a note stands in its place.")
  const name = filename === undefined ? {} : { document_name: filename }
  return { part: { type: "document_url", document_url: toUrl(part), ...name } }
}

const endpoint: Endpoint = {
  url: "https://api.mistral.ai/v1",
  key: { header: "authorization", prefix: "Bearer ", variable: "MISTRAL_API_KEY" },
  headers: {},
  path: () => "/chat/completions",
  // Mistral refuses `stream_options`, and tells the tokens of every stream.
  body: (model, isStreaming) => (isStreaming ? { model, stream: true } : { model })
}

export const dialect: ChatDialect = {
  name: "mistral",
  title: "Mistral Chat Completions",
  api: "Mistral's API",
  endpoint,
  ...chatTable,
  choice: {
    key: "tool_choice",
    auto: "auto",
    none: "none",
    required: "any",
    one: (name) => ({ type: "function", function: { name } }),
    hasParallel: true
  },
  // Mistral: "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9" (code 3280).
  acceptedId: (id) => (/^[a-zA-Z0-9]{9}$/.test(id) ? id : nineCharacters(id)),
  // The default of `id` in the API's own description.
  missingIds: new Set(["null"]),
  hasCallIndex: true,
  hasCallType: false,
  emptyContent: "",
  // "Assistant message must have either content or tool_calls, but not none." (code 3240)
  takesEmptyTurn: false,
  hasRefusal: false,
  hasResultName: true,
  decodeUserPart,
  encodeUserPart
}
