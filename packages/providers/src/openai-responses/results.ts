/** The Responses API: a turn and the results of its calls, as items of the next request. */
import type { Content, Loss, ToolCall } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as JsonValue from "@wield/core/Json"
import * as Outcome from "@wield/core/Outcome"
import * as ToolResult from "@wield/core/ToolResult"
import * as Turn from "@wield/core/Turn"
import type { WireFormat } from "../WireFormat.js"
import { type CallPairs, callPairs } from "../internal/calls.js"
import { type Reencoding, foreignTurn, isEmptyTurn, pairOutcomes, sendableParts } from "../internal/history.js"
import { argumentObject } from "../internal/json.js"
import { argumentText, partText, resultText } from "../internal/resultText.js"
import { type Fields, objectField, stringField } from "../internal/wireField.js"
import { formatName } from "./format.js"
import { answeredCalls, callItem } from "./turn.js"
import { type OfferedTools, nothingOffered } from "../openai/tools.js"

export const encodeResults: WireFormat["encodeResults"] = (turn, outcomes) => {
  const requested = approvalRequests(turn)
  const calls = new Set(Turn.calls(turn).map((call) => call.id))
  const approvals = new Map<string, Outcome.Outcome>()
  const others: Array<Outcome.Outcome> = []
  for (const outcome of outcomes) {
    // What a call returned never approves a request that has the same id.
    if (requested.has(outcome.id) && !calls.has(outcome.id)) approvals.set(outcome.id, outcome)
    else others.push(outcome)
  }
  const { results, pending, losses } = pairOutcomes(turn, others)
  const sent = sentItems(turn)
  const messages: Array<Json.Json> = [...sent.items]
  const lost: Array<Loss.Loss> = [...sent.losses, ...losses]
  const waiting = [...pending]
  for (const { part, outcome, result } of results) {
    const call = sent.calls.get(part) ?? { item: {}, id: part.nativeId ?? part.call.id }
    const { item, losses } = outputItem(call.item, call.id, outcome, result)
    messages.push(item)
    lost.push(...losses)
  }
  for (const id of requested) {
    const outcome = approvals.get(id)
    const response = outcome === undefined ? undefined : approvalResponse(outcome)
    if (response === undefined) waiting.push(id)
    else messages.push(response)
  }
  return { messages, pending: waiting, losses: lost }
}

/** The ids of a turn's requests for approval. */
const approvalRequests = (turn: Turn.Turn): ReadonlySet<string> => {
  const ids = new Set<string>()
  if (turn.format !== formatName) return ids
  for (const item of turn.native) {
    if (!JsonValue.isObject(item) || item["type"] !== "mcp_approval_request") continue
    if (typeof item["id"] === "string") ids.add(item["id"])
  }
  return ids
}

/** A success allows the call, anything else forbids it; undefined while it is deferred. */
const approvalResponse = (outcome: Outcome.Outcome): Json.JsonObject | undefined => {
  const result = Outcome.render(outcome)
  if (result === undefined) return undefined
  return {
    type: "mcp_approval_response",
    approval_request_id: outcome.id,
    approve: !result.isError,
    ...(result.isError ? { reason: ToolResult.toText(result) } : {})
  }
}

interface OutputItem {
  readonly item: Json.JsonObject
  readonly losses: ReadonlyArray<Loss.Loss>
}

/**
 * `call` is the item that called, where it is known. Items are parsed JSON, and
 * the core has shown that a result is JSON: nothing of them is copied, or cut.
 */
export const outputItem = (
  call: Fields,
  callId: string,
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult
): OutputItem => {
  const type = stringField(call, "type")
  switch (type) {
    case "computer_call":
      return computerOutput(call, callId, result)
    case "local_shell_call":
      return textOnly(result, { type: "local_shell_call_output", call_id: callId, output: resultText(outcome, result) })
    case "shell_call":
      return shellOutput(call, callId, outcome, result)
    case "apply_patch_call":
      return textOnly(result, {
        type: "apply_patch_call_output",
        call_id: callId,
        status: result.isError ? "failed" : "completed",
        output: resultText(outcome, result)
      })
    case "tool_search_call":
      return toolSearchOutput(callId, result)
    default: {
      const caller = objectField(call, "caller")
      return {
        item: {
          type: type === "custom_tool_call" ? "custom_tool_call_output" : "function_call_output",
          call_id: callId,
          output: outputContent(outcome, result),
          // A program that the API runs made this call, and goes on with its result.
          ...(caller === undefined ? {} : { caller: caller as Json.JsonObject })
        },
        losses: []
      }
    }
  }
}

