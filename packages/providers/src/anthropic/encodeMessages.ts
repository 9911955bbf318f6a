/**
 * Anthropic's Messages API: a conversation as `system` and `messages`. What
 * came from this API is put back as it stood; the rest is said anew.
 */
import type { Content, Json, Loss, Message, ToolResult } from "@wield/core"
import { Json as JsonGuards, ToolResult as Result } from "@wield/core"
import type { CallPairs } from "../internal/callPairs.js"
import { callPairs, pairedCalls } from "../internal/callPairs.js"
import { joinedResults } from "../internal/joinedResults.js"
import type { NameMap } from "../internal/nameMap.js"
import { nativeJson } from "../internal/nativeJson.js"
import { encodeMedia } from "./contentBlock.js"
import { formatName, idRule } from "./names.js"
import { encodeResult } from "./resultBlock.js"
import { sayParts } from "./sayParts.js"
import { SystemPrompt } from "./systemPrompt.js"

export interface EncodedMessages {
  readonly system: Json.Json | undefined
  readonly messages: ReadonlyArray<Json.Json>
}

export const encodeMessages = (
  conversation: ReadonlyArray<Message.Message>,
  names: NameMap,
  losses: Array<Loss.Loss>
): EncodedMessages => {
  const messages = joinedResults(conversation, formatName)
  const system = new SystemPrompt()
  const pairs = callPairs(formatName, idRule)
  const out: Array<Json.Json> = []
  /** The message said anew last, if nothing has been put behind it: results and what the user says to them are one. */
  let openUser: Array<Json.Json> | undefined
  const say = (blocks: ReadonlyArray<Json.Json>): void => {
    if (blocks.length === 0) return
    if (openUser !== undefined) openUser.push(...blocks)
    else out.push({ role: "user", content: (openUser = [...blocks]) })
  }
  messages.forEach((message, index) => {
    const subject = `message ${index}`
    const own = nativeJson(message, formatName)
    switch (message._tag) {
      case "System": {
        const [value] = own ?? []
        if (JsonGuards.isObject(value)) out.push(...(own ?? []))
        else {
          if (out.length > 0) losses.push(movedSystem(subject))
          system.add(value, message.text)
          return
        }
        break
      }
      case "User":
        // Its words stand in the message of the results before it.
        if (own?.length === 0 && saysMore(messages[index - 1])) return
        if (own === undefined || own.length === 0) return say(encodeUser(message.content, subject, losses))
        out.push(...own)
        break
      case "Results":
        if (own === undefined) return say(encodeResultBlocks(message.results, pairs, subject, losses))
        for (const result of message.results) pairs.result(result.id)
        out.push(...own)
        break
      case "Assistant": {
        if (own !== undefined) {
          for (const part of message.parts) if (part._tag === "Call") pairs.keep(part)
          out.push(...own)
        } else {
          const isPaired = pairedCalls(messages, index)
          out.push(
            ...sayParts(
              message.parts,
              { format: formatName, subject, toNative: names.toNative, isPaired, losses },
              pairs
            )
          )
        }
        break
      }
    }
    openUser = undefined
  })
  return { system: system.value(), messages: out }
}

const saysMore = (before: Message.Message | undefined): boolean =>
  before?._tag === "Results" && before.native?.format === formatName

const movedSystem = (subject: string): Loss.Loss => ({
  subject,
  path: [],
  keyword: "system",
  reason: "Most of Anthropic's models take instructions at the beginning only: these are moved there."
})

const encodeUser = (
  content: ReadonlyArray<Content.Part>,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> =>
  content.flatMap((part, index) => {
    const block = encodeMedia(part)
    if (block !== undefined) return [block]
    if (part._tag === "Image" || part._tag === "File") {
      losses.push({
        subject,
        path: ["content", index],
        keyword: part._tag === "Image" ? "image" : "file",
        reason: `Anthropic takes no ${part.mediaType} from this source; a note stands in its place.`
      })
    }
    const text = Result.toText({ id: "", name: "", isError: false, content: [part] })
    // Anthropic: "text content blocks must be non-empty".
    return text === "" ? [] : [{ type: "text", text }]
  })

const encodeResultBlocks = (
  results: ReadonlyArray<ToolResult.ToolResult>,
  pairs: CallPairs,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> =>
  results.flatMap((result) => {
    const id = pairs.result(result.id)
    if (id !== undefined) return [encodeResult(result, id, losses)]
    losses.push({
      subject,
      path: [result.id],
      keyword: "result",
      reason: "No call before it has this id: the API would refuse the result, and it is left out."
    })
    return []
  })
