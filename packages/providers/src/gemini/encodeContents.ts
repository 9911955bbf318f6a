/**
 * Gemini's API: a conversation as the system instruction and the contents of a
 * request. What came from this API is put back as it stood; the rest is said anew.
 */
import type { Content, Json, Loss, Message } from "@wield/core"
import { ToolResult as Result } from "@wield/core"
import { pairedCalls } from "../internal/callPairs.js"
import { joinedResults } from "../internal/joinedResults.js"
import type { NameMap } from "../internal/nameMap.js"
import { NamedCalls } from "../internal/namedCalls.js"
import { nativeJson } from "../internal/nativeJson.js"
import { encodeMedia } from "./contentPart.js"
import { formatName } from "./names.js"
import { encodeResponses, takesMediaInside } from "./responses.js"
import { sayParts } from "./sayParts.js"
import { SystemInstruction } from "./systemInstruction.js"

export interface EncodedContents {
  /** The key of the body and its value, where there are instructions. */
  readonly system: Json.JsonObject
  readonly contents: ReadonlyArray<Json.Json>
}

export const encodeContents = (
  conversation: ReadonlyArray<Message.Message>,
  names: NameMap,
  model: string | undefined,
  losses: Array<Loss.Loss>
): EncodedContents => {
  const messages = joinedResults(conversation, formatName)
  const system = new SystemInstruction()
  const calls = new NamedCalls(formatName)
  const out: Array<Json.Json> = []
  messages.forEach((message, index) => {
    const subject = `message ${index}`
    const own = nativeJson(message, formatName)
    switch (message._tag) {
      case "System":
        if (out.length > 0)
          losses.push(
            lost(subject, "system", "Gemini takes instructions at the beginning only: these are moved there.")
          )
        system.add(own?.[0], message.text)
        break
      case "User": {
        // Its words stand in the content of the results before it.
        if (own?.length === 0 && saysMore(messages[index - 1])) break
        const parts = own === undefined || own.length === 0 ? encodeUser(message.content, subject, losses) : []
        if (parts.length > 0) out.push({ role: "user", parts })
        else out.push(...(own ?? []))
        break
      }
      case "Results": {
        const responses = message.results.flatMap((result) => {
          const call = calls.answer(result.id)
          if (call !== undefined) return [{ ...call, result }]
          if (own === undefined) {
            losses.push(lost(subject, "result", `No call before it has the id ${result.id}; the result is left out.`))
          }
          return []
        })
        out.push(...(own ?? encodeResponses(responses, takesMediaInside(model), losses)))
        break
      }
      case "Assistant": {
        if (own !== undefined) {
          for (const part of message.parts) if (part._tag === "Call") calls.keep(part)
          out.push(...own)
          break
        }
        const isPaired = pairedCalls(messages, index)
        out.push(
          ...sayParts(message.parts, { format: formatName, subject, toNative: names.toNative, isPaired, losses }, calls)
        )
        break
      }
    }
  })
  return { system: system.value(), contents: out }
}

const saysMore = (before: Message.Message | undefined): boolean =>
  before?._tag === "Results" && before.native?.format === formatName

const lost = (subject: string, keyword: string, reason: string): Loss.Loss => ({ subject, path: [], keyword, reason })

const encodeUser = (
  content: ReadonlyArray<Content.Part>,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> =>
  content.map((part) => {
    const media = part._tag === "Image" || part._tag === "File" ? encodeMedia(part) : undefined
    if (media !== undefined) return media
    if (part._tag === "Image" || part._tag === "File") {
      losses.push(
        lost(
          subject,
          part._tag.toLowerCase(),
          "Gemini reads files from gs and https addresses only; a note stands in its place."
        )
      )
    }
    return { text: textOf([part]) }
  })

const textOf = (content: ReadonlyArray<Content.Part>): string =>
  Result.toText({ id: "", name: "", isError: false, content })
