/**
 * Which server and which family of models made a turn. What is native to it
 * (signatures, encrypted reasoning, fields of one server) goes back to them only.
 */
import type { Message, Turn } from "@wield/core"
import { applicationCalls, OpenCalls, pairedCalls } from "./internal/calls.js"

/**
 * Whom a conversation is sent to.
 *
 * @category models
 */
export interface Target extends Message.Maker {
  /** Name of the wire format. */
  readonly format: string
}

/**
 * The family of a model, of which each reads what another left behind.
 *
 * | maker | family | why |
 * |---|---|---|
 * | Google | word and major version | Gemini 3 refuses calls without the signatures that 2.5 does not give |
 * | OpenAI | word and major version | gpt-4 refuses reasoning, which gpt-5 and the o series give |
 * | all others | the word that the name begins with | Claude, DeepSeek, MiniMax: one signature or field for all |
 *
 * Paths, regions and makers before the name do not count.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Maker } from "@wield/providers"
 *
 * assert.strictEqual(Maker.familyOf("us.anthropic.claude-sonnet-4-5-20250929-v1:0"), "claude")
 * assert.strictEqual(Maker.familyOf("google/gemini-3-pro-preview"), "gemini-3")
 * ```
 *
 * @category accessors
 */
export const familyOf = (model: string): string => {
  const name = model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/^ft:/, "")
    .replace(/^(?:[a-z-]+\.)+(?=[a-z])/, "")
  return /^(?:gemini|gpt)-?\d+/.exec(name)?.[0] ?? /^[a-z]+/.exec(name)?.[0] ?? name
}

/**
 * Whether a model refuses calls without a signature: Gemini 3 and later, also by names such as `gemini-flash-latest`.
 *
 * @category accessors
 */
export const needsSignature = (model: string): boolean => /^gemini(?!-[12]$)/.test(familyOf(model))

/** Regions of one cloud (AWS, Vertex AI) read what another of them wrote. */
const serviceOf = (host: string): string =>
  host
    .toLowerCase()
    .replace(/(?<=\.)[a-z]{2}(?:-[a-z]+)+-\d+\.(?=amazonaws\.)/, "")
    .replace(/^[a-z]+(?:-[a-z]+\d*)+-(?=aiplatform\.)/, "")

/** What is not known of either side is not held against it. */
const isSame = (from: Message.Maker, to: Message.Maker): boolean =>
  isEqual(from.host, to.host, serviceOf) && isEqual(from.model, to.model, familyOf)

const isEqual = (left: string | undefined, right: string | undefined, read: (text: string) => string): boolean =>
  left === undefined || right === undefined || read(left) === read(right)

/**
 * The messages for this target. What is native to a turn of another server or
 * model family is taken out, so that the turn is re-encoded as one of another
 * format. What says nothing of its maker stays.
 *
 * @category combinators
 */
export const keepOwn = (messages: ReadonlyArray<Message.Message>, to: Target): ReadonlyArray<Message.Message> => {
  const isForeign = (native: Message.Native | undefined, from: Message.Maker | undefined): boolean =>
    native?.format === to.format && from !== undefined && !isSame(from, to)
  return messages.map((message) => {
    if (message._tag !== "Assistant") {
      // Such as a message that names a file of another server.
      return isForeign(message.native, message.native?.from) ? { ...message, native: undefined } : message
    }
    const { native, parts } = message
    const isOther = isForeign(native, native?.from)
    const kept = parts.map((part): Turn.Part => {
      if (part._tag !== "Reasoning" && part._tag !== "Call") return part
      const own = isForeign(part.native, part.native?.from ?? native?.from) ? { ...part, native: undefined } : part
      // The ids of one server may be none that another takes.
      return isOther && own._tag === "Call" ? { ...own, format: undefined } : own
    })
    if (!isOther && kept.every((part, index) => part === parts[index])) return message
    return { ...message, parts: kept, native: isOther ? undefined : native }
  })
}

/**
 * The messages without calls that have no result, without results whose call does not stand before them, and without
 * messages that had nothing else: APIs refuse them. A turn of this format stays as it stood.
 *
 * @category combinators
 */
export const keepPaired = (
  messages: ReadonlyArray<Message.Message>,
  format: string
): ReadonlyArray<Message.Message> => {
  const paired = pairedCalls(messages)
  const open = new OpenCalls<Turn.CallPart>()
  return messages.flatMap((message, index): ReadonlyArray<Message.Message> => {
    if (message._tag === "Assistant") {
      const isPaired = paired(index)
      const isSaid = (part: Turn.Part) =>
        part._tag !== "Call" || part.executedBy === "provider" || isPaired(part.call.id)
      const parts = message.native?.format === format ? message.parts : message.parts.filter(isSaid)
      for (const part of applicationCalls(parts)) open.put(part.call.id, part)
      if (parts.length === message.parts.length) return [message]
      return parts.length === 0 ? [] : [{ ...message, parts }]
    }
    if (message._tag !== "Results") return [message]
    const results = message.results.filter(({ id }) => open.take(id) !== undefined)
    if (results.length === message.results.length) return [message]
    return results.length === 0 ? [] : [{ ...message, results, native: undefined }]
  })
}
