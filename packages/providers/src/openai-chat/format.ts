/** Chat Completions as OpenAI has it, and how the APIs that speak it differ. */
import type { Json, Loss } from "@wield/core"
import * as Content from "@wield/core/Content"
import type { Endpoint, Request } from "../internal/contract.js"
import { needsSignature } from "../Maker.js"
import { addCacheKey } from "../internal/cache.js"
import { type FormatTable, meanings } from "../internal/format.js"
import { errors } from "../openai-shared/errors.js"
import { nameRule } from "../openai-shared/tools.js"
import { fileOf, imageOf, plainType, readableImage, toUrl, unreadable } from "../internal/media.js"
import { partText } from "../internal/resultText.js"
import { shortHash } from "../internal/shortHash.js"
import { type Fields, isObject, listField, objectField, stringField } from "../internal/wireField.js"

export interface ChatDialect extends FormatTable {
  /** An id as this API accepts it: itself where it does, otherwise the same other one each time. */
  readonly acceptedId: (id: string) => string
  /** Ids that stand for none. */
  readonly missingIds: ReadonlySet<string>
  /** Whether a response has `index` in the entries of `tool_calls`, not only a stream. */
  readonly hasCallIndex: boolean
  /** Whether a request has to state the `type` of each entry of `tool_calls`. */
  readonly hasCallType: boolean
  /** Content of an assistant message that only calls. */
  readonly emptyContent: "" | null
  /** Whether a message can say that it refuses. */
  readonly hasRefusal: boolean
  /** Whether a result states the name of its tool. */
  readonly hasResultName: boolean
  /** A part of a user's message; undefined for one that has no words here. */
  readonly decodeUserPart: (part: Fields) => Content.Part | undefined
  readonly encodeUserPart: (part: Content.Part) => EncodedPart
}

/** What all who speak Chat Completions have in common. */
export const chatTable: Pick<FormatTable, "historyKey" | "nameRule" | "finish" | "usage" | "results" | "errors"> = {
  historyKey: "messages",
  nameRule,
  // Of each meaning, OpenAI's own words come first, then those of servers that imitate it, in lower case.
  finish: {
    ...meanings({
      // Together's and Hugging Face's words, then those of a model behind a gateway that passes them on.
      stop: "stop eos eos_token stop_sequence end_turn",
      calls: "tool_calls function_call tool_use",
      length: "length max_tokens model_length model_context_window_exceeded",
      // The last one is Zhipu's.
      filter: "content_filter safety sensitive",
      // Zhipu's; DeepSeek's, when it is overloaded; OpenRouter's, when the model's own provider failed.
      error: "network_error insufficient_system_resource error"
    }),
    // Snowflake sends an empty word.
    "": "stop"
  },
  usage: {
    input: ["prompt_tokens"],
    output: ["completion_tokens"],
    reasoning: ["completion_tokens_details.reasoning_tokens"],
    // DeepSeek counts at the top level too, and at first did so only there. Mistral and Moonshot did so under names of their own.
    cacheRead: ["prompt_tokens_details.cached_tokens|prompt_cache_hit_tokens|num_cached_tokens|cached_tokens"],
    // OpenRouter, for models of Anthropic.
    cacheWrite: ["prompt_tokens_details.cache_write_tokens"],
    total: ["total_tokens"]
  },
  results: { images: "follow", files: "left out", hasErrorFlag: false },
  errors
}

/** What some servers demand of the assistant's messages, of those that another server or model made (`ofOthers`) too. */
interface Demands {
  readonly ofOwn: (message: Json.JsonObject) => Json.JsonObject
  readonly ofOthers: (message: Json.JsonObject) => Json.JsonObject
}

