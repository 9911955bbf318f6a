/**
 * Whose an item of a conversation is: the application's instructions, the
 * user's words, the model's turn, or the results of its calls.
 */
import type { Fields } from "../internal/wireField.js"
import { stringField } from "../internal/wireField.js"

export type ItemKind = "System" | "User" | "Assistant" | "Results"

/** What is said of a call that came before: whether the application runs it. */
export type Caller = (callId: string) => "application" | "provider" | undefined

/**
 * Undefined for an item that has no words here (`additional_tools`, and what a
 * later version of the API may add): it stays with the message that it follows.
 */
export const itemKind = (item: Fields, caller: Caller): ItemKind | undefined => {
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
