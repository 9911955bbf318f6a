/** Chat Completions: a response as a turn. Only the first choice is read. */
import type { Json, Turn } from "@wield/core"
import * as ToolCall from "@wield/core/ToolCall"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { Offered, WireFormat } from "../internal/contract.js"
import { isNothing } from "../internal/json.js"
import {
  type Fields,
  type Path,
  failIn,
  isList,
  isObject,
  listField,
  objectField,
  statedField,
  stringField,
  withLists
} from "../internal/wireField.js"
import { hasArguments } from "../internal/streamedCalls.js"
import { finishOf, isCutting, usageOf, withCutCall } from "../internal/format.js"
import type { ChatDialect } from "./format.js"
import { type CallIds, errorBody, makeCallIds } from "../openai-shared/response.js"
import { type ReadArguments, offeredTools, readArguments } from "../openai-shared/tools.js"

export const makeDecodeTurn =
  (dialect: ChatDialect): WireFormat["decodeTurn"] =>
  (body, offered) =>
    Either.flatMap(firstChoice(dialect.name, body), ({ response, choice, message }) => {
      const reader = callReader(dialect, offered, stringField(response, "id"))
      return Either.map(messageParts(dialect.name, message, reader, messagePath), (parts) =>
        withCutCall(
          turnOf(dialect, response, stringField(choice, "finish_reason"), parts, [withRole(message)]),
          (call) => !isCustomCall(listField(message, "tool_calls").at(-1)) && hasArguments(call)
        )
      )
    })

/** How calls are read back; `message` names the message that they stand in. */
export const callReader = (
  dialect: ChatDialect,
  offered: Offered | undefined,
  message: string | undefined
): CallReader => {
  const tools = offeredTools(dialect, offered?.definitions)
  return {
    callId: callIds(dialect, message),
    fromNative: tools.fromNative,
    readArguments: readArguments(tools, offered?.isStrict === true),
    format: dialect.name
  }
}

/** A whole turn, from a response and what was read from its message. */
export const turnOf = (
  dialect: ChatDialect,
  response: { readonly [key: string]: unknown },
  nativeFinish: string | undefined,
  parts: ReadonlyArray<Turn.Part>,
  native: ReadonlyArray<Json.Json>
): Turn.Turn => ({
  format: dialect.name,
  id: stringField(response, "id"),
  model: stringField(response, "model"),
  parts,
  usage: usageOf(dialect, objectField(response, "usage") ?? {}),
  finish: finishOf(dialect, finishWord(dialect, nativeFinish ?? ""), parts),
  nativeFinish,
  // Where the API refuses an empty turn in the next request, it leaves no message.
  native: parts.length === 0 && !dialect.takesEmptyTurn ? [] : native,
  isComplete: true
})

/** Servers that imitate OpenAI write its words in other cases too. */
const finishWord = ({ finish }: ChatDialect, word: string): string =>
  Object.hasOwn(finish, word) ? word : word.toLowerCase()

/** Whether the last call of a response that ended by this word may have been cut off. */
export const isCutBy = (dialect: ChatDialect, word: string | undefined): boolean =>
  isCutting(dialect, finishWord(dialect, word ?? ""))

const messagePath = ["choices", 0, "message"] as const

const firstChoice = (
  format: string,
  body: unknown
): Either.Either<{ readonly response: Fields; readonly choice: Fields; readonly message: Fields }, WireError> => {
  const fail = failIn(format)
  if (!isObject(body)) return fail([], "an object with choices", body)
  const { choices } = withLists(body, "choices")
  if (!isList(choices)) return errorBody(format, body, "choices") ?? fail(["choices"], "an array of choices", choices)
  const [choice] = choices
  if (!isObject(choice)) return errorBody(format, body, "a choice") ?? fail(["choices", 0], "a choice", choice)
  const message = choice["message"]
  if (isObject(message))
    return Either.right({ response: body, choice, message: withLists(message, "content", "tool_calls") })
  // OpenRouter reports a failure of the model's own provider inside the choice.
  return errorBody(format, choice, "a message") ?? fail(messagePath, "a message", message)
}