/** A screenshot, and nothing else. To have taken it is to have accepted the safety checks, which were in the arguments. */
const computerOutput = (call: Fields, callId: string, result: ToolResult.ToolResult): OutputItem => {
  const screenshot = result.content.find((part) => part._tag === "Image")
  const checks = call["pending_safety_checks"]
  return {
    item: {
      type: "computer_call_output",
      call_id: callId,
      output: { type: "computer_screenshot", ...(screenshot === undefined ? {} : { image_url: url(screenshot) }) },
      ...(!result.isError && Array.isArray(checks) && checks.length > 0
        ? { acknowledged_safety_checks: checks as ReadonlyArray<Json.Json> }
        : {})
    },
    losses: result.content.flatMap((part, index) =>
      part === screenshot ? [] : [lose(result, ["content", index], "A result of the computer tool is one screenshot.")]
    )
  }
}

/** The chunks of output that a handler gives in the API's own form, or its text as one. */
const shellOutput = (
  call: Fields,
  callId: string,
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult
): OutputItem => {
  const structured = Json.isObject(result.structured) ? result.structured["output"] : result.structured
  const limit = (objectField(call, "action") ?? {})["max_output_length"]
  const text = resultText(outcome, result)
  return textOnly(result, {
    type: "shell_call_output",
    call_id: callId,
    // The limit that the model set has to come back with the result.
    ...(typeof limit === "number" ? { max_output_length: limit } : {}),
    output:
      !result.isError && Array.isArray(structured)
        ? (structured as ReadonlyArray<Json.Json>)
        : [
            {
              stdout: result.isError ? "" : text,
              stderr: result.isError ? text : "",
              outcome: { type: "exit", exit_code: result.isError ? 1 : 0 }
            }
          ]
  })
}

/** The tools found, in the API's own form: a list, or an object with `tools`. */
const toolSearchOutput = (callId: string, result: ToolResult.ToolResult): OutputItem => {
  const structured = Json.isObject(result.structured) ? result.structured["tools"] : result.structured
  const tools = !result.isError && Array.isArray(structured) ? structured : undefined
  return {
    item: {
      type: "tool_search_output",
      call_id: callId,
      execution: "client",
      status: "completed",
      tools: tools === undefined ? [] : (tools as ReadonlyArray<Json.Json>)
    },
    losses:
      tools === undefined ? [lose(result, [], "A result of the tool search is a list of tools; none is sent.")] : []
  }
}

const textOnly = (result: ToolResult.ToolResult, item: Json.JsonObject): OutputItem => ({
  item,
  losses: result.content.flatMap((part, index) =>
    part._tag === "Image" || part._tag === "File"
      ? [lose(result, ["content", index], "The result of this tool is text; the model reads that it was left out.")]
      : []
  )
})

const lose = (result: ToolResult.ToolResult, path: ReadonlyArray<string | number>, reason: string): Loss.Loss => ({
  subject: result.name,
  path,
  keyword: "content",
  reason
})

const outputContent = (outcome: Outcome.Outcome | undefined, result: ToolResult.ToolResult): Json.Json => {
  if (!result.content.some((part) => part._tag === "Image" || part._tag === "File")) return resultText(outcome, result)
  const output = result.content.map(contentPiece)
  return result.isError ? [{ type: "input_text", text: "Error:" }, ...output] : output
}

/** One part of what the user says, or of a result. Which types of files the API takes, its models decide. */
export const contentPiece = (part: Content.Part): Json.JsonObject => {
  if (part._tag === "Image") return { type: "input_image", image_url: url(part), detail: "auto" }
  if (part._tag !== "File") return { type: "input_text", text: partText(part) }
  if (part.source._tag === "Url") return { type: "input_file", file_url: part.source.url }
  // Data without a name is refused.
  const filename = part.filename ?? `file.${part.mediaType.split("/")[1] ?? "bin"}`
  return { type: "input_file", file_data: url(part), filename }
}

/** Where an image or file is to be had: its URL, or its data as one. */
const url = ({ mediaType, source }: Content.Image | Content.File): string =>
  source._tag === "Url" ? source.url : `data:${mediaType};base64,${source.data}`

interface SentItems {
  readonly items: ReadonlyArray<Json.Json>
  /** For each call of the application, the item that made it and the id by which its result names it. */
  readonly calls: ReadonlyMap<Turn.CallPart, SentCall>
  readonly losses: ReadonlyArray<Loss.Loss>
}

interface SentCall {
  readonly item: Fields
  readonly id: string
}

/**
 * A turn of this format goes back verbatim. Only ids that the server left out
 * are filled in, since a result has nothing else to name its call by. A turn
 * of another format is re-encoded.
 */
const sentItems = (turn: Turn.Turn): SentItems => {
  const parts = applicationCalls(turn.parts)
  if (turn.format === formatName && turn.parts.length === 0 && turn.native.length === 0) {
    return { items: [emptyMessage], calls: new Map(), losses: [] }
  }
  return turn.format === formatName ? { ...itemsWithIds(turn.native, parts), losses: [] } : reencoded(turn, parts)
}