export const demandsOf = ({
  host = "",
  model = "",
  settings
}: Pick<Request, "host" | "model" | "settings">): Demands => {
  if (needsSignature(model)) return { ofOwn: withSignature, ofOthers: withSignature }
  const isServer = /(^|\.)(deepseek\.com|moonshot\.(ai|cn)|kimi\.com)(:\d+)?$/.test(host)
  const name = /(^|\.)openrouter\.ai$/.test(host) ? model.replace(/^.*\//, "") : model
  const isAsked = /^(deepseek|kimi)-/.test(name) && stringField(settings?.json["thinking"], "type") === "enabled"
  if (!isServer && !isAsked && !thinkingModel.test(name)) return { ofOwn: same, ofOthers: same }
  return {
    ofOwn: (message) => (host !== "" && isCalling(message) ? withReasoning(message) : message),
    ofOthers: withReasoning
  }
}

/** The makers' own names for models that think where a request does not forbid it. */
const thinkingModel = /^(deepseek-(reasoner|v[4-9])|kimi-(k2\.\d|k2-thinking|k[3-9]))/

const same = (message: Json.JsonObject): Json.JsonObject => message

const isCalling = (message: Json.JsonObject): boolean => listField(message, "tool_calls").length > 0

/**
 * DeepSeek: "Missing `reasoning_content` field in the assistant message", Kimi: "thinking is enabled but
 * reasoning_content is missing in assistant tool call message". Both take an empty one, and ignore it where the model
 * does not think; other servers of these models (Groq) refuse the field.
 */
const withReasoning = (message: Json.JsonObject): Json.JsonObject =>
  typeof message["reasoning_content"] === "string" || message["role"] !== "assistant"
    ? message
    : { ...message, reasoning_content: "" }

/**
 * Gemini 3 refuses a message whose first call has no signature; this one Google documents for calls that it has not made.
 *
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures#faqs
 */
const withSignature = (message: Json.JsonObject): Json.JsonObject => {
  const [first, ...others] = listField(message, "tool_calls")
  if (!isObject(first) || objectField(first, "extra_content") !== undefined) return message
  const extra_content = { google: { thought_signature: "skip_thought_signature_validator" } }
  return { ...message, tool_calls: [{ ...first, extra_content }, ...others] }
}

interface EncodedPart {
  readonly part: Json.JsonObject | undefined
  /** What could not be said, where something could not. */
  readonly loss?: Omit<Loss.Loss, "subject" | "path">
}

export const openAi: Pick<Endpoint, "url" | "key" | "headers"> = {
  url: "https://api.openai.com/v1",
  key: { header: "authorization", prefix: "Bearer ", variable: "OPENAI_API_KEY" },
  headers: {}
}

/** A file that the API holds itself, named by `file_id`, has no words here. */
const decodeUserPart: ChatDialect["decodeUserPart"] = (part) => {
  // Some compatible servers take the URL itself in place of the object.
  const image = stringField(objectField(part, "image_url"), "url") ?? stringField(part, "image_url")
  if (image !== undefined) return imageOf(image)
  const audio = objectField(part, "input_audio")
  const data = stringField(audio, "data")
  if (data !== undefined) {
    const mediaType = `audio/${stringField(audio, "format") ?? "*"}`
    return new Content.File({ mediaType, source: { _tag: "Base64", data } })
  }
  const file = objectField(part, "file")
  const fileData = stringField(file, "file_data")
  return fileData === undefined
    ? undefined
    : fileOf(fileData, "application/octet-stream", stringField(file, "filename"))
}

export const encodeTextOrImage = (part: Exclude<Content.Part, Content.File>): EncodedPart => {
  switch (part._tag) {
    case "Text":
      return { part: { type: "text", text: part.text } }
    case "JsonValue":
      return noteOf(part)
    case "Image": {
      const image = readableImage(part)
      return image === undefined
        ? noteOf(part, unreadable(part))
        : { part: { type: "image_url", image_url: { url: toUrl(image) } } }
    }
  }
}

const encodeUserPart: ChatDialect["encodeUserPart"] = (part) => {
  if (part._tag !== "File") return encodeTextOrImage(part)
  const { filename, mediaType, source } = part
  if (source._tag === "Url") {
    return noteOf(part, "The API takes a file as its bytes, not by URL; a note stands in its place.")
  }
  const format = audioFormats.get(plainType(mediaType))
  if (format !== undefined) return { part: { type: "input_audio", input_audio: { data: source.data, format } } }
  return { part: { type: "file", file: { ...(filename === undefined ? {} : { filename }), file_data: toUrl(part) } } }
}

const audioFormats: ReadonlyMap<string, string> = new Map([
  ["audio/wav", "wav"],
  ["audio/mpeg", "mp3"]
])

/** A part as text that the model reads; `reason` says why a file is not sent. */
export const noteOf = (part: Content.Part, reason?: string): EncodedPart => ({
  part: { type: "text", text: partText(part) },
  ...(reason === undefined ? {} : { loss: { keyword: part._tag === "Image" ? "image" : "file", reason } })
})

const endpoint: Endpoint = {
  ...openAi,
  path: () => "/chat/completions",
  // Without `include_usage` a stream says nothing of tokens.
  body: (model, isStreaming) =>
    isStreaming ? { model, stream: true, stream_options: { include_usage: true } } : { model }
}

/** OpenAI: "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40". */
const maxIdLength = 40

export const dialect: ChatDialect = {
  name: "openai-chat",
  title: "OpenAI Chat Completions",
  api: "This API",
  endpoint,
  ...chatTable,
  choice: {
    key: "tool_choice",
    auto: "auto",
    none: "none",
    required: "required",
    one: (name) => ({ type: "function", function: { name } }),
    several: (tools) => ({ type: "allowed_tools", allowed_tools: { mode: "required", tools } }),
    hasParallel: true
  },
  acceptedId: (id) => (id !== "" && id.length <= maxIdLength ? id : `call_${shortHash(id)}`),
  missingIds: new Set(),
  hasCallIndex: false,
  hasCallType: true,
  emptyContent: null,
  takesEmptyTurn: true,
  markCached: addCacheKey,
  hasRefusal: true,
  hasResultName: false,
  decodeUserPart,
  encodeUserPart
}