export const messageParts = (
  format: string,
  message: Fields,
  reader: CallReader,
  path: Path
): Either.Either<ReadonlyArray<Turn.Part>, WireError> =>
  Either.flatMap(callEntries(format, message["executed_tools"], [...path, "executed_tools"]), (executed) =>
    Either.map(callEntries(format, message["tool_calls"], [...path, "tool_calls"]), (calls) => {
      const parts: Array<Turn.Part> = executed.map((entry, index) => executedToolPart(entry, index, reader))
      for (const part of textParts(message, format)) parts.push(part)
      for (const [index, entry] of calls.entries()) parts.push(toolCallPart(entry, index, reader))
      const call = calls.length === 0 ? functionCallPart(message, reader) : undefined
      if (call !== undefined) parts.push(call)
      return parts
    })
  )

export const reasoningFields: ReadonlySet<string> = new Set(["reasoning_content", "reasoning", "reasoning_details"])

/**
 * Reasoning, text and refusal, in this order; empty ones are left out. With
 * `format`, reasoning keeps how it stood in the message.
 */
export const textParts = (message: Fields, format?: string): Array<Turn.Part> => {
  const parts: Array<Turn.Part> = []
  const pushReasoning = (text: string, json: () => Json.Json): void => {
    const native = format === undefined ? {} : { native: { format, json: [json()] } }
    parts.push({ _tag: "Reasoning", text, ...native })
  }
  const reasoning = reasoningText(message)
  if (reasoning !== undefined) {
    pushReasoning(reasoning, () =>
      Object.fromEntries(
        [...reasoningFields].flatMap((key) => ((message[key] ?? null) === null ? [] : [[key, message[key]]]))
      )
    )
  }
  const { content } = message
  if (typeof content === "string") {
    if (content !== "") parts.push({ _tag: "Text", text: content })
  } else if (Array.isArray(content)) {
    for (const item of content) contentPart(item, parts, pushReasoning)
  } else {
    // OpenAI's audio models speak in place of the text.
    const transcript = stringField(objectField(message, "audio"), "transcript")
    if (transcript !== undefined && transcript !== "") parts.push({ _tag: "Text", text: transcript })
  }
  const refusal = stringField(message, "refusal")
  if (refusal !== undefined && refusal !== "") parts.push({ _tag: "Refusal", text: refusal })
  return parts
}

/**
 * DeepSeek, Alibaba and xAI send `reasoning_content`; Groq, OpenRouter and vLLM `reasoning`; some both, with one text.
 * OpenRouter and Snowflake send details, whose text is empty when they are encrypted.
 */
const reasoningText = (message: Fields): string | undefined => {
  for (const key of ["reasoning_content", "reasoning"]) {
    const text = stringField(message, key)
    if (text !== undefined && text !== "") return text
  }
  const details = message["reasoning_details"]
  // DeepSeek wants an empty one back, too.
  if (!Array.isArray(details) || details.length === 0) return stringField(message, "reasoning_content")
  return details.map((detail) => stringField(detail, "text") ?? stringField(detail, "summary") ?? "").join("")
}

/** A part of a content list: OpenAI's, Mistral's `thinking`, or a plain string. */
const contentPart = (
  item: unknown,
  parts: Array<Turn.Part>,
  pushReasoning: (text: string, json: () => Json.Json) => void
): void => {
  if (typeof item === "string") parts.push({ _tag: "Text", text: item })
  if (!isObject(item)) return
  const thinking = statedField(item, "thinking")
  if (thinking !== undefined) {
    const pieces = Array.isArray(thinking) ? thinking : [thinking]
    const text = pieces.map((piece) =>
      isObject(piece) ? (stringField(piece, "text") ?? "") : typeof piece === "string" ? piece : ""
    )
    pushReasoning(text.join(""), () => item)
    return
  }
  const refusal = stringField(item, "refusal")
  const text = stringField(item, "text")
  if (refusal !== undefined) parts.push({ _tag: "Refusal", text: refusal })
  else if (text !== undefined && text !== "") parts.push({ _tag: "Text", text })
}

/** What is needed to read a call back as it is meant. */
export interface CallReader {
  readonly format: string
  readonly callId: CallIds
  readonly fromNative: (native: string) => string
  readonly readArguments: ReadArguments
}

/** Some servers leave the role out, or send an empty one, which others refuse in the next request. */
const withRole = (message: Fields): Json.JsonObject =>
  (stringField(message, "role") ?? "") === "" ? { ...message, role: "assistant" } : message

/**
 * Whether the call's input is free text, which does not show whether its end is there. Snowflake sends both kinds, the one
 * that is not meant with an empty name.
 */
export const isCustomCall = (entry: unknown): boolean =>
  objectField(entry, "custom") !== undefined && (stringField(objectField(entry, "function"), "name") ?? "") === ""

