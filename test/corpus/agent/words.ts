/** Messages as what they say, without how an API writes it: what two histories are compared by. */
import { type Content, type Message, ToolResult, type Turn } from "@wield/core"
import { Either } from "effect"

export type Words =
  | { readonly says: "user"; readonly content: ReadonlyArray<unknown> }
  | { readonly says: "assistant"; readonly text: string; readonly calls: ReadonlyArray<CallWords> }
  | { readonly says: "results"; readonly results: ReadonlyArray<ResultWords> }

export interface CallWords {
  readonly id: string
  readonly name: string
  readonly arguments: unknown
}

export interface ResultWords {
  readonly id: string
  readonly isError: boolean
  readonly value: unknown
}

/** Instructions are left out; neighbours that say the same kind of thing are one. */
export const wordsOf = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<Words> => {
  const out: Array<Words> = []
  for (const message of messages) {
    const words = ofMessage(message)
    const last = out.at(-1)
    if (words === undefined) continue
    if (last?.says === "user" && words.says === "user") {
      out[out.length - 1] = { says: "user", content: [...last.content, ...words.content] }
    } else if (last?.says === "assistant" && words.says === "assistant") {
      out[out.length - 1] = {
        says: "assistant",
        text: last.text + words.text,
        calls: [...last.calls, ...words.calls]
      }
    } else if (last?.says === "results" && words.says === "results") {
      out[out.length - 1] = { says: "results", results: [...last.results, ...words.results] }
    } else out.push(words)
  }
  return out
}

const ofMessage = (message: Message.Message): Words | undefined => {
  switch (message._tag) {
    case "System":
      return undefined
    case "User":
      return { says: "user", content: message.content.map(ofContent) }
    case "Assistant":
      return { says: "assistant", text: textOf(message.parts), calls: callsOf(message.parts) }
    case "Results":
      return { says: "results", results: message.results.map(resultWords) }
  }
}

export const textOf = (parts: ReadonlyArray<Turn.Part>): string =>
  parts.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("")

/** The calls that the application has to run. */
export const callsOf = (parts: ReadonlyArray<Turn.Part>): ReadonlyArray<CallWords> =>
  parts.flatMap((part) =>
    part._tag === "Call" && part.executedBy === "application"
      ? [{ id: part.call.id, name: part.call.name, arguments: parsed(part.call.arguments) }]
      : []
  )

/** Text that is JSON says what the JSON says, however it is spaced. */
export const resultWords = (result: ToolResult.ToolResult): ResultWords => ({
  id: result.id,
  isError: result.isError,
  value: result.content.every((part) => part._tag === "Text" || part._tag === "JsonValue")
    ? parsed(ToolResult.toText(result))
    : result.content.map(ofContent)
})

const ofContent = (part: Content.Part): unknown =>
  part._tag === "Text" ? part.text : part._tag === "JsonValue" ? part.value : { ...part }

export const parsed = (value: unknown): unknown =>
  typeof value === "string"
    ? Either.getOrElse(
        Either.try((): unknown => JSON.parse(value)),
        () => value
      )
    : value
