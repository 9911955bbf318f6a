/** The lines of messages: what a person reads of a conversation. */
import type { Message } from "@wield/core"
import type { Line } from "../Transcript.js"

export const linesOf = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<Line> =>
  messages.flatMap((message): ReadonlyArray<Line> => {
    switch (message._tag) {
      case "User":
        return line("user", message.content.map((part) => (part._tag === "Text" ? part.text : "")).join("\n"))
      case "Assistant":
        return line("assistant", message.parts.map((part) => (part._tag === "Text" ? part.text : "")).join(""))
      case "System":
      case "Results":
        return []
    }
  })

const line = (role: Line["role"], text: string): ReadonlyArray<Line> =>
  text.trim() === "" ? [] : [{ role, text: text.trim() }]
