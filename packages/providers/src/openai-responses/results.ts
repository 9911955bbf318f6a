/** The Responses API: a turn and the results of its calls, as items of the next request. */
import type { Content, Json, Loss, ToolCall, ToolDefinition } from "@wield/core"
import * as Outcome from "@wield/core/Outcome"
import * as ToolResult from "@wield/core/ToolResult"
import * as Turn from "@wield/core/Turn"
import type { ToolsOptions, WireFormat } from "../internal/contract.js"
import { definitionsIn, withSettings } from "../internal/found.js"
import { type CallPairs, applicationCalls, callPairs } from "../internal/calls.js"
import { type Reencoding, isEmptyTurn, resultsEncoder, sendableParts } from "../internal/history.js"
import { argumentObject } from "../internal/json.js"
import { type Lose, isMedia, loseFrom, mediaLoss } from "../internal/losses.js"
import { isFetched, readableImage, toUrl, unreadable } from "../internal/media.js"
import { argumentText, partText, resultText } from "../internal/resultText.js"
import {
  type Fields,
  isList,
  isObject,
  listField,
  numberField,
  objectField,
  stringField
} from "../internal/wireField.js"
import { formatName, table } from "./format.js"
import { encodeTools } from "./tools.js"
import { answeredCalls, callItem } from "./turn.js"
import { type OfferedTools, offeredTools } from "../openai-shared/tools.js"

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
  const encoded = encodeCallResults(turn, others)
  const messages = [...encoded.messages]
  const pending = [...encoded.pending]
  for (const id of requested) {
    const outcome = approvals.get(id)
    const response = outcome === undefined ? undefined : approvalResponse(outcome)
    if (response === undefined) pending.push(id)
    else messages.push(response)
  }
  return { messages, pending, losses: encoded.losses }
}

const encodeCallResults = resultsEncoder(table, {
  makeCalls: () => ({
    ...callPairs(formatName, idRule),
    callers: new Map<string, Fields>(),
    own: new Map<Turn.CallPart, Fields>()
  }),
  encodeOwn: ({ native, parts }, { own }) => itemsWithIds(withoutLooseReasoning(native), applicationCalls(parts), own),
  encodeParts: (parts, context, pairs) =>
    encodeParts(parts, context, {
      ...context,
      offered: offeredTools(table),
      pairs,
      callers: pairs.callers,
      isContinued: false
    }),
  encodeResults: (results, { callers, own, result: idOf }, losses) =>
    results.flatMap(({ part, outcome, result }) => {
      const id = idOf(part.call.id) ?? part.nativeId ?? part.call.id
      return outputItems(own.get(part) ?? callers.get(id) ?? {}, id, outcome, result, losses)
    })
})

/** The ids of a turn's requests for approval. */
const approvalRequests = (turn: Turn.Turn): ReadonlySet<string> =>
  new Set(
    (turn.format === formatName ? turn.native : []).flatMap((item) => {
      const id = stringField(item, "type") === "mcp_approval_request" ? stringField(item, "id") : undefined
      return id === undefined ? [] : [id]
    })
  )

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

/** A result as items of the next request; `call` is the item that called, where it is known. */
export const outputItems = (
  call: Fields,
  callId: string,
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult,
  losses: Array<Loss.Loss>,
  foundTool: FoundTool = foundToolOf({}, offeredTools(table))
): ReadonlyArray<Json.JsonObject> =>
  stringField(call, "type") === "tool_search_call"
    ? toolSearchItems(callId, outcome, result, (definition) => foundTool(definition, losses))
    : [outputItem(call, callId, outcome, result, losses)]

/** Nothing of the result is copied, or cut. */
const outputItem = (
  call: Fields,
  callId: string,
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult,
  losses: Array<Loss.Loss>
): Json.JsonObject => {
  const type = stringField(call, "type")
  const lose = loseFrom(result.name, losses)
  const text = (): string => {
    result.content.forEach((part, index) => {
      if (isMedia(part)) lose(["content", index], "content", leftOut)
    })
    return resultText(outcome, result)
  }
  switch (type) {
    case "computer_call":
      return computerOutput(call, callId, result, lose)
    case "local_shell_call":
      return { type: "local_shell_call_output", call_id: callId, output: text() }
    case "shell_call":
      return shellOutput(call, callId, text(), result)
    case "apply_patch_call":
      return {
        type: "apply_patch_call_output",
        call_id: callId,
        status: result.isError ? "failed" : "completed",
        output: text()
      }
    default: {
      const caller = objectField(call, "caller")
      return {
        type: type === "custom_tool_call" ? "custom_tool_call_output" : "function_call_output",
        call_id: callId,
        output: outputContent(outcome, result, losses),
        // A program that the API runs made this call, and goes on with its result.
        ...(caller === undefined ? {} : { caller })
      }
    }
  }
}

const leftOut = "The result of this tool is text; the model reads that it was left out."

