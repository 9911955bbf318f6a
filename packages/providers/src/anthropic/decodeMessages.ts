/**
 * Anthropic's Messages API: the messages of a request body in Wield's words.
 */
import type { Content, Loss, Message, ToolResult, Turn } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import type { CallReader } from "../internal/callReader.js"
import { asSent } from "../internal/callReader.js"
import { PartList } from "../internal/partList.js"
import type { Fields } from "../internal/wireField.js"
import { stringField, wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import type { Path } from "./contentBlock.js"
import { decodeContent, decodeContentBlock, unsaidBlock, unsaidFields } from "./contentBlock.js"
import { decodeBlock } from "./decodeTurn.js"
import { formatName } from "./names.js"

/** Names in a request's history are those of its tools already. */
const reader: CallReader = { fromNative: (name) => name, readArguments: asSent }

export const decodeMessages = (
  messages: ReadonlyArray<unknown>,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<Message.Message>, WireError> => {
  const out: Array<Message.Message> = []
  const names = new Map<string, string>()
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    const path: Path = ["messages", index]
    const content = Json.isObject(message) ? message["content"] : undefined
    if (!Json.isObject(message) || !(typeof content === "string" || Array.isArray(content))) {
      return Either.left(wireError(formatName, path, "a message with content", message))
    }
    // A request's body is JSON.
    const native: Message.Native = { format: formatName, json: [message as Json.JsonObject] }
    const subject = `message ${index}`
    switch (message["role"]) {
      case "assistant": {
        const parts = decodeParts(content, path, subject, losses)
        if (Either.isLeft(parts)) return Either.left(parts.left)
        for (const part of parts.right) if (part._tag === "Call") names.set(part.call.id, part.call.name)
        out.push({ _tag: "Assistant", parts: parts.right, native })
        break
      }
      case "user":
        pushUser(out, decodeUser(content, subject, names, losses), native)
        break
      case "system":
        // Newer models take instructions in the midst of a conversation.
        out.push({ _tag: "System", text: textOf(decodeContent(content, subject, ["content"], losses)), native })
        break
      default:
        return Either.left(wireError(formatName, [...path, "role"], "user, assistant or system", message["role"]))
    }
  }
  return Either.right(out)
}

/** The text of instructions: of a system message, or of the body's `system`. */
export const textOf = (content: ReadonlyArray<Content.Part>): string =>
  content.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("\n\n")

interface UserSaid {
  readonly results: ReadonlyArray<ToolResult.ToolResult>
  readonly content: ReadonlyArray<Content.Part>
  readonly hasOther: boolean
}

const pushUser = (out: Array<Message.Message>, said: UserSaid, native: Message.Native): void => {
  if (said.results.length === 0) {
    out.push({ _tag: "User", content: said.content, native })
    return
  }
  const last = out.at(-1)
  if (last?._tag === "Results" && last.native !== undefined) {
    // The API takes user messages in a row for one.
    const json = [...last.native.json, ...native.json]
    out[out.length - 1] = { ...last, results: [...last.results, ...said.results], native: { ...native, json } }
  } else out.push({ _tag: "Results", results: said.results, native })
  if (said.hasOther) out.push({ _tag: "User", content: said.content, native: { ...native, json: [] } })
}

const decodeUser = (
  content: string | ReadonlyArray<unknown>,
  subject: string,
  names: ReadonlyMap<string, string>,
  losses: Array<Loss.Loss>
): UserSaid => {
  if (typeof content === "string") {
    return { results: [], content: decodeContent(content, subject, [], losses), hasOther: true }
  }
  const results: Array<ToolResult.ToolResult> = []
  const parts: Array<Content.Part> = []
  content.forEach((block, index) => {
    const path: Path = ["content", index]
    const id = Json.isObject(block) && block["type"] === "tool_result" ? stringField(block, "tool_use_id") : undefined
    if (id === undefined || !Json.isObject(block)) parts.push(...decodeContentBlock(block, subject, path, losses))
    else {
      losses.push(...unsaidFields(block, subject, path))
      results.push(decodeResult(block, id, names.get(id) ?? "", subject, path, losses))
    }
  })
  return { results, content: parts, hasOther: results.length < content.length }
}

const decodeResult = (
  block: Fields,
  id: string,
  name: string,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): ToolResult.ToolResult => ({
  id,
  name,
  isError: block["is_error"] === true,
  content: decodeContent(block["content"], subject, [...path, "content"], losses)
})

const decodeParts = (
  content: string | ReadonlyArray<unknown>,
  path: Path,
  subject: string,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<Turn.Part>, WireError> => {
  if (typeof content === "string") return Either.right([{ _tag: "Text", text: content }])
  const list = new PartList()
  for (let index = 0; index < content.length; index++) {
    const block = content[index]
    const part = decodeBlock(block, [...path, "content", index], reader)
    if (Either.isLeft(part)) return Either.left(part.left)
    if (part.right === undefined) {
      losses.push(unsaidBlock(block, subject, ["content", index]))
      // A request's body is JSON.
      list.addWordless(block as Json.Json)
    } else {
      list.add(part.right)
      if (Json.isObject(block)) losses.push(...unsaidFields(block, subject, ["content", index]))
    }
  }
  return Either.right(list.parts)
}
