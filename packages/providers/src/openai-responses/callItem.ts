/**
 * Which items of a response are calls, of what, and who runs them.
 *
 * The API runs its own tools (web and file search, code interpreter, images,
 * MCP servers) and shows the call afterwards. Functions and custom tools are
 * the application's; so are, though the API defines them, the tools that act on
 * the application's own machine: computer, local shell, patches, and shell and
 * tool search where the request asked for that.
 */
import { Json } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { stringField } from "../internal/wireField.js"

export interface CallItem {
  /** The API's names of the tool; the first is used unless another was offered. */
  readonly names: readonly [string, ...ReadonlyArray<string>]
  /** The id that a result names the call by. */
  readonly sentId: unknown
  /** Argument text or value; undefined where there is none. */
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
    Object.fromEntries(keys.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]]])))

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
      (item) => (typeOf(item["environment"]) === "container_reference" ? "provider" : "application"),
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
 * The call that an item is, if it is one. `answered` are the ids of calls whose
 * output the same response holds: those have been run. A kind of call that is
 * not known here can only be a new tool of the API's own.
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

/** The ids of the calls whose outputs are among the items. */
export const answeredCalls = (items: ReadonlyArray<unknown>): ReadonlySet<unknown> => {
  let answered: Set<unknown> | undefined
  for (const item of items) {
    if (Json.isObject(item) && typeof item["type"] === "string" && item["type"].endsWith("_output")) {
      answered = (answered ?? new Set()).add(item["call_id"])
    }
  }
  return answered ?? none
}

const none: ReadonlySet<unknown> = new Set()

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

const typeOf = (value: unknown): unknown => (Json.isObject(value) ? value["type"] : undefined)
