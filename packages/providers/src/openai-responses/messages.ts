/** The Responses API: requests, in Wield's words and back. */
import type { Loss, Message, ToolDefinition, ToolResult } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Json from "@wield/core/Json"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { Conversing, WireFormat } from "../WireFormat.js"
import { callPairs, pairedCalls } from "../internal/calls.js"
import { joinResults, nativeJson, settingsOf } from "../internal/history.js"
import { imageType } from "../internal/imageType.js"
import { isSameJson } from "../internal/json.js"
import { type Fields, objectField, stringField, wireError } from "../internal/wireField.js"
import { formatName } from "./format.js"
import {
  type Offered,
  type Writing,
  applicationCalls,
  contentPiece,
  idRule,
  itemsWithIds,
  outputItem,
  encodeParts
} from "./results.js"
import { decodeChoice, decodeDefinitions, decodeOptions } from "./tools.js"
import { type ItemReader, type Tools, callItem, callPart, itemReader, partsOf } from "./turn.js"
import type { OfferedTools } from "../openai/tools.js"

export const makeDecodeRequest =
  (
    offeredTools: (definitions: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined) => OfferedTools,
    encodeTools: WireFormat["encodeTools"]
  ): Conversing["decodeRequest"] =>
  (body) => {
    if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "a request body", body))
    const { input, instructions, parallel_tool_calls, tool_choice, tools: sentTools, ...others } = body
    const losses: Array<Loss.Loss> = []
    const items = objectsOf(typeof input === "string" ? [] : (input ?? []), "input")
    if (Either.isLeft(items)) return Either.left(items.left)
    const tools = objectsOf(sentTools ?? [], "tools")
    if (Either.isLeft(tools)) return Either.left(tools.left)

    const definitions = decodeDefinitions(tools.right, losses)
    const options = decodeOptions(body, tools.right, definitions)
    const messages: Array<Message.Message> = []
    if (typeof instructions === "string") messages.push(systemOf(instructions))
    if (typeof input === "string") messages.push(userOf(input))
    messages.push(...decodeInput(items.right, { offered: offeredTools(definitions), isStrict: false }, losses))
    for (const key of ["previous_response_id", "conversation", "prompt"]) {
      if (others[key] !== undefined && others[key] !== null) losses.push(heldByTheApi(key))
    }

    // What definitions and options cannot say stands in the settings, so that it can be put back.
    const made = encodeTools(definitions, options).body
    const settings: Record<string, unknown> = { ...others }
    const said = { tools: sentTools, tool_choice, parallel_tool_calls }
    for (const [key, value] of Object.entries(said)) {
      if (value !== undefined && !isSameJson(value, made[key])) settings[key] = value
    }
    if (instructions !== undefined && typeof instructions !== "string") settings["instructions"] = instructions
    if (input !== undefined && messages.length === (typeof instructions === "string" ? 1 : 0)) settings["input"] = input
    return Either.right({
      messages,
      definitions,
      options,
      // A request's body is JSON.
      settings: { format: formatName, json: settings as Json.JsonObject },
      losses
    })
  }

const objectsOf = (value: unknown, key: string): Either.Either<ReadonlyArray<Fields>, WireError> => {
  if (!Array.isArray(value)) return Either.left(wireError(formatName, [key], "an array of objects", value))
  const list: ReadonlyArray<unknown> = value
  const wrong = list.findIndex((item) => !Json.isObject(item))
  if (wrong !== -1) return Either.left(wireError(formatName, [key, wrong], "an object", list[wrong]))
  return Either.right(list.filter(Json.isObject))
}

const systemOf = (text: string): Message.System => ({
  _tag: "System",
  text,
  native: { format: formatName, json: [text] }
})

const userOf = (text: string): Message.User => ({
  _tag: "User",
  content: [Content.text(text)],
  native: { format: formatName, json: [text] }
})

const heldByTheApi = (key: string): Loss.Loss => ({
  subject: "settings",
  path: [key],
  keyword: key,
  reason: "What was said before stands with the API only: these messages are not the whole conversation."
})

/** Items in a row that are one message. `from` is the place of the first. */
interface Group {
  readonly kind: ItemKind
  readonly from: number
  readonly items: Array<Fields>
}

interface Called {
  readonly id: string
  readonly name: string
  readonly executedBy: "application" | "provider"
}

