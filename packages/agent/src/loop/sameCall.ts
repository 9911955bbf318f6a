/** Whether a call is this very one: some servers use an id again within one turn. */
import type { ToolCall } from "@wield/core"
import { canonical } from "../deferred/canonical.js"

export const isSameCall = (one: ToolCall.ToolCall, other: ToolCall.ToolCall): boolean =>
  one === other ||
  (one.id === other.id && one.name === other.name && canonical(one.arguments) === canonical(other.arguments))

/** Takes the first that is of this call out of the list. */
export const takeCall = <A>(
  left: Array<A>,
  call: ToolCall.ToolCall,
  callOf: (item: A) => ToolCall.ToolCall
): A | undefined => {
  const index = left.findIndex((item) => isSameCall(callOf(item), call))
  return index === -1 ? undefined : left.splice(index, 1)[0]
}
