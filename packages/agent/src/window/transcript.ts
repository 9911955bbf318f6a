/**
 * Messages as text for a model that is to summarise them. What the text quotes
 * stays recognisable as a quotation: each message is one line of JSON, so that
 * nothing said or returned can pass for another's words.
 */
import { type Message, ToolResult } from "@wield/core"

/** UTF-16 units of one text. What a summary needs of a long result stands at its beginning and its end. */
const longest = 4000

export const transcript = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<string> =>
  messages.flatMap(linesOf).map((line) => JSON.stringify(line))

interface Line {
  readonly [key: string]: unknown
}

const linesOf = (message: Message.Message): ReadonlyArray<Line> => {
  switch (message._tag) {
    case "System":
      return [{ system: shortened(message.text) }]
    case "User":
      return message.content.map((part) => ({ user: shortened(textOf(part)) }))
    case "Assistant":
      return message.parts.flatMap((part): ReadonlyArray<Line> => {
        switch (part._tag) {
          case "Call":
            return [
              { calls: part.call.name, id: part.call.id, arguments: shortened(argumentText(part.call.arguments)) }
            ]
          case "Reasoning":
            // How it came to what it did is not what has to be remembered.
            return []
          default:
            return part.text === "" ? [] : [{ assistant: shortened(part.text) }]
        }
      })
    case "Results":
      return message.results.map((result) => ({
        [result.isError ? "error" : "result"]: shortened(ToolResult.toText(result)),
        of: result.name,
        id: result.id
      }))
  }
}

const textOf = (part: Message.User["content"][number]): string => {
  switch (part._tag) {
    case "Text":
      return part.text
    case "JsonValue":
      return JSON.stringify(part.value) ?? "null"
    case "Image":
      return `[an image of type ${part.mediaType}]`
    case "File":
      return `[a file of type ${part.mediaType}${part.filename === undefined ? "" : ` named ${part.filename}`}]`
  }
}

const argumentText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "null"))

const shortened = (text: string): string =>
  text.length <= longest
    ? text
    : `${text.slice(0, longest / 2)} [… ${text.length - longest} characters left out …] ${text.slice(-longest / 2)}`
