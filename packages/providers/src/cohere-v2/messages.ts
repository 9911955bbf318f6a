/** Cohere's Chat API: requests, in Wield's words and back, and the results of calls. */
import type { Loss, Message, Outcome, ToolResult, Turn } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Json from "@wield/core/Json"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { EncodedRequest, EncodedResults, Request, ToolChoice, ToolsOptions } from "../WireFormat.js"
import { formatName, idRule, nameRule } from "./format.js"
import { encodeTools } from "./tools.js"
import { messageParts } from "./turn.js"
import { type CallPairs, callPairs, pairedCalls } from "../internal/calls.js"
import {
  type Reencoding,
  addMessage,
  emptyTurn,
  isEmptyTurn,
  joinResults,
  keepCalls,
  nativeJson,
  encodeTurnResults,
  sendableParts,
  settingsOf
} from "../internal/history.js"
import { keptLoss, mediaLoss, mediaLosses, unpairedResult } from "../internal/losses.js"
import * as NameMap from "../NameMap.js"
import { argumentText, partText, resultText } from "../internal/resultText.js"
import { decodeFunctionEntry, functionEntries } from "../internal/tools.js"
import { type Fields, objectField, stringField, wireError } from "../internal/wireField.js"

export const decodeRequest = (body: unknown): Either.Either<Request, WireError> => {
  if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "an object with messages", body))
  const { messages: sent, ...others } = body
  if (!Array.isArray(sent)) return Either.left(wireError(formatName, ["messages"], "an array of messages", sent))
  // The body is parsed JSON.
  const { definitions, options, settings } = decodeTools(others as Json.JsonObject)
  const losses: Array<Loss.Loss> = []
  const reading: Reading = { names: NameMap.make(definitions, nameRule), called: new Map(), losses }
  const messages: Array<Message.Message> = []
  for (let index = 0; index < sent.length; index++) {
    const decoded = decodeMessage(sent[index], index, reading)
    if (Either.isLeft(decoded)) return Either.left(decoded.left)
    addMessage(messages, decoded.right, formatName)
  }
  return Either.right({ messages, definitions, options, settings: { format: formatName, json: settings }, losses })
}

const decodeTools = (
  body: Json.JsonObject
): Pick<Request, "definitions" | "options"> & { readonly settings: Json.JsonObject } => {
  const { tools, tool_choice: choice, strict_tools: strict, ...others } = body
  const entries = functionEntries(tools)
  // Without tools there is nothing that the options could be about.
  if (entries === undefined) return { definitions: [], options: {}, settings: body }
  const known = choices.get(choice)
  const options: ToolsOptions = {
    ...(known === undefined ? {} : { choice: known }),
    ...(strict === true ? { isStrict: true } : {})
  }
  return {
    definitions: entries.map(decodeFunctionEntry(formatName)),
    options,
    settings: {
      ...others,
      ...(choice === undefined || known !== undefined ? {} : { tool_choice: choice }),
      ...(strict === undefined || strict === true ? {} : { strict_tools: strict })
    }
  }
}

const choices: ReadonlyMap<unknown, ToolChoice> = new Map<unknown, ToolChoice>([
  ["REQUIRED", { _tag: "Required" }],
  ["NONE", { _tag: "None" }]
])

interface Reading {
  readonly names: NameMap.NameMap
  /** The names of the calls so far, by id. */
  readonly called: Map<string, string>
  readonly losses: Array<Loss.Loss>
}

const decodeMessage = (
  message: unknown,
  index: number,
  reading: Reading
): Either.Either<Message.Message, WireError> => {
  const path = ["messages", index]
  if (!Json.isObject(message)) return Either.left(wireError(formatName, path, "a message", message))
  const { content, role } = message
  // The body is parsed JSON.
  const native = { format: formatName, json: [message as Json.JsonObject] }
  const read = (): ReadonlyArray<Content.Part> => decodeContent(content, `message ${index}`, reading.losses)
  switch (role) {
    case "system":
    case "developer":
      return Either.right({ _tag: "System", text: read().map(textOf).join("\n\n"), native })
    case "user":
      return Either.right({ _tag: "User", content: read(), native })
    case "assistant":
      return Either.map(messageParts(message, path, reading.names), (parts) => {
        for (const part of parts) if (part._tag === "Call") reading.called.set(part.call.id, part.call.name)
        return { _tag: "Assistant", parts, native }
      })
    case "tool":
      return Either.right({ _tag: "Results", results: [decodeResult(message, read(), reading)], native })
    default:
      return Either.left(wireError(formatName, [...path, "role"], "system, user, assistant or tool", role))
  }
}

