/** The Responses API: requests, in Wield's words and back. */
import type { Json, Loss, Message, ToolDefinition, ToolResult } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { Conversing, EncodedRequest, EncodedTools } from "../internal/contract.js"
import type { Encodable } from "../internal/format.js"
import { applicationCalls, callPairs, OpenCalls, pairedCalls } from "../internal/calls.js"
import { joinResults, keepCalls, nativeJson, settingsOf } from "../internal/history.js"
import { isSameJson } from "../internal/json.js"
import { type Lose, loseFrom, lossOf } from "../internal/losses.js"
import { fileOf, imageOf, locate } from "../internal/media.js"
import { instructionText } from "../internal/resultText.js"
import { type Fields, isList, isObject, listField, objectField, stringField } from "../internal/wireField.js"
import { fail, formatName, table } from "./format.js"
import {
  type Writing,
  contentPieces,
  encodeParts,
  foundToolOf,
  idRule,
  itemsWithIds,
  outputItems,
  withoutLooseReasoning
} from "./results.js"
import { decodeChoice, decodeDefinitions, decodeOptions, encodeTools } from "./tools.js"
import { type ItemReader, type Tools, callItem, callPart, itemReader, partsOf, toolsOf } from "./turn.js"
import { offeredTools } from "../openai-shared/tools.js"

export const decodeRequest: Conversing["decodeRequest"] = (body) =>
  Either.gen(function* () {
    if (!isObject(body)) return yield* fail([], "a request body", body)
    const { input, instructions, parallel_tool_calls, tool_choice, tools: sentTools, ...others } = body
    const losses: Array<Loss.Loss> = []
    const items = yield* objectsOf(typeof input === "string" ? [] : (input ?? []), "input")
    const tools = yield* objectsOf(sentTools ?? [], "tools")

    const definitions = decodeDefinitions(tools, losses)
    const options = decodeOptions(body, tools, definitions)
    const messages: Array<Message.Message> = []
    const nativeOf = (text: string) => ({ format: formatName, json: [text] })
    if (typeof instructions === "string") {
      messages.push({ _tag: "System", text: instructions, native: nativeOf(instructions) })
    }
    if (typeof input === "string") {
      messages.push({ _tag: "User", content: [Content.text(input)], native: nativeOf(input) })
    }
    for (const each of decodeInput(items, toolsOf({ definitions }), losses)) messages.push(each)
    for (const key of ["previous_response_id", "conversation", "prompt"]) {
      if ((others[key] ?? null) !== null) losses.push(lossOf("settings", [key], key, heldByTheApi))
    }

    // What definitions and options cannot say stands in the settings, so that it can be put back.
    const made = encodeTools(definitions, options).body
    const settings: { [key: string]: Json.Json } = { ...others }
    for (const [key, value] of Object.entries({ tools: sentTools, tool_choice, parallel_tool_calls })) {
      if (value !== undefined && !isSameJson(value, made[key])) settings[key] = value
    }
    if (instructions !== undefined && typeof instructions !== "string") settings["instructions"] = instructions
    const isEmpty = messages.length === (typeof instructions === "string" ? 1 : 0)
    if (input !== undefined && isEmpty) settings["input"] = input
    return { messages, definitions, options, settings: { format: formatName, json: settings }, losses }
  })

const objectsOf = (value: Json.Json, key: string): Either.Either<ReadonlyArray<Fields>, WireError> => {
  if (!isList(value)) return fail([key], "an array of objects", value)
  const wrong = value.findIndex((item) => !isObject(item))
  return wrong === -1 ? Either.right(value.filter(isObject)) : fail([key, wrong], "an object", value[wrong])
}

const heldByTheApi = "What was said before stands with the API only: these messages are not the whole conversation."

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
  readonly nameless: OpenCalls<Called>
}

const decodeInput = (
  items: ReadonlyArray<Fields>,
  tools: Tools,
  losses: Array<Loss.Loss>
): ReadonlyArray<Message.Message> => {
  const calls: Calls = { byId: new Map(), nameless: new OpenCalls() }
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
      if (nativeId === undefined && executedBy === "application") calls.nameless.put("", called)
    }
    const kind = itemKind(item, (id) => calls.byId.get(id)?.executedBy)
    const last = groups.at(-1)
    if (kind === undefined) {
      losses.push(lossOf(`input ${index}`, [], stringField(item, "type") ?? "item", wordless))
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
  const native: Message.Native = { format: formatName, json: items }
  const lose = loseFrom(`input ${from}`, losses)
  switch (kind) {
    case "System": {
      const content = items.flatMap((item) => decodeContent(item["content"], lose))
      return { _tag: "System", text: instructionText(content), native }
    }
    case "User":
      return { _tag: "User", content: items.flatMap((item) => decodeContent(item["content"], lose)), native }
    case "Assistant": {
      for (const [place, item] of items.entries()) {
        if (item["type"] === "item_reference") {
          losses.push(
            lossOf(`input ${from + place}`, [], "item_reference", "It refers to an item that only the API holds.")
          )
        }
      }
      const parts = partsOf(items, (_, place) => from + place, itemReader({}, items, tools))
      return { _tag: "Assistant", parts, native }
    }
    case "Results": {
      const results = items.flatMap((item, place) => resultOf(item, calls, loseFrom(`input ${from + place}`, losses)))
      return { _tag: "Results", results, native }
    }
  }
}

