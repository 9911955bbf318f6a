/** Whether a call is this very one: some servers use an id again within one turn. */
import type { ToolCall } from "@wield/core"
import { canonical } from "../deferred/canonical.js"

export const isSameCall = (one: ToolCall.ToolCall, other: ToolCall.ToolCall): boolean =>
  one === other ||
  (one.id === other.id && one.name === other.name && canonical(one.arguments) === canonical(other.arguments))
