/** The Responses API: a response as a turn. Streams and requests read their items by it too. */
import type { Json, Turn } from "@wield/core"
import * as ToolCall from "@wield/core/ToolCall"
import * as Either from "effect/Either"
import type { Offered, WireFormat } from "../internal/contract.js"
import { finishOf, usageOf } from "../internal/format.js"
import { isNothing } from "../internal/json.js"
import { cutOff } from "../internal/streamedCalls.js"
import { PartList } from "../internal/partList.js"
import { shortHash } from "../internal/shortHash.js"
import {
  type Fields,
  isList,
  isObject,
  listOf,
  objectField,
  statedField,
  stringField,
  withLists
} from "../internal/wireField.js"
import { fail, formatName, table } from "./format.js"
import { type CallIds, errorBody, makeCallIds } from "../openai-shared/response.js"
import { type OfferedTools, type ReadArguments, offeredTools, readArguments } from "../openai-shared/tools.js"

export const decodeTurn: WireFormat["decodeTurn"] = (body, offered) => {
  if (!isObject(body)) return fail([], "an object with output", body)
  const output = listOf(body, "output", "status")
  if (!isList(output)) return errorBody(formatName, body, "output") ?? fail(["output"], "an array of items", output)
  const wrong = output.findIndex((item) => !isObject(item))
  if (wrong !== -1) return fail(["output", wrong], "an item", output[wrong])
  return Either.right(responseTurn(body, output.filter(isObject).map(withItemLists), toolsOf(offered)))
}

/** As `withLists`, of the items that hold texts. */
export const withItemLists = (item: Fields): Fields =>
  item["type"] === "message" || item["type"] === "reasoning" ? withLists(item, "content", "summary") : item

/** Whether a response body looks like one of this API. */
export const isFormatOf = (body: unknown): boolean => {
  if (!isObject(body) || !isList(body["output"])) return false
  if (body["object"] === "response") return true
  return statedField(body, "object") === undefined && stringField(body["output"][0], "type") !== undefined
}

/** What the calls of a response are read with. */
export interface Tools {
  readonly offered: OfferedTools
  readonly isStrict: boolean
}

export const toolsOf = (offered: Offered | undefined): Tools => ({
  offered: offeredTools(table, offered?.definitions),
  isStrict: offered?.isStrict === true
})

export const itemReader = (response: Fields, items: ReadonlyArray<unknown>, tools: Tools): ItemReader => ({
  callId: makeCallIds(stringField(response, "id"), acceptedId),
  tools: tools.offered,
  readArguments: readArguments(tools.offered, tools.isStrict),
  answered: answeredCalls(items)
})

/** `placeOf` an item is its position, or the one at which it was announced: made ids go by it, and by `named`. */
export const responseTurn = (
  response: Fields,
  items: ReadonlyArray<Fields>,
  tools: Tools,
  placeOf: (item: Fields) => number | undefined = () => undefined,
  named: Fields = response
): Turn.Turn => {
  const reader = itemReader(named, items, tools)
  const parts = partsOf(items, (item, position) => placeOf(item) ?? position, reader, isCutResponse(response))
  return {
    format: formatName,
    id: stringField(response, "id"),
    model: stringField(response, "model"),
    parts,
    usage: usageOf(table, objectField(response, "usage") ?? {}),
    ...ending(response, {
      hasCalls: parts.some((part) => part._tag === "Call" && part.executedBy === "application"),
      hasApprovals: items.some((item) => item["type"] === "mcp_approval_request")
    }),
    isComplete: true,
    native: items
  }
}

/** What is needed to read an item back as it is meant. */
export interface ItemReader {
  readonly callId: CallIds
  readonly tools: OfferedTools
  readonly readArguments: ReadArguments
  readonly answered: ReadonlySet<unknown>
}

/** The parts of one item; none for an output, a listing of tools or a compaction. */
const itemParts = (item: Fields, index: number, reader: ItemReader, isCut: boolean): ReadonlyArray<Turn.Part> => {
  // In a request a message may come without its type.
  if (item["type"] === "message" || (statedField(item, "type") === undefined && item["role"] === "assistant")) {
    return messageParts(item["content"])
  }
  const native = { format: formatName, json: [item] }
  if (item["type"] === "reasoning") return [{ _tag: "Reasoning", text: reasoningText(item), native }]
  const call = callPart(item, index, reader, isCut)
  if (call === undefined) return []
  return [call.executedBy === "provider" ? { ...call, native } : call]
}