/** The calls of the conversation so far. */
interface Calls {
  readonly byId: Map<string, Called>
  /** Those that came without an id; their results are paired by order. */
  readonly nameless: Array<Called>
}

const decodeInput = (
  items: ReadonlyArray<Fields>,
  tools: Tools,
  losses: Array<Loss.Loss>
): ReadonlyArray<Message.Message> => {
  const calls: Calls = { byId: new Map(), nameless: [] }
  const groups = grouped(items, itemReader({}, [], tools), calls, losses)
  return groups.map((group) => messageOf(group, tools, calls, losses))
}

const grouped = (
  items: ReadonlyArray<Fields>,
  reader: ItemReader,
  calls: Calls,
  losses: Array<Loss.Loss>
): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  /** Items without words before the first message. */
  let loose: Array<Fields> = []
  items.forEach((item, index) => {
    const part = callPart(item, index, reader)
    if (part !== undefined) {
      const { call, executedBy, nativeId } = part
      const called = { id: call.id, name: call.name, executedBy }
      calls.byId.set(call.id, called)
      if (nativeId === undefined && executedBy === "application") calls.nameless.push(called)
    }
    const kind = itemKind(item, (id) => calls.byId.get(id)?.executedBy)
    const last = groups.at(-1)
    if (kind === undefined) {
      losses.push(wordless(item, index))
      if (last === undefined) loose.push(item)
      else last.items.push(item)
    } else if (last !== undefined && last.kind === kind && (kind === "Assistant" || kind === "Results")) {
      last.items.push(item)
    } else {
      groups.push({ kind, from: index - loose.length, items: [...loose, item] })
      loose = []
    }
  })
  return loose.length === 0 ? groups : [...groups, { kind: "Assistant", from: 0, items: loose }]
}

const messageOf = (
  { from, items, kind }: Group,
  tools: Tools,
  calls: Calls,
  losses: Array<Loss.Loss>
): Message.Message => {
  // The items of a request's body are JSON.
  const native: Message.Native = { format: formatName, json: items as ReadonlyArray<Json.JsonObject> }
  const subject = `input ${from}`
  switch (kind) {
    case "System":
      return { _tag: "System", text: textOf(items, subject, losses), native }
    case "User":
      return {
        _tag: "User",
        content: items.flatMap((item) => decodeContent(item["content"], subject, losses)),
        native
      }
    case "Assistant": {
      const reader = itemReader({}, items, tools)
      for (const [place, item] of items.entries()) {
        if (item["type"] === "item_reference") losses.push(referenced(from + place))
      }
      return { _tag: "Assistant", parts: partsOf(items, (_, place) => from + place, reader), native }
    }
    case "Results":
      return {
        _tag: "Results",
        results: items.flatMap((item, place) => resultOf(item, `input ${from + place}`, calls, losses)),
        native
      }
  }
}

const textOf = (items: ReadonlyArray<Fields>, subject: string, losses: Array<Loss.Loss>): string =>
  items
    .flatMap((item) => decodeContent(item["content"], subject, losses))
    .map((part) => (part._tag === "Text" ? part.text : ""))
    .join("\n\n")

const resultOf = (
  item: Fields,
  subject: string,
  calls: Calls,
  losses: Array<Loss.Loss>
): ReadonlyArray<ToolResult.ToolResult> => {
  const type = stringField(item, "type") ?? ""
  if (!type.endsWith("_output")) {
    if (type === "mcp_approval_response") losses.push(approval(subject))
    return []
  }
  const sent = stringField(item, "call_id") ?? ""
  const called = sent === "" ? calls.nameless.shift() : calls.byId.get(sent)
  return [decodeResult(item, called?.id ?? sent, called?.name ?? "", subject, losses)]
}

const wordless = (item: Fields, index: number): Loss.Loss => ({
  subject: `input ${index}`,
  path: [],
  keyword: stringField(item, "type") ?? "item",
  reason: "There are no words for this item; it is kept for the Responses API only."
})

const referenced = (index: number): Loss.Loss => ({
  subject: `input ${index}`,
  path: [],
  keyword: "item_reference",
  reason: "It refers to an item that only the API holds."
})

const approval = (subject: string): Loss.Loss => ({
  subject,
  path: [],
  keyword: "mcp_approval_response",
  reason: "It allows or forbids a call of the API's own, and is kept for the Responses API only."
})

type ItemKind = "System" | "User" | "Assistant" | "Results"

