/** A request in one line, for somebody who looks for what a script lacks. */
import type { Model } from "@wield/agent"
import { ToolResult, type Message } from "@wield/core"

export const described = (request: Model.ModelRequest): string => {
  const last = request.messages.at(-1)
  const tools = request.definitions.map((definition) => definition.name).join(", ")
  return `${count(request.messages.length, "message")}, the last one ${last === undefined ? "absent" : describedMessage(last)}; tools on offer: ${tools === "" ? "none" : tools}`
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

const describedMessage = (message: Message.Message): string => {
  switch (message._tag) {
    case "System":
      return `System ${quoted(message.text)}`
    case "User":
      return `User ${quoted(ToolResult.toText({ id: "", name: "", isError: false, content: message.content }))}`
    case "Assistant":
      return `Assistant ${quoted(message.parts.map((part) => (part._tag === "Call" ? `${part.call.name}(…)` : part.text)).join(" "))}`
    case "Results":
      return `Results ${message.results.map((result) => `${result.name} ${result.id} ${quoted(ToolResult.toText(result))}`).join(", ")}`
  }
}

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
