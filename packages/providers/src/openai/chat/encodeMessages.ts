/**
 * A conversation as the messages of a request. What came from this API is put
 * back as it stood; the rest is said anew.
 */
import type { Content, Loss, Message, Turn } from "@wield/core"
import type { Json } from "@wield/core"
import { pairedCalls } from "../../internal/callPairs.js"
import { joinedResults } from "../../internal/joinedResults.js"
import { nativeJson } from "../../internal/nativeJson.js"
import { resultText } from "../resultText.js"
import { applicationCalls, withIds, writtenMessage } from "./assistantMessage.js"
import type { ChatDialect } from "./ChatDialect.js"
import { hasFunctionCall, leftOut, resultMessage } from "./encodeResults.js"
import { SentCalls } from "./sentCalls.js"

export const encodeMessages = (
  dialect: ChatDialect,
  conversation: ReadonlyArray<Message.Message>,
  toNative: (name: string) => string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.Json> => {
  const messages = joinedResults(conversation, dialect.name)
  const calls = new SentCalls(dialect)
  const out: Array<Json.Json> = []
  messages.forEach((message, index) => {
    const subject = `message ${index}`
    const own = nativeJson(message, dialect.name)
    switch (message._tag) {
      case "System":
        out.push(...(own ?? (message.text === "" ? [] : [{ role: "system", content: message.text }])))
        break
      case "User":
        if (own === undefined && messages[index - 1]?._tag === "Results") out.push(...between(dialect, subject, losses))
        out.push(...(own ?? userMessage(dialect, message.content, subject, losses)))
        break
      case "Assistant":
        if (own === undefined) {
          const saying = { format: dialect.name, subject, toNative, isPaired: pairedCalls(messages, index), losses }
          const written = writtenMessage(dialect, message.parts, saying, calls)
          if (written !== undefined) out.push(written)
        } else out.push(...keptMessages(dialect, own, message.parts, messages[index + 1], calls))
        break
      case "Results":
        out.push(...resultMessages(dialect, message, own, calls, subject, losses))
        break
    }
  })
  return out
}

/** A turn as it stood. Ids that it leaves out are filled in where a result will be said anew, to name its call by. */
const keptMessages = (
  dialect: ChatDialect,
  own: ReadonlyArray<Json.Json>,
  parts: ReadonlyArray<Turn.Part>,
  next: Message.Message | undefined,
  calls: SentCalls
): ReadonlyArray<Json.Json> => {
  const made = applicationCalls(parts)
  const isLegacy = own.some(hasFunctionCall)
  for (const part of made) calls.keep(part, isLegacy)
  const isAnsweredAnew = next?._tag === "Results" && nativeJson(next, dialect.name) === undefined
  return isAnsweredAnew ? own.map((message) => withIds(message, made)) : own
}

const resultMessages = (
  dialect: ChatDialect,
  { results }: Message.Results,
  own: ReadonlyArray<Json.Json> | undefined,
  calls: SentCalls,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.Json> => {
  const paired = results.map((result) => ({ result, call: calls.answer(result.id) }))
  // Where its calls had to be given other ids, a result cannot stay as it stood.
  if (own !== undefined && paired.every(({ call, result }) => call === undefined || call.sentId === result.id))
    return own
  return paired.flatMap(({ call, result }): ReadonlyArray<Json.Json> => {
    if (call === undefined) {
      losses.push({
        subject,
        path: [result.id],
        keyword: "result",
        reason: "No call before it has this id: the API would refuse the result, and it is left out."
      })
      return []
    }
    losses.push(...leftOut(result, subject))
    return [resultMessage(dialect, call, resultText(undefined, result))]
  })
}

/** Mistral refuses a user's message right after a result: code 3230, "Unexpected role 'user' after role 'tool'". */
const between = (dialect: ChatDialect, subject: string, losses: Array<Loss.Loss>): ReadonlyArray<Json.Json> => {
  if (dialect.afterResults === undefined) return []
  losses.push({
    subject,
    path: [],
    keyword: "order",
    reason: "The API takes no user's message right after a result: an assistant's is put between them."
  })
  return [dialect.afterResults]
}

const userMessage = (
  dialect: ChatDialect,
  content: ReadonlyArray<Content.Part>,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.Json> => {
  const [first] = content
  if (content.length === 1 && first?._tag === "Text") return [{ role: "user", content: first.text }]
  const parts = content.flatMap((part, index) => {
    const { part: said, loss } = dialect.encodeUserPart(part)
    if (loss !== undefined) losses.push({ subject, path: ["content", index], ...loss })
    return said === undefined ? [] : [said]
  })
  if (parts.length > 0) return [{ role: "user", content: parts }]
  losses.push({ subject, path: [], keyword: "content", reason: "Nothing in it can be said: it is left out." })
  return []
}