const decodeResult = (
  message: Fields,
  content: ReadonlyArray<Content.Part>,
  reading: Reading
): ToolResult.ToolResult => {
  const id = stringField(message, "tool_call_id") ?? ""
  const only = content.length === 1 ? content[0] : undefined
  return {
    id,
    name: reading.called.get(id) ?? "",
    isError: false,
    content,
    ...(only?._tag === "JsonValue" ? { structured: only.value } : {})
  }
}

const textOf = (part: Content.Part): string => (part._tag === "Text" ? part.text : "")

const decodeContent = (content: unknown, subject: string, losses: Array<Loss.Loss>): ReadonlyArray<Content.Part> => {
  if (typeof content === "string") return [Content.text(content)]
  if (!Array.isArray(content)) return []
  return content.flatMap((item: unknown, index) => {
    const part = Json.isObject(item) ? decodeItem(item) : undefined
    if (part !== undefined) return [part]
    const keyword = Json.isObject(item) ? (stringField(item, "type") ?? "content") : "content"
    losses.push(keptLoss(subject, ["content", index], keyword))
    return []
  })
}

const decodeItem = (item: Fields): Content.Part | undefined => {
  const text = stringField(item, "text")
  if (text !== undefined) return Content.text(text)
  const data = objectField(item, "document")?.["data"]
  // Cohere's guides put the JSON text of a document there, its reference the document.
  if (typeof data === "string") return Content.text(data)
  if (Json.isObject(data)) return Content.json(data)
  const image = item["image_url"]
  const url = Json.isObject(image) ? stringField(image, "url") : typeof image === "string" ? image : undefined
  return url === undefined ? undefined : decodeImage(url)
}

const decodeImage = (url: string): Content.Image => {
  const inline = /^data:([^;,]+);base64,/.exec(url)
  return inline === null
    ? new Content.Image({ mediaType: "image/*", source: { _tag: "Url", url } })
    : Content.image(inline[1] ?? "image/*", url.slice(inline[0].length))
}

export const encodeRequest = (request: Request): EncodedRequest => {
  const losses: Array<Loss.Loss> = []
  const settings = settingsOf(request, formatName, losses)
  const { toNative } = NameMap.make(request.definitions, nameRule)
  const offered = encodeTools(request.definitions, request.options)
  const messages = encodeMessages(request.messages, toNative, losses)
  return { body: { ...settings, messages, ...offered.body }, losses: [...losses, ...offered.losses] }
}

