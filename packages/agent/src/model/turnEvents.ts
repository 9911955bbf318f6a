/**
 * A turn that came whole, told as the events that a stream would have told.
 */
import type { Turn, TurnEvent } from "@wield/core"

export const turnEvents = (turn: Turn.Turn): ReadonlyArray<TurnEvent.TurnEvent> => {
  const events: Array<TurnEvent.TurnEvent> = []
  let index = 0
  for (const part of turn.parts) {
    switch (part._tag) {
      case "Text":
        if (part.text !== "") events.push({ _tag: "TextDelta", text: part.text })
        break
      case "Reasoning":
        if (part.text !== "") events.push({ _tag: "ReasoningDelta", text: part.text })
        break
      case "Refusal":
        if (part.text !== "") events.push({ _tag: "RefusalDelta", text: part.text })
        break
      case "Call": {
        // What the provider ran itself is told by the turn alone.
        if (part.executedBy !== "application") break
        const { arguments: sent, id, name } = part.call
        events.push({ _tag: "CallStarted", index, id, name })
        const text = typeof sent === "string" ? sent : (JSON.stringify(sent) ?? "")
        if (text !== "") events.push({ _tag: "ArgumentsDelta", index, text })
        events.push({ _tag: "CallComplete", index, part })
        index++
      }
    }
  }
  if (Object.values(turn.usage).some((count) => count !== undefined)) {
    events.push({ _tag: "UsageKnown", usage: turn.usage })
  }
  events.push({ _tag: "Finished", turn })
  return events
}