/** The items of a turn, with an id in each call of the application: its part's, where the server left it out. */
export const itemsWithIds = (
  native: ReadonlyArray<Json.Json>,
  parts: ReadonlyArray<Turn.CallPart>
): Omit<SentItems, "losses"> => {
  const answered = answeredCalls(native)
  const calls = new Map<Turn.CallPart, SentCall>()
  const items = native.map((item): Json.Json => {
    if (!Json.isObject(item) || callItem(item, answered)?.executedBy !== "application") return item
    // The decoder made one part of each such item, in the same order.
    const part = parts[calls.size]
    if (part === undefined) return item
    calls.set(part, { item, id: part.nativeId ?? part.call.id })
    return part.nativeId !== undefined ? item : { ...item, call_id: part.call.id }
  })
  return { items, calls }
}

export const applicationCalls = (parts: ReadonlyArray<Turn.Part>): ReadonlyArray<Turn.CallPart> =>
  parts.filter((part) => part._tag === "Call").filter((part) => part.executedBy === "application")

const reencoded = (turn: Turn.Turn, parts: ReadonlyArray<Turn.CallPart>): SentItems => {
  const pairs = callPairs(formatName, idRule)
  const callers = new Map<string, Fields>()
  const losses = [foreignTurn(turn)]
  const writing = { offered: nothingOffered, pairs, callers, isContinued: false, losses }
  const items = encodeParts(turn.parts, { format: formatName, isPaired: () => true, subject: "turn" }, writing)
  const calls = new Map<Turn.CallPart, SentCall>()
  for (const part of parts) {
    const id = pairs.result(part.call.id) ?? part.call.id
    calls.set(part, { item: callers.get(id) ?? {}, id })
  }
  return { items, calls, losses }
}

/** What is known of the conversation while it is written. */
export interface Writing {
  readonly offered: Offered
  readonly pairs: CallPairs
  /** The items that called, by the ids that their results name. */
  readonly callers: Map<string, Fields>
  /** The API holds what was said before: results may answer calls that are not here. */
  readonly isContinued: boolean
  readonly losses: Array<Loss.Loss>
}

/** The API refuses a longer `call_id`. */
export const idRule = { pattern: /^.+$/s, maxLength: 64 }

export const encodeParts = (
  parts: ReadonlyArray<Turn.Part>,
  context: Pick<Reencoding, "format" | "isPaired" | "subject">,
  { callers, losses, offered, pairs }: Writing
): ReadonlyArray<Json.Json> => {
  const items = sendableParts(parts, { ...context, losses }).flatMap((part): ReadonlyArray<Json.Json> => {
    if (part._tag === "Kept") return part.json
    if (part._tag === "Text") return part.text === "" ? [] : [{ role: "assistant", content: part.text }]
    if (part._tag === "Refusal") {
      return [{ role: "assistant", content: [{ type: "refusal", refusal: part.text }] }]
    }
    const id = pairs.call(part)
    const item = encodeCall(part.call, id, offered)
    callers.set(id, item)
    return [item]
  })
  const sent = withoutLooseReasoning(items)
  return sent.length === 0 && isEmptyTurn(parts) ? [emptyMessage] : sent
}

const emptyMessage: Json.JsonObject = { role: "assistant", content: "" }

/** The API refuses reasoning that is not followed by the item that it led to. */
export const withoutLooseReasoning = (items: ReadonlyArray<Json.Json>): ReadonlyArray<Json.Json> => {
  const last = items.findLastIndex((item) => Json.isObject(item) && item["type"] !== "reasoning")
  return items.slice(0, last + 1)
}

/** What of the offered tools a call is said by. */
export type Offered = Pick<OfferedTools, "definition" | "toNative">

/** The tools of the API's own that the application runs; their arguments are the fields of the item. */
const kinds: ReadonlyMap<string, string> = new Map([
  ["openai.computer", "computer_call"],
  ["openai.computer_use_preview", "computer_call"],
  ["openai.local_shell", "local_shell_call"],
  ["openai.shell", "shell_call"],
  ["openai.apply_patch", "apply_patch_call"]
])

const encodeCall = (call: ToolCall.ToolCall, id: string, offered: Offered): Json.JsonObject => {
  const name = offered.toNative(call.name)
  const provider = offered.definition(call.name)?.provider
  const fields = argumentObject(call.arguments)
  if (provider !== undefined && fields !== undefined) {
    const type = kinds.get(provider.id)
    if (type !== undefined) return { ...fields, type, call_id: id, status: "completed" }
    if (provider.id === "openai.custom") return customCall(name, id, fields["input"])
    if (provider.id === "openai.tool_search") {
      return { type: "tool_search_call", call_id: id, execution: "client", status: "completed", arguments: fields }
    }
  }
  return { type: "function_call", call_id: id, name, arguments: argumentText(call.arguments) }
}

const customCall = (name: string, id: string, input: Json.Json | undefined): Json.JsonObject => ({
  type: "custom_tool_call",
  call_id: id,
  name,
  input: typeof input === "string" ? input : JSON.stringify(input ?? "")
})