/** An entry of `tool_calls`. One without a name is still a call: it must have a result. */
export const toolCallPart = (entry: Fields, index: number, reader: CallReader): Turn.CallPart => {
  const isCustom = isCustomCall(entry)
  const source = objectField(entry, isCustom ? "custom" : "function")
  const nativeName = stringField(source, "name") ?? ""
  const sent = isCustom ? { input: source?.["input"] ?? "" } : source?.["arguments"]
  return part(reader.callId(entry["id"], index), nativeName, sent, reader, "application")
}

/** The call of the API's first years, `function_call`; it has no id. Snowflake sends an empty one always. */
export const functionCallPart = (message: Fields, reader: CallReader): Turn.CallPart | undefined => {
  const call = objectField(message, "function_call")
  const nativeName = call === undefined ? "" : (stringField(call, "name") ?? "")
  if (call === undefined || nativeName === "") return undefined
  return part(reader.callId(undefined, 0), nativeName, call["arguments"], reader, "application")
}

/** An entry of `executed_tools`: Groq's compound systems ran the tool themselves. */
export const executedToolPart = (entry: Fields, index: number, reader: CallReader): Turn.CallPart =>
  part(
    { id: `executed_${reader.callId(undefined, index).id}`, nativeId: undefined },
    stringField(entry, "name") ?? stringField(entry, "type") ?? "",
    entry["arguments"],
    reader,
    "provider"
  )

const part = (
  { id, nativeId }: ReturnType<CallIds>,
  nativeName: string,
  sent: unknown,
  reader: CallReader,
  executedBy: "application" | "provider"
): Turn.CallPart => {
  const toolName = reader.fromNative(nativeName)
  // OpenRouter leaves the arguments out where a model sent none, Databricks sends an empty text; a few servers send an
  // object instead of its text.
  const args = isNothing(sent) ? {} : reader.readArguments(toolName, sent)
  return {
    _tag: "Call",
    call: ToolCall.make(id, toolName, args),
    executedBy,
    nativeName,
    nativeId,
    format: reader.format
  }
}

/** The entries of a list of calls; an absent list is an empty one. */
const callEntries = (
  format: string,
  value: Json.Json | undefined,
  path: Path
): Either.Either<ReadonlyArray<Fields>, WireError> => {
  const list = value ?? []
  if (!isList(list)) return failIn(format)(path, "an array of calls", list)
  const wrong = list.findIndex((entry) => !isObject(entry))
  return wrong === -1 ? Either.right(list.filter(isObject)) : failIn(format)([...path, wrong], "a call", list[wrong])
}

/** Google's endpoint and some local servers send no id. */
export const callIds = (dialect: ChatDialect, message: string | undefined): CallIds => {
  const idOf = makeCallIds(message, dialect.acceptedId)
  return (sent, index) => idOf(sentId(dialect, sent), index)
}

export const sentId = (dialect: ChatDialect, sent: unknown): string | undefined =>
  typeof sent === "string" && sent !== "" && !dialect.missingIds.has(sent) ? sent : undefined

/**
 * Mistral answers almost as OpenAI does. It shows by an id of 32 hexadecimal digits beside a model of Mistral's, by chunks
 * of reasoning or references, by its names of token counts, and by calls without `type` under ids of nine characters.
 */
export const isMistralBody = (body: Fields): boolean => {
  if (hexId.test(stringField(body, "id") ?? "") && ownModel.test(stringField(body, "model") ?? "")) return true
  const usage = objectField(body, "usage")
  if (usage !== undefined && ("num_cached_tokens" in usage || "prompt_audio_seconds" in usage)) return true
  const { choices } = body
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = objectField(choice, "message")
  const { content, tool_calls: calls } = message ?? {}
  if (Array.isArray(content) && content.some(isMistralChunk)) return true
  return Array.isArray(calls) && calls.length > 0 && calls.every(isMistralCall)
}

const hexId = /^(cmpl-)?[0-9a-f]{32}$/

/** Other hosts put the maker before the name: `mistralai/…`. */
const ownModel = /^(ft:)?(open-|labs-)?(mistral|ministral|mixtral|magistral|codestral|devstral|pixtral|voxtral)/

const isMistralChunk = (item: unknown): boolean =>
  isObject(item) && (Array.isArray(item["thinking"]) || Array.isArray(item["reference_ids"]))

const isMistralCall = (entry: unknown): boolean =>
  isObject(entry) && !("type" in entry) && typeof entry["id"] === "string" && /^[a-zA-Z0-9]{9}$/.test(entry["id"])
