/**
 * Bedrock's Converse API: one message of a request body in Wield's words.
 */
import type { Loss, Message, ToolResult, Turn } from "@wield/core"
import { Content, Json } from "@wield/core"
import * as Either from "effect/Either"
import type { CallReader } from "../internal/callReader.js"
import { PartList } from "../internal/partList.js"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField, wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import { decodeBlock } from "./decodeBlock.js"
import { decodeMedia } from "./media.js"
import { formatName } from "./names.js"

type Path = ReadonlyArray<string | number>

export interface Reading {
  readonly reader: CallReader
  /** The names of the calls so far, by id. */
  readonly called: Map<string, string>
  readonly losses: Array<Loss.Loss>
}

export const decodeMessage = (
  message: unknown,
  index: number,
  reading: Reading
): Either.Either<ReadonlyArray<Message.Message>, WireError> => {
  const path: Path = ["messages", index]
  if (!Json.isObject(message)) return Either.left(wireError(formatName, path, "a message", message))
  const { content, role } = message
  if (!Array.isArray(content)) {
    return Either.left(wireError(formatName, [...path, "content"], "an array of content blocks", content))
  }
  // The body is parsed JSON.
  const native = { format: formatName, json: [message as Json.JsonObject] }
  if (role === "assistant") {
    return Either.map(decodeParts(content, [...path, "content"], reading), (parts) => [
      { _tag: "Assistant", parts, native }
    ])
  }
  if (role !== "user") return Either.left(wireError(formatName, [...path, "role"], "user or assistant", role))
  const subject = `message ${index}`
  const results: Array<ToolResult.ToolResult> = []
  const said: Array<Content.Part> = []
  for (let at = 0; at < content.length; at++) {
    const block: unknown = content[at]
    if (!Json.isObject(block)) {
      return Either.left(wireError(formatName, [...path, "content", at], "a content block", block))
    }
    const result = objectField(block, "toolResult")
    if (result !== undefined) results.push(decodeResult(result, subject, at, reading))
    else {
      const part = decodeContent(block, subject, ["content", at], reading.losses)
      if (part !== undefined) said.push(part)
    }
  }
  if (results.length === 0) return Either.right([{ _tag: "User", content: said, native }])
  const answered: Message.Message = { _tag: "Results", results, native }
  return Either.right(
    // The message of the results says the rest too.
    said.length === 0
      ? [answered]
      : [answered, { _tag: "User", content: said, native: { format: formatName, json: [] } }]
  )
}

const decodeParts = (
  content: ReadonlyArray<unknown>,
  path: Path,
  reading: Reading
): Either.Either<ReadonlyArray<Turn.Part>, WireError> => {
  const list = new PartList()
  for (let at = 0; at < content.length; at++) {
    const part = decodeBlock(content[at], [...path, at], reading.reader)
    if (Either.isLeft(part)) return Either.left(part.left)
    if (part.right === undefined) {
      const subject = `message ${path[1]}`
      reading.losses.push(kept(subject, ["content", at], content[at]))
      // The body is parsed JSON.
      list.addWordless(content[at] as Json.Json)
      continue
    }
    list.add(part.right)
    if (part.right._tag === "Call") reading.called.set(part.right.call.id, part.right.call.name)
  }
  return Either.right(list.parts)
}

const decodeResult = (result: Fields, subject: string, at: number, reading: Reading): ToolResult.ToolResult => {
  const id = stringField(result, "toolUseId") ?? ""
  const blocks = result["content"]
  const content: Array<Content.Part> = []
  if (Array.isArray(blocks)) {
    for (let index = 0; index < blocks.length; index++) {
      const path = ["content", at, "toolResult", "content", index]
      const part = decodeContent(blocks[index], subject, path, reading.losses)
      if (part !== undefined) content.push(part)
    }
  }
  const only = content.length === 1 ? content[0] : undefined
  return {
    id,
    name: reading.called.get(id) ?? "",
    isError: result["status"] === "error",
    content,
    ...(only?._tag === "JsonValue" ? { structured: only.value } : {})
  }
}

/** `undefined`, and a loss, for what only the native message can say. */
const decodeContent = (
  block: unknown,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): Content.Part | undefined => {
  if (Json.isObject(block)) {
    const text = stringField(block, "text")
    if (text !== undefined) return Content.text(text)
    if (block["json"] !== undefined) return Content.json(block["json"])
    const media = decodeMedia(block)
    if (media !== undefined) return media
    // Text that a guardrail is to check: the model reads it as any other.
    const guarded = stringField(objectField(objectField(block, "guardContent") ?? {}, "text") ?? {}, "text")
    if (guarded !== undefined) {
      losses.push(kept(subject, path, block))
      return Content.text(guarded)
    }
  }
  losses.push(kept(subject, path, block))
  return undefined
}

const kept = (subject: string, path: Path, block: unknown): Loss.Loss => {
  const keyword = Json.isObject(block) ? (Object.keys(block)[0] ?? "block") : "block"
  return { subject, path, keyword, reason: `There are no words for ${keyword} here; it is kept in the native message.` }
}