/** What is said of a call that came before: whether the application runs it. */
type Caller = (callId: string) => "application" | "provider" | undefined

/**
 * Undefined for an item that has no words here (`additional_tools`, and what a
 * later version of the API may add): it stays with the message that it follows.
 */
const itemKind = (item: Fields, caller: Caller): ItemKind | undefined => {
  const type = stringField(item, "type")
  if (type === undefined || type === "message") return byRole(item["role"])
  if (type === "mcp_approval_response") return "Results"
  if (type.endsWith("_output")) return isResult(item, type, caller) ? "Results" : "Assistant"
  if (type.endsWith("_call") || models.has(type)) return "Assistant"
  return undefined
}

const byRole = (role: unknown): ItemKind | undefined => {
  switch (role) {
    case "system":
    case "developer":
      return "System"
    case "user":
      return "User"
    case "assistant":
      return "Assistant"
    default:
      return undefined
  }
}

/** What a response holds besides messages and calls. A reference is to an item of an earlier response. */
const models: ReadonlySet<string> = new Set([
  "reasoning",
  "item_reference",
  "program",
  "compaction",
  "mcp_list_tools",
  "mcp_approval_request"
])

/** Outputs of the API's own tools (a search for tools, a shell in a container) are part of the model's turn. */
const isResult = (item: Fields, type: string, caller: Caller): boolean => {
  const known = caller(stringField(item, "call_id") ?? "")
  if (known !== undefined) return known === "application"
  if (type === "tool_search_output") return item["execution"] === "client"
  return type !== "program_output"
}

/** Undefined for what answers no call of the application's (an approval). */
const decodeResult = (
  item: Fields,
  id: string,
  name: string,
  subject: string,
  losses: Array<Loss.Loss>
): ToolResult.ToolResult => {
  const structured = structuredOf(item)
  return {
    id,
    name,
    // Only patches have a flag.
    isError: item["type"] === "apply_patch_call_output" && item["status"] === "failed",
    ...(structured === undefined
      ? { content: contentOf(item, subject, losses) }
      : { content: [Content.json(structured)], structured })
  }
}

const structuredOf = (item: Fields): unknown => {
  switch (item["type"]) {
    case "shell_call_output":
      return Array.isArray(item["output"]) ? item["output"] : undefined
    case "tool_search_output":
      return Array.isArray(item["tools"]) ? item["tools"] : undefined
    default:
      // Some clients send a JSON value where the API wants its text.
      return Json.isObject(item["output"]) && item["type"] !== "computer_call_output" ? item["output"] : undefined
  }
}

const contentOf = (item: Fields, subject: string, losses: Array<Loss.Loss>): ReadonlyArray<Content.Part> => {
  if (item["type"] !== "computer_call_output") return decodeContent(item["output"], subject, losses)
  const url = stringField(objectField(item, "output") ?? {}, "image_url")
  if (url !== undefined) return [decodeImage(url)]
  losses.push({
    subject,
    path: ["output"],
    keyword: "computer_screenshot",
    reason: "The screenshot is known to this API only, by the id of its file."
  })
  return []
}

