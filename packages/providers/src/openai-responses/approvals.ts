/**
 * Approvals that the API asks for before it calls an MCP server. The call is
 * not the application's to run, only to allow.
 */
import type { Json, Turn } from "@wield/core"
import { Json as JsonValue, Outcome, ToolResult } from "@wield/core"
import { name } from "./name.js"

/** The ids of a turn's requests for approval. */
export const approvalRequests = (turn: Turn.Turn): ReadonlySet<string> => {
  const ids = new Set<string>()
  if (turn.format !== name) return ids
  for (const item of turn.native) {
    if (!JsonValue.isObject(item) || item["type"] !== "mcp_approval_request") continue
    if (typeof item["id"] === "string") ids.add(item["id"])
  }
  return ids
}

/** A success allows the call, anything else forbids it; undefined while it is deferred. */
export const approvalResponse = (outcome: Outcome.Outcome): Json.JsonObject | undefined => {
  const result = Outcome.render(outcome)
  if (result === undefined) return undefined
  return {
    type: "mcp_approval_response",
    approval_request_id: outcome.id,
    approve: !result.isError,
    ...(result.isError ? { reason: ToolResult.toText(result) } : {})
  }
}