const resultOf = (item: Fields, calls: Calls, lose: Lose): ReadonlyArray<ToolResult.ToolResult> => {
  const type = stringField(item, "type") ?? ""
  if (!type.endsWith("_output")) {
    const reason = "It allows or forbids a call of the API's own, and is kept for the Responses API only."
    if (type === "mcp_approval_response") lose([], type, reason)
    return []
  }
  const sent = stringField(item, "call_id") ?? ""
  const called = sent === "" ? calls.nameless.take("") : calls.byId.get(sent)
  const structured = structuredOf(item)
  return [
    {
      id: called?.id ?? sent,
      name: called?.name ?? "",
      // Only patches have a flag.
      isError: type === "apply_patch_call_output" && item["status"] === "failed",
      ...(structured === undefined
        ? { content: contentOf(item, lose) }
        : { content: [Content.json(structured)], structured })
    }
  ]
}

const wordless = "There are no words for this item; it is kept for the Responses API only."

type ItemKind = "System" | "User" | "Assistant" | "Results"

/** What is said of a call that came before: whether the application runs it. */
type Caller = (callId: string) => "application" | "provider" | undefined

/**
 * Undefined for an item that has no words here (`additional_tools`, and what a
 * later version of the API may add): it stays with the message that it follows.
 */
const itemKind = (item: Fields, caller: Caller): ItemKind | undefined => {
  const type = stringField(item, "type")
  if (type === undefined || type === "message") return roles.get(item["role"])
  if (type === "mcp_approval_response") return "Results"
  if (type.endsWith("_output")) return isResult(item, type, caller) ? "Results" : "Assistant"
  if (type.endsWith("_call") || models.has(type)) return "Assistant"
  return undefined
}

const roles: ReadonlyMap<unknown, ItemKind> = new Map<unknown, ItemKind>([
  ["system", "System"],
  ["developer", "System"],
  ["user", "User"],
  ["assistant", "Assistant"]
])

/** What a response holds besides messages and calls. A reference is to an item of an earlier response. */
const models: ReadonlySet<string> = new Set(
  "reasoning item_reference program compaction mcp_list_tools mcp_approval_request".split(" ")
)

/** Outputs of the API's own tools (a search for tools, a shell in a container) are part of the model's turn. */
const isResult = (item: Fields, type: string, caller: Caller): boolean => {
  const known = caller(stringField(item, "call_id") ?? "")
  if (known !== undefined) return known === "application"
  if (type === "tool_search_output") return item["execution"] === "client"
  return type !== "program_output"
}

const structuredOf = (item: Fields): Json.Json | undefined => {
  const { output, tools, type } = item
  if (type === "shell_call_output") return isList(output) ? output : undefined
  if (type === "tool_search_output") return isList(tools) ? tools : undefined
  // Some clients send a JSON value where the API wants its text.
  return isObject(output) && type !== "computer_call_output" ? output : undefined
}

const contentOf = (item: Fields, lose: Lose): ReadonlyArray<Content.Part> => {
  if (item["type"] !== "computer_call_output") return decodeContent(item["output"], lose)
  const url = stringField(objectField(item, "output"), "image_url")
  if (url !== undefined) return [imageOf(url)]
  lose(["output"], "computer_screenshot", "The screenshot is known to this API only, by the id of its file.")
  return []
}

/** What has no words here is a loss, and stays in the native item only. */
const decodeContent = (content: Json.Json | undefined, lose: Lose): ReadonlyArray<Content.Part> => {
  if (typeof content === "string") return [Content.text(content)]
  if (!isList(content)) return []
  return content.flatMap((piece, index) => {
    const part = decodePiece(piece)
    if (part !== undefined) return [part]
    const reason = "It is known to this API only (such as by the id of an uploaded file), and kept for it only."
    lose(["content", index], stringField(piece, "type") ?? "content", reason)
    return []
  })
}

const decodePiece = (piece: Json.Json): Content.Part | undefined => {
  const text = stringField(piece, "text") ?? stringField(piece, "refusal")
  if (text !== undefined) return Content.text(text)
  const image = stringField(piece, "image_url")
  if (image !== undefined) return imageOf(image)
  const data = stringField(piece, "file_data")
  const url = stringField(piece, "file_url")
  const filename = stringField(piece, "filename")
  const type = fileType(filename ?? url)
  // Data may stand without the beginning of a data URL.
  if (data !== undefined) return fileOf(data, type, filename)
  if (url === undefined) return undefined
  return new Content.File({ ...locate(url, type), ...(filename === undefined ? {} : { filename }) })
}