/** The parts of all items. What neither says nor calls anything, an empty message too, goes with the API's own item beside it. */
export const partsOf = (
  items: ReadonlyArray<Fields>,
  placeOf: (item: Fields, position: number) => number,
  reader: ItemReader,
  isCut = false
): ReadonlyArray<Turn.Part> => {
  const list = new PartList()
  items.forEach((item, position) => {
    const parts = itemParts(item, placeOf(item, position), reader, isCut && position === items.length - 1)
    for (const part of parts) list.add(part)
    if (parts.length === 0) list.addWordless(item)
  })
  return list.parts
}

/** `isCut`: it is the last item of a response that was cut off, and may lack its end where it does not say its status. */
export const callPart = (item: Fields, index: number, reader: ItemReader, isCut = false): Turn.CallPart | undefined => {
  const call = callItem(item, reader.answered)
  if (call === undefined) return undefined
  const part = partOf(call, index, reader)
  const status = stringField(item, "status") ?? (isCut ? "incomplete" : undefined)
  return status === "incomplete" && !showsEnd(call) ? cutOff(part) : part
}

/** Text shows by itself whether its end is there, and the API's own calls are not run here. */
const showsEnd = ({ executedBy, sent }: CallItem): boolean =>
  executedBy === "provider" || (typeof sent === "string" && !isBlank(sent))

/** Whether a call that has come may lack its end, as only the end of the response shows. */
export const isInDoubt = (item: Fields): boolean => {
  const call = stringField(item, "status") === undefined ? callItem(item, noneAnswered) : undefined
  return call !== undefined && !showsEnd(call)
}

const noneAnswered: ReadonlySet<unknown> = new Set()

/** Whether the last item of a response may have been cut off. */
export const isCutResponse = (response: Fields): boolean => cutStatuses.has(stringField(response, "status") ?? "")

const cutStatuses: ReadonlySet<string> = new Set(["incomplete", "failed", "cancelled"])

const messageParts = (content: Json.Json | undefined): ReadonlyArray<Turn.Part> => {
  if (typeof content === "string") return content === "" ? [] : [{ _tag: "Text", text: content }]
  if (!isList(content)) return []
  return content.flatMap((piece): ReadonlyArray<Turn.Part> => {
    const refusal = stringField(piece, "refusal")
    if (refusal !== undefined) return [{ _tag: "Refusal", text: refusal }]
    const text = stringField(piece, "text") ?? ""
    return text === "" ? [] : [{ _tag: "Text", text }]
  })
}

/** DeepSeek and open models send the reasoning itself as `content`, OpenAI at most a summary. */
const reasoningText = (item: Fields): string => texts(item["content"]) || texts(item["summary"])

const texts = (list: Json.Json | undefined): string =>
  isList(list) ? list.map((piece) => stringField(piece, "text") ?? "").join("\n\n") : ""

const partOf = (call: CallItem, index: number, reader: ItemReader): Turn.CallPart => {
  const { id, nativeId } = reader.callId(call.sentId, index)
  const nativeName = call.names.find(reader.tools.hasProviderTool) ?? call.names[0]
  const name = reader.tools.fromNative(nativeName)
  const args = isNothing(call.sent) ? {} : reader.readArguments(name, call.sent)
  const { executedBy } = call
  return { _tag: "Call", call: ToolCall.make(id, name, args), executedBy, nativeName, nativeId, format: formatName }
}

interface CallItem {
  /** The API's names of the tool; the first is used unless another was offered. */
  readonly names: readonly [string, ...ReadonlyArray<string>]
  /** The id that a result names the call by. */
  readonly sentId: unknown
  /** Argument text or value; undefined for no arguments. */
  readonly sent: unknown
  readonly executedBy: "application" | "provider"
}

type Read = (item: Fields) => CallItem

const read =
  (
    names: readonly [string, ...ReadonlyArray<string>],
    executedBy: (item: Fields) => CallItem["executedBy"],
    sent: (item: Fields) => unknown
  ): Read =>
  (item) => ({ names, sentId: idOf(item), sent: sent(item), executedBy: executedBy(item) })

const application = (): "application" => "application"
const provider = (): "provider" => "provider"

/** These fields of the item, under the API's own names. */
const fields =
  (...keys: ReadonlyArray<string>) =>
  (item: Fields): unknown =>
    Object.fromEntries(keys.flatMap((key) => (statedField(item, key) === undefined ? [] : [[key, item[key]]])))

/** xAI gives what it searched for as argument text, as of a function, where OpenAI has fields of the tool's own. */
const argumentsOr =
  (otherwise: (item: Fields) => unknown) =>
  (item: Fields): unknown =>
    item["arguments"] ?? otherwise(item)