const encodeMessages = (
  messages: ReadonlyArray<Message.Message>,
  toNative: (name: string) => string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.Json> => {
  const conversation = joinResults(messages, formatName)
  const pairs = callPairs(formatName, idRule)
  return conversation.flatMap((message, index): ReadonlyArray<Json.Json> => {
    const native = nativeJson(message, formatName)
    if (native !== undefined) {
      keepCalls(message, pairs)
      return native
    }
    const subject = `message ${index}`
    switch (message._tag) {
      case "System":
        return message.text === "" ? [] : [{ role: "system", content: message.text }]
      case "User": {
        const content = encodeContent(message, subject, losses)
        return content === undefined ? [] : [{ role: "user", content }]
      }
      case "Assistant": {
        const isPaired = pairedCalls(conversation, index)
        return encodeParts(message.parts, { format: formatName, subject, toNative, isPaired, losses }, pairs)
      }
      case "Results":
        return message.results.flatMap((result, at) => {
          const id = pairs.result(result.id)
          if (id !== undefined) {
            return [{ role: "tool", tool_call_id: id, content: resultContent(undefined, result, losses) }]
          }
          losses.push(unpairedResult(subject, [at], result.id))
          return []
        })
    }
  })
}

/** One text is sent as a string. `undefined` for no content: the API refuses an empty message. */
const encodeContent = (message: Message.User, subject: string, losses: Array<Loss.Loss>): Json.Json | undefined => {
  const [only, ...others] = message.content
  if (only === undefined) return undefined
  if (others.length === 0 && only._tag === "Text") return only.text
  return message.content.map((part, index): Json.JsonObject => {
    if (part._tag === "Image") {
      const { mediaType, source } = part
      const url = source._tag === "Url" ? source.url : `data:${mediaType};base64,${source.data}`
      return { type: "image_url", image_url: { url } }
    }
    if (part._tag === "File") {
      const reason = "Cohere's API takes no files in a message; a note stands in its place."
      losses.push(mediaLoss(subject, part, index, reason))
    }
    return { type: "text", text: partText(part) }
  })
}

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const calls = callPairs(formatName, idRule)
  return encodeTurnResults(turn, outcomes, {
    name: formatName,
    nameRule,
    calls,
    encodeParts: (context) => encodeParts(turn.parts, context, calls),
    encodeResults: (results, losses) =>
      results.map(({ part, outcome, result }) => ({
        role: "tool",
        tool_call_id: calls.result(part.call.id) ?? part.call.id,
        content: resultContent(outcome, result, losses)
      }))
  })
}

const resultContent = (
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult,
  losses: Array<Loss.Loss>
): Json.Json => {
  losses.push(...mediaLosses(result, "Cohere's API"))
  // There is no flag for errors: the text says so.
  if (result.isError || !result.content.some(isCitable)) return resultText(outcome, result)
  return result.content.flatMap((part): ReadonlyArray<Json.JsonObject> => {
    if (part._tag === "JsonValue") {
      if (Json.isObject(part.value)) return [document(part.value)]
      // Cohere's guides: each item of a list is a document of its own, cited on its own.
      if (isObjects(part.value)) return part.value.map(document)
    }
    return [{ type: "text", text: partText(part) }]
  })
}

const document = (data: object): Json.JsonObject => ({
  type: "document",
  // The core has shown that a result is JSON.
  document: { data: data as Json.JsonObject }
})

const isCitable = (part: Content.Part): boolean =>
  part._tag === "JsonValue" && (Json.isObject(part.value) || isObjects(part.value))

const isObjects = (value: unknown): value is ReadonlyArray<object> =>
  Array.isArray(value) && value.length > 0 && value.every(Json.isObject)

/** One message, or none where nothing is left to say. */
const encodeParts = (
  parts: ReadonlyArray<Turn.Part>,
  context: Reencoding,
  pairs: CallPairs
): ReadonlyArray<Json.JsonObject> => {
  const content: Array<Json.Json> = []
  let plan: Json.JsonObject = {}
  const calls: Array<Json.JsonObject> = []
  for (const part of sendableParts(parts, context)) {
    if (part._tag === "Call") {
      const { arguments: sent, name } = part.call
      const described = { name: context.toNative(name), arguments: argumentText(sent) }
      calls.push({ id: pairs.call(part), type: "function", function: described })
    } else if (part._tag === "Kept") {
      // The plan stands in a field of its own, thinking among the content.
      for (const json of part.json) {
        if (Json.isObject(json) && "tool_plan" in json) plan = { ...plan, ...json }
        else content.push(json)
      }
    } else if (part.text !== "") content.push({ type: "text", text: part.text })
  }
  // A plan alone is no message: Cohere: "message must not be empty in a turn".
  if (content.length === 0 && calls.length === 0) {
    if (isEmptyTurn(parts)) context.losses.push(emptyTurn(context.subject))
    return []
  }
  const [only, ...others] = content
  const text = Json.isObject(only) && only["type"] === "text" && others.length === 0 ? only["text"] : undefined
  return [
    {
      role: "assistant",
      ...(only === undefined ? {} : { content: text ?? content }),
      ...plan,
      ...(calls.length === 0 ? {} : { tool_calls: calls })
    }
  ]
}
