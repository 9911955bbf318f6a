/** Chat Completions as Mistral speaks it. */
import type { Content, Json, Loss, ToolDefinition } from "@wield/core"
import { ToolResult } from "@wield/core"
import type { Endpoint, ToolChoice, WireFormat } from "../WireFormat.js"
import { nineCharacters } from "../internal/shortHash.js"
import { objectField, stringField } from "../internal/wireField.js"
import type { ChatDialect } from "../openai-chat/format.js"
import { fileOf, imageOf, toUrl, chatTable } from "../openai-chat/format.js"

/** References, and files that the API holds itself, have no words here. */
const decodeUserPart: ChatDialect["decodeUserPart"] = (part) => {
  const image = stringField(objectField(part, "image_url") ?? {}, "url") ?? stringField(part, "image_url")
  if (image !== undefined) return imageOf(image)
  const document = stringField(part, "document_url")
  if (document !== undefined) return fileOf(document, "application/*", stringField(part, "document_name"))
  // Mistral documents the string; its tokenizer's library has OpenAI's object too.
  const audio = stringField(part, "input_audio") ?? stringField(objectField(part, "input_audio") ?? {}, "data")
  return audio === undefined ? undefined : fileOf(audio, "audio/*")
}

const encodeUserPart: ChatDialect["encodeUserPart"] = (part) => {
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
  afterResults: { role: "assistant", content: "OK" },
  decodeUserPart,
  encodeUserPart
}

export const mistralTools =
  (encodeTools: WireFormat["encodeTools"]): WireFormat["encodeTools"] =>
  (definitions, options = {}) => {
    const losses: Array<Loss.Loss> = []
    const offered = definitions.every(isOwn) ? definitions : definitions.filter(isOwn)
    for (const definition of definitions) if (!isOwn(definition)) losses.push(foreign(definition))
    const choice = narrowed(options.choice, losses)
    const encoded = encodeTools(offered, { ...options, choice })
    return {
      body: encoded.body["tool_choice"] === "required" ? { ...encoded.body, tool_choice: "any" } : encoded.body,
      losses: [...losses, ...encoded.losses]
    }
  }

const isOwn = ({ native, provider }: ToolDefinition.ToolDefinition): boolean =>
  provider === undefined || provider.id.startsWith("mistral.") || native?.format === "mistral"

const foreign = ({ name, provider }: ToolDefinition.ToolDefinition): Loss.Loss => ({
  subject: name,
  path: [],
  keyword: "provider",
  reason: `${provider?.id} is a tool of another provider's API; it is not offered.`
})

const narrowed = (choice: ToolChoice | undefined, losses: Array<Loss.Loss>): ToolChoice | undefined => {
  if (choice?._tag !== "OneOf" || choice.names.length < 2) return choice
  losses.push({
    subject: "tool_choice",
    path: [],
    keyword: "tool_choice",
    reason: "Mistral can demand one tool or any: it is asked to call any of those offered."
  })
  return { _tag: "Required" }
}