const kinds: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["function_call", (item) => named(item, item["arguments"], "application")],
  ["custom_tool_call", (item) => named(item, { input: item["input"] ?? "" }, customExecutor(item))],
  [
    "computer_call",
    read(["computer", "computer_use_preview"], application, fields("action", "actions", "pending_safety_checks"))
  ],
  ["local_shell_call", read(["local_shell"], application, fields("action"))],
  ["apply_patch_call", read(["apply_patch"], application, fields("operation"))],
  [
    "shell_call",
    // In a container it has been run; the environment of the application's own shell is `local`.
    read(
      ["shell"],
      (item) => (stringField(item["environment"], "type") === "container_reference" ? "provider" : "application"),
      fields("action")
    )
  ],
  [
    "tool_search_call",
    read(
      ["tool_search"],
      (item) => (item["execution"] === "client" ? "application" : "provider"),
      (item) => item["arguments"]
    )
  ],
  ["web_search_call", read(["web_search", "web_search_preview"], provider, argumentsOr(fields("action")))],
  ["file_search_call", read(["file_search"], provider, argumentsOr(fields("queries")))],
  ["code_interpreter_call", read(["code_interpreter"], provider, argumentsOr(fields("code", "container_id")))],
  ["image_generation_call", read(["image_generation"], provider, argumentsOr(fields("revised_prompt", "prompt")))],
  ["program", read(["programmatic_tool_calling"], provider, fields("code"))],
  ["mcp_call", (item) => named(item, item["arguments"], "provider")],
  ["mcp_approval_request", (item) => named(item, item["arguments"], "provider")]
])

/**
 * The call that an item is, if it is one. `answered` are the ids of calls whose output is in the same response. An
 * unknown kind of call can only be a new tool of the API's own.
 */
export const callItem = (item: Fields, answered: ReadonlySet<unknown>): CallItem | undefined => {
  const type = stringField(item, "type") ?? ""
  const known = kinds.get(type)
  if (known === undefined) {
    if (!type.endsWith("_call")) return undefined
    return named(item, item["arguments"] ?? item["action"], "provider", type.slice(0, -"_call".length))
  }
  const call = known(item)
  return call.executedBy === "application" && answered.has(call.sentId) ? { ...call, executedBy: "provider" } : call
}

/** The ids of the calls whose outputs are among the items. Each call of a stream asks this of all the items. */
export const answeredCalls = (items: ReadonlyArray<unknown>): ReadonlySet<unknown> => {
  const answered = new Set<unknown>()
  for (const item of items) {
    if (isObject(item) && typeof item["type"] === "string" && item["type"].endsWith("_output")) {
      answered.add(item["call_id"])
    }
  }
  return answered
}

const isBlank = (sent: unknown): boolean => isNothing(sent) || (typeof sent === "string" && sent.trim() === "")

const named = (item: Fields, sent: unknown, executedBy: CallItem["executedBy"], otherwise = ""): CallItem => ({
  names: [stringField(item, "name") ?? otherwise],
  sentId: idOf(item),
  sent,
  executedBy
})

/** Calls that the API has run may have only the id of the item; xAI's have an empty `call_id`. */
const idOf = (item: Fields): unknown => {
  const id = stringField(item, "call_id") ?? ""
  if (id !== "") return id
  // Only the API's own calls may be named by the item's id: a result of the application's names the `call_id`.
  return item["type"] === "function_call" || item["type"] === "custom_tool_call" ? undefined : item["id"]
}

/** The parts of xAI's search on X arrive as calls of custom tools, which it has run itself. */
const xSearch = new Set(["x_user_search", "x_keyword_search", "x_semantic_search", "x_thread_fetch", "view_x_video"])

const customExecutor = (item: Fields): CallItem["executedBy"] =>
  xSearch.has(stringField(item, "name") ?? "") ? "provider" : "application"

/** The API refuses a `call_id` of more than 64 characters. */
const acceptedId = (id: string): string => (id.length <= 64 && id !== "" ? id : `call_${shortHash(id)}`)

/** The reason why it is incomplete, or the code of its error, says more than the status and stands in its place. */
const ending = (
  response: Fields,
  waiting: { readonly hasCalls: boolean; readonly hasApprovals: boolean }
): Pick<Turn.Turn, "finish" | "nativeFinish"> => {
  const nativeFinish = stringField(response, "status")
  switch (nativeFinish) {
    // Some compatible servers have no status.
    case undefined:
    case "completed":
      // The API goes on once it knows whether it may call the MCP server.
      return { finish: waiting.hasCalls ? "calls" : waiting.hasApprovals ? "paused" : "stop", nativeFinish }
    case "incomplete": {
      const reason = stringField(objectField(response, "incomplete_details"), "reason")
      return { finish: finishOf(table, reason, []), nativeFinish: reason ?? nativeFinish }
    }
    case "failed":
      return { finish: "error", nativeFinish: stringField(objectField(response, "error"), "code") ?? nativeFinish }
    case "queued":
    case "in_progress":
      return { finish: "background", nativeFinish }
    default:
      return { finish: "other", nativeFinish }
  }
}
