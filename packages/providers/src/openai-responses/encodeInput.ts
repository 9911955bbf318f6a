/**
 * A conversation as the input of a Responses request. What came from this API
 * is put back as it stood; the rest is said anew.
 */
import type { Json, Loss, Message, ToolResult } from "@wield/core"
import { Json as JsonGuards } from "@wield/core"
import { callPairs, pairedCalls } from "../internal/callPairs.js"
import { joinedResults } from "../internal/joinedResults.js"
import { nativeJson } from "../internal/nativeJson.js"
import { callItem } from "./callItem.js"
import type { Offered } from "./encodeCall.js"
import { name } from "./name.js"
import { contentPiece } from "./outputContent.js"
import { outputItem } from "./outputItem.js"
import type { Writing } from "./sayParts.js"
import { idRule, sayParts } from "./sayParts.js"
import { applicationCalls, itemsWithIds } from "./sentItems.js"

export interface EncodedInput {
  readonly instructions: string | undefined
  /** Undefined where the conversation is empty. */
  readonly input: string | ReadonlyArray<Json.Json> | undefined
}

export const encodeInput = (
  conversation: ReadonlyArray<Message.Message>,
  offered: Offered,
  isContinued: boolean,
  losses: Array<Loss.Loss>
): EncodedInput => {
  const messages = joinedResults(conversation, name)
  const writing: Writing = { offered, pairs: callPairs(name, idRule), callers: new Map(), isContinued, losses }
  let instructions: string | undefined
  const items: Array<Json.Json> = []
  messages.forEach((message, index) => {
    const own = nativeJson(message, name)
    if (own === undefined) {
      items.push(...sayAnew(message, messages, index, writing))
      return
    }
    const [first] = own
    if (message._tag === "System" && typeof first === "string") instructions = first
    else if (message._tag === "Assistant") {
      const next = messages[index + 1]
      // A result that is said anew needs an id to name its call by.
      const isAnsweredAnew = next?._tag === "Results" && nativeJson(next, name) === undefined
      const sent = isAnsweredAnew ? itemsWithIds(own, applicationCalls(message.parts)).items : own
      items.push(...sent)
      keep(message, sent, writing)
    } else items.push(...own)
    if (message._tag === "Results") for (const result of message.results) writing.pairs.result(result.id)
  })
  const [only] = items
  if (items.length === 0) return { instructions, input: undefined }
  if (items.length === 1 && typeof only === "string") return { instructions, input: only }
  // Text alone is an input; among items it has to be one of them.
  return {
    instructions,
    input: items.map((item) => (typeof item === "string" ? { role: "user", content: item } : item))
  }
}

/** Notes the calls that stand in the history already, under the ids that they have there. */
const keep = (message: Message.Assistant, items: ReadonlyArray<Json.Json>, { callers, pairs }: Writing): void => {
  for (const part of message.parts) if (part._tag === "Call") pairs.keep(part)
  for (const item of items) {
    const call = JsonGuards.isObject(item) ? callItem(item, none) : undefined
    if (call !== undefined && typeof call.sentId === "string" && JsonGuards.isObject(item))
      callers.set(call.sentId, item)
  }
}

const none: ReadonlySet<unknown> = new Set()

const sayAnew = (
  message: Message.Message,
  messages: ReadonlyArray<Message.Message>,
  index: number,
  writing: Writing
): ReadonlyArray<Json.Json> => {
  const subject = `message ${index}`
  switch (message._tag) {
    case "System":
      return message.text === "" ? [] : [{ role: "system", content: message.text }]
    case "User":
      return encodeUser(message)
    case "Assistant":
      return sayParts(message.parts, { format: name, isPaired: pairedCalls(messages, index), subject }, writing)
    case "Results":
      return message.results.flatMap((result) => encodeResult(result, subject, writing))
  }
}

const encodeUser = ({ content }: Message.User): ReadonlyArray<Json.JsonObject> => {
  const [only] = content
  if (only === undefined) return []
  if (content.length === 1 && only._tag === "Text") return [{ role: "user", content: only.text }]
  return [{ role: "user", content: content.map(contentPiece) }]
}

const encodeResult = (
  result: ToolResult.ToolResult,
  subject: string,
  { callers, isContinued, losses, pairs }: Writing
): ReadonlyArray<Json.JsonObject> => {
  const id = pairs.result(result.id) ?? (isContinued ? result.id : undefined)
  if (id === undefined) {
    const reason = `No call before it has the id ${JSON.stringify(result.id)}: the result is left out.`
    losses.push({ subject, path: [], keyword: "result", reason })
    return []
  }
  const { item, losses: lost } = outputItem(callers.get(id) ?? {}, id, undefined, result)
  losses.push(...lost)
  return [item]
}