/** What has no words here is a loss, and stays in the native item only. */
const decodeContent = (content: unknown, subject: string, losses: Array<Loss.Loss>): ReadonlyArray<Content.Part> => {
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

const decodeImage = (url: string): Content.Image => {
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

/** The API takes text and PDF; no other ending is worth a guess. */
const fileType = (name: string | undefined): string =>
  name?.toLowerCase().endsWith(".pdf") === true ? "application/pdf" : "application/octet-stream"

export const makeEncodeRequest =
  (
    offeredTools: (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>) => OfferedTools,
    encodeTools: WireFormat["encodeTools"]
  ): Conversing["encodeRequest"] =>
  (request) => {
    const losses: Array<Loss.Loss> = []
    const settings = settingsOf(request, formatName, losses)
    const tools = encodeTools(request.definitions, request.options)
    const { input, instructions } = encodeInput(
      request.messages,
      offeredTools(request.definitions),
      typeof settings["previous_response_id"] === "string" || (settings["conversation"] ?? null) !== null,
      losses
    )
    // What definitions and options say counts; what they could not say stands in the settings.
    const { tool_choice: sent } = settings
    const offered: ReadonlyArray<unknown> = Array.isArray(tools.body["tools"]) ? tools.body["tools"] : []
    const said = decodeChoice(sent, offered.filter(Json.isObject), request.definitions)
    const isAsSent = sent !== undefined && isSameJson(said ?? null, request.options.choice ?? null)
    const body: Json.JsonObject = {
      ...settings,
      ...tools.body,
      ...(isAsSent ? { tool_choice: sent } : {}),
      ...(instructions === undefined ? {} : { instructions }),
      ...(input === undefined ? {} : { input })
    }
    return { body, losses: [...losses, ...tools.losses] }
  }

interface EncodedInput {
  readonly instructions: string | undefined
  /** Undefined where the conversation is empty. */
  readonly input: string | ReadonlyArray<Json.Json> | undefined
}

const encodeInput = (
  conversation: ReadonlyArray<Message.Message>,
  offered: Offered,
  isContinued: boolean,
  losses: Array<Loss.Loss>
): EncodedInput => {
  const messages = joinResults(conversation, formatName)
  const writing: Writing = { offered, pairs: callPairs(formatName, idRule), callers: new Map(), isContinued, losses }
  let instructions: string | undefined
  const items: Array<Json.Json> = []
  messages.forEach((message, index) => {
    const own = nativeJson(message, formatName)
    if (own === undefined) {
      items.push(...reencode(message, messages, index, writing))
      return
    }
    const [first] = own
    if (message._tag === "System" && typeof first === "string") instructions = first
    else if (message._tag === "Assistant") {
      const next = messages[index + 1]
      // A result that is re-encoded needs an id to name its call by.
      const isAnsweredAnew = next?._tag === "Results" && nativeJson(next, formatName) === undefined
      const sent = isAnsweredAnew ? itemsWithIds(own, applicationCalls(message.parts)).items : own
      items.push(...sent)
      keep(message, sent, writing)
    } else items.push(...own)
    if (message._tag === "Results") for (const result of message.results) writing.pairs.result(result.id)
  })
  const [only] = items
  if (items.length === 0) return { instructions, input: undefined }
  if (items.length === 1 && typeof only === "string") return { instructions, input: only }
  // Text alone is an input; among items it has to be one of them.
  return {
    instructions,
    input: items.map((item) => (typeof item === "string" ? { role: "user", content: item } : item))
  }
}

/** Notes the calls that stand in the history already, under the ids that they have there. */
const keep = (message: Message.Assistant, items: ReadonlyArray<Json.Json>, { callers, pairs }: Writing): void => {
  for (const part of message.parts) if (part._tag === "Call") pairs.keep(part)
  for (const item of items) {
    const call = Json.isObject(item) ? callItem(item, none) : undefined
    if (call !== undefined && typeof call.sentId === "string" && Json.isObject(item)) callers.set(call.sentId, item)
  }
}

const none: ReadonlySet<unknown> = new Set()

const reencode = (
  message: Message.Message,
  messages: ReadonlyArray<Message.Message>,
  index: number,
  writing: Writing
): ReadonlyArray<Json.Json> => {
  const subject = `message ${index}`
  switch (message._tag) {
    case "System":
      return message.text === "" ? [] : [{ role: "system", content: message.text }]
    case "User":
      return encodeUser(message)
    case "Assistant":
      return encodeParts(
        message.parts,
        { format: formatName, isPaired: pairedCalls(messages, index), subject },
        writing
      )
    case "Results":
      return message.results.flatMap((result) => encodeResult(result, subject, writing))
  }
}

const encodeUser = ({ content }: Message.User): ReadonlyArray<Json.JsonObject> => {
  const [only] = content
  if (only === undefined) return []
  if (content.length === 1 && only._tag === "Text") return [{ role: "user", content: only.text }]
  return [{ role: "user", content: content.map(contentPiece) }]
}

const encodeResult = (
  result: ToolResult.ToolResult,
  subject: string,
  { callers, isContinued, losses, pairs }: Writing
): ReadonlyArray<Json.JsonObject> => {
  const id = pairs.result(result.id) ?? (isContinued ? result.id : undefined)
  if (id === undefined) {
    const reason = `No call before it has the id ${JSON.stringify(result.id)}: the result is left out.`
    losses.push({ subject, path: [], keyword: "result", reason })
    return []
  }
  const { item, losses: lost } = outputItem(callers.get(id) ?? {}, id, undefined, result)
  losses.push(...lost)
  return [item]
}
