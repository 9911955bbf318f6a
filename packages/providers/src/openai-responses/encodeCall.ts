/**
 * A call said anew, as the item that the Responses API has for a tool of its
 * kind.
 */
import type { Json, ToolCall } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import { argumentText } from "../openai/argumentText.js"
import type { OfferedTools } from "../openai/offeredTools.js"

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

export const encodeCall = (call: ToolCall.ToolCall, id: string, offered: Offered): Json.JsonObject => {
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