/** A screenshot, and nothing else. To have taken it is to have accepted the safety checks, which were in the arguments. */
const computerOutput = (call: Fields, callId: string, result: ToolResult.ToolResult, lose: Lose): Json.JsonObject => {
  const screenshot = result.content.find((part) => part._tag === "Image")
  const checks = listField(call, "pending_safety_checks")
  result.content.forEach((part, index) => {
    if (part !== screenshot) lose(["content", index], "content", "A result of the computer tool is one screenshot.")
  })
  return {
    type: "computer_call_output",
    call_id: callId,
    output: { type: "computer_screenshot", ...(screenshot === undefined ? {} : { image_url: toUrl(screenshot) }) },
    ...(!result.isError && checks.length > 0 ? { acknowledged_safety_checks: checks } : {})
  }
}

/** The chunks of output that a handler gives in the API's own form, or its text as one. */
const shellOutput = (call: Fields, callId: string, text: string, result: ToolResult.ToolResult): Json.JsonObject => {
  const { isError } = result
  const structured = isObject(result.structured) ? result.structured["output"] : result.structured
  const limit = numberField(objectField(call, "action"), "max_output_length")
  const outcome = { type: "exit", exit_code: isError ? 1 : 0 }
  return {
    type: "shell_call_output",
    call_id: callId,
    // The limit that the model set has to come back with the result.
    ...(limit === undefined ? {} : { max_output_length: limit }),
    output:
      !isError && isList(structured)
        ? structured
        : [{ stdout: isError ? "" : text, stderr: isError ? text : "", outcome }]
  }
}

type FoundTool = (definition: ToolDefinition.ToolDefinition, losses: Array<Loss.Loss>) => Json.JsonObject

/** A found tool as the output of a search has it. */
export const foundToolOf =
  ({ isStrict }: Pick<ToolsOptions, "isStrict">, { definition, toNative }: Offered): FoundTool =>
  (found, losses) => {
    const encoded = encodeTools([withSettings(found, definition(found.name)?.providerSettings)], { isStrict })
    losses.push(...encoded.losses)
    const [tool] = listField(encoded.body, "tools")
    return { ...(isObject(tool) ? tool : {}), name: toNative(found.name), defer_loading: true }
  }

/** The tools found: a list or an object with `tools`, in the API's own form or in words of a search of the application's. */
const toolSearchItems = (
  callId: string,
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult,
  foundTool: (definition: ToolDefinition.ToolDefinition) => Json.JsonObject
): ReadonlyArray<Json.JsonObject> => {
  const structured = isObject(result.structured) ? result.structured["tools"] : result.structured
  const found = definitionsIn(result)
  const tools =
    found.length > 0 ? found.map((one) => foundTool(one)) : !result.isError && isList(structured) ? structured : []
  const output = { type: "tool_search_output", call_id: callId, execution: "client", status: "completed", tools }
  // The output has no place for words: why there is nothing, and how to go on, is said behind it.
  return tools.length > 0 ? [output] : [output, { role: "developer", content: resultText(outcome, result) }]
}

const outputContent = (
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult,
  losses: Array<Loss.Loss>
): Json.Json => {
  if (!result.content.some(isMedia)) return resultText(outcome, result)
  const output = contentPieces(result.content, result.name, losses)
  return result.isError ? [{ type: "input_text", text: "Error:" }, ...output] : output
}

/** What the user says, or a result. Which types of files the API takes, its models decide. */
export const contentPieces = (
  content: ReadonlyArray<Content.Part>,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> =>
  content.map((part, index) => {
    const piece = isMedia(part) ? mediaPiece(part) : undefined
    if (piece !== undefined) return piece
    if (isMedia(part)) losses.push(mediaLoss(subject, part, index, unreadable(part)))
    return { type: "input_text", text: partText(part) }
  })

const mediaPiece = (part: Content.Image | Content.File): Json.JsonObject | undefined => {
  if (part._tag === "Image") {
    const image = readableImage(part)
    return image && { type: "input_image", image_url: toUrl(image), detail: "auto" }
  }
  if (!isFetched(part.source)) return undefined
  if (part.source._tag === "Url") return { type: "input_file", file_url: part.source.url }
  // Data without a name is refused.
  const filename = part.filename ?? `file.${part.mediaType.split("/")[1] ?? "bin"}`
  return { type: "input_file", file_data: toUrl(part), filename }
}

/**
 * The items of a turn, with an id in each call of the application: its part's, where the server left it out, since a
 * result has nothing else to name its call by. `made` gets the item of each call.
 */
export const itemsWithIds = (
  native: ReadonlyArray<Json.Json>,
  parts: ReadonlyArray<Turn.CallPart>,
  made = new Map<Turn.CallPart, Fields>()
): ReadonlyArray<Json.Json> => {
  const answered = answeredCalls(native)
  return native.map((item): Json.Json => {
    if (!isObject(item) || callItem(item, answered)?.executedBy !== "application") return item
    // The decoder made one part of each such item, in the same order.
    const part = parts[made.size]
    if (part === undefined) return item
    made.set(part, item)
    return part.nativeId !== undefined ? item : { ...item, call_id: part.call.id }
  })
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
  /** A tool that a search has found, as its output has it. */
  readonly foundTool?: FoundTool | undefined
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
export const withoutLooseReasoning = (items: ReadonlyArray<Json.Json>): ReadonlyArray<Json.Json> =>
  items.slice(0, items.findLastIndex((item) => isObject(item) && item["type"] !== "reasoning") + 1)

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
