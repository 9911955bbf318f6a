/**
 * Gemini's API: a conversation as the system instruction and the contents of a
 * request. What came from this API is put back as it stood; the rest is said anew.
 */
import type { Json, Loss, Message, Turn } from "@wield/core"
import { Content, ToolResult as Result } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import { pairedCalls } from "../internal/callPairs.js"
import type { NameMap } from "../internal/nameMap.js"
import { nativeJson } from "../internal/nativeJson.js"
import { encodeMedia } from "./contentPart.js"
import { encodeResponses } from "./encodeResults.js"
import { formatName } from "./names.js"
import { SystemInstruction } from "./systemInstruction.js"

export interface EncodedContents {
  /** The key of the body and its value, where there are instructions. */
  readonly system: Json.JsonObject
  readonly contents: ReadonlyArray<Json.Json>
}

/** How a call stands in the history, so that its result names it likewise. */
interface Said {
  readonly name: string
  readonly nativeId: string | undefined
}

export const encodeContents = (
  messages: ReadonlyArray<Message.Message>,
  names: NameMap,
  losses: Array<Loss.Loss>
): EncodedContents => {
  const system = new SystemInstruction()
  const calls = new Map<string, Said>()
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
          const call = calls.get(result.id)
          if (call !== undefined) return [{ ...call, result }]
          if (own === undefined) {
            losses.push(lost(subject, "result", `No call before it has the id ${result.id}; the result is left out.`))
          }
          return []
        })
        // Which model it is for stands in the address: media inside of a response is refused before Gemini 3.
        out.push(...(own ?? encodeResponses(responses, false, losses)))
        break
      }
      case "Assistant": {
        if (own !== undefined) {
          for (const part of message.parts) {
            if (part._tag === "Call") calls.set(part.call.id, { name: part.nativeName, nativeId: part.nativeId })
          }
          out.push(...own)
          break
        }
        const isPaired = pairedCalls(messages, index)
        const parts = message.parts.flatMap((part) => encodePart(part, isPaired, names, calls, subject, losses))
        if (parts.length > 0) out.push({ role: "model", parts: signed(parts) })
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

const encodePart = (
  part: Turn.Part,
  isPaired: (id: string) => boolean,
  names: NameMap,
  calls: Map<string, Said>,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> => {
  const lose = (keyword: string, reason: string): ReadonlyArray<Json.JsonObject> => {
    losses.push(lost(subject, keyword, reason))
    return []
  }
  switch (part._tag) {
    case "Text":
    case "Refusal":
      return part.text === "" ? [] : [{ text: part.text }]
    case "Reasoning":
      return lose("reasoning", "Gemini reads its own thoughts out of signatures, and no others; it is left out.")
    case "Call": {
      const { call } = part
      if (part.executedBy === "provider") {
        return lose("providerCall", `The provider ran ${call.name} itself; the call and its result are left out.`)
      }
      if (!isPaired(call.id)) return lose("call", `The call ${call.id} of ${call.name} has no result; it is left out.`)
      const said: Said = {
        name: names.toNative(call.name),
        // Where the first API had no ids, order pairs them here too.
        nativeId: part.nativeId === undefined ? undefined : call.id
      }
      calls.set(call.id, said)
      const args = argumentObject(call.arguments) ?? { invalid_json: textOf([Content.json(call.arguments)]) }
      const id = said.nativeId === undefined ? {} : { id: said.nativeId }
      return [{ functionCall: { ...id, name: said.name, args } }]
    }
  }
}

/**
 * Gemini 3 refuses a turn whose first call has no signature of its own; this
 * one Google documents for history that comes from elsewhere.
 *
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures#faqs
 */
const signed = (parts: ReadonlyArray<Json.JsonObject>): ReadonlyArray<Json.JsonObject> => {
  const first = parts.findIndex((part) => "functionCall" in part)
  return parts.map((part, index) =>
    index === first ? { ...part, thoughtSignature: "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=" } : part
  )
}

const textOf = (content: ReadonlyArray<Content.Part>): string =>
  Result.toText({ id: "", name: "", isError: false, content })