/** The API takes text and PDF; no other ending is worth a guess. */
const fileType = (name: string | undefined): string =>
  name?.toLowerCase().endsWith(".pdf") === true ? "application/pdf" : "application/octet-stream"

export const encodeRequest = (request: Encodable): EncodedRequest => {
  const losses: Array<Loss.Loss> = []
  const settings = settingsOf(request, formatName, losses)
  const { definitions, deferred, found } = request
  const tools = deferred === undefined ? encodeTools(definitions, request.options) : encodeDeferred(request, deferred)
  const offered = offeredTools(table, found === undefined ? definitions : [...definitions, ...found])
  const { input, instructions } = encodeInput(
    request.messages,
    { offered, foundTool: foundToolOf(request.options, offered) },
    typeof settings["previous_response_id"] === "string" || (settings["conversation"] ?? null) !== null,
    losses
  )
  // What definitions and options say counts; what they could not say stands in the settings.
  const { tool_choice: sent } = settings
  const said = decodeChoice(sent, listField(tools.body, "tools").filter(isObject), request.definitions)
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

/** Those that the API's own search finds stand behind all that the model is shown. */
const encodeDeferred = (
  { definitions, options }: Encodable,
  deferred: ReadonlyArray<ToolDefinition.ToolDefinition>
): EncodedTools => {
  const encoded = encodeTools([...definitions, ...deferred], options)
  const tools = listField(encoded.body, "tools")
  const shown = tools.length - deferred.length
  const sent = tools.map((tool, index) => (index < shown || !isObject(tool) ? tool : { ...tool, defer_loading: true }))
  return { ...encoded, body: { ...encoded.body, tools: sent } }
}

const encodeInput = (
  conversation: ReadonlyArray<Message.Message>,
  tools: Pick<Writing, "offered" | "foundTool">,
  isContinued: boolean,
  losses: Array<Loss.Loss>
): {
  readonly instructions: string | undefined
  /** Undefined where the conversation is empty. */
  readonly input: string | ReadonlyArray<Json.Json> | undefined
} => {
  const messages = joinResults(conversation, formatName)
  const paired = pairedCalls(messages)
  const pairs = callPairs(formatName, idRule)
  const writing: Writing = { ...tools, pairs, callers: new Map(), isContinued, losses }
  let instructions: string | undefined
  const items: Array<Json.Json> = []
  messages.forEach((message, index) => {
    const own = nativeJson(message, formatName)
    if (own === undefined) {
      for (const item of reencode(message, index, paired(index), writing)) items.push(item)
      return
    }
    const [first] = own
    if (message._tag === "System" && typeof first === "string") instructions = first
    else if (message._tag === "Assistant") {
      const next = messages[index + 1]
      // A result that is re-encoded needs an id to name its call by.
      const isAnsweredAnew = next?._tag === "Results" && nativeJson(next, formatName) === undefined
      const said = withoutLooseReasoning(own)
      const sent = isAnsweredAnew ? itemsWithIds(said, applicationCalls(message.parts)) : said
      for (const item of sent) items.push(item)
      noteCallers(sent, writing)
    } else for (const item of own) items.push(item)
    keepCalls(message, writing.pairs)
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

/** Notes the items that called, under the ids that they have in the history. */
const noteCallers = (items: ReadonlyArray<Json.Json>, { callers }: Writing): void => {
  for (const item of items) {
    if (!isObject(item)) continue
    const id = callItem(item, none)?.sentId
    if (typeof id === "string") callers.set(id, item)
  }
}

const none: ReadonlySet<unknown> = new Set()

const reencode = (
  message: Message.Message,
  index: number,
  isPaired: (id: string) => boolean,
  writing: Writing
): ReadonlyArray<Json.Json> => {
  const subject = `message ${index}`
  switch (message._tag) {
    case "System":
      return message.text === "" ? [] : [{ role: "system", content: message.text }]
    case "User":
      return encodeUser(message, subject, writing.losses)
    case "Assistant":
      return encodeParts(message.parts, { format: formatName, isPaired, subject }, writing)
    case "Results":
      return message.results.flatMap((result) => encodeResult(result, subject, writing))
  }
}

const encodeUser = (
  { content }: Message.User,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> => {
  const [only] = content
  if (only === undefined) return []
  if (content.length === 1 && only._tag === "Text") return [{ role: "user", content: only.text }]
  return [{ role: "user", content: contentPieces(content, subject, losses) }]
}

const encodeResult = (
  result: ToolResult.ToolResult,
  subject: string,
  { callers, foundTool, isContinued, losses, pairs }: Writing
): ReadonlyArray<Json.JsonObject> => {
  const id = pairs.result(result.id) ?? (isContinued ? result.id : undefined)
  if (id === undefined) {
    const reason = `No call before it has the id ${JSON.stringify(result.id)}: the result is left out.`
    losses.push(lossOf(subject, [], "result", reason))
    return []
  }
  return outputItems(callers.get(id) ?? {}, id, undefined, result, losses, foundTool)
}
