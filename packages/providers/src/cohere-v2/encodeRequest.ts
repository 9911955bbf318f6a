/**
 * Cohere's Chat API: a conversation as a request body.
 */
import type { Json, Loss, Message } from "@wield/core"
import { callPairs, pairedCalls } from "../internal/callPairs.js"
import { joinedResults } from "../internal/joinedResults.js"
import { nameMap } from "../internal/nameMap.js"
import { nativeJson } from "../internal/nativeJson.js"
import { settingsOf } from "../internal/settingsOf.js"
import { partText } from "../openai/resultText.js"
import type { EncodedRequest, Request } from "../WireFormat.js"
import { encodeTools } from "./encodeTools.js"
import { formatName, idRule, nameRule } from "./names.js"
import { resultContent } from "./resultContent.js"
import { sayParts } from "./sayParts.js"

export const encodeRequest = (request: Request): EncodedRequest => {
  const losses: Array<Loss.Loss> = []
  const settings = settingsOf(request, formatName, losses)
  const { toNative } = nameMap(request.definitions, nameRule)
  const offered = encodeTools(request.definitions, request.options)
  const messages = encodeMessages(request.messages, toNative, losses)
  return { body: { ...settings, messages, ...offered.body }, losses: [...losses, ...offered.losses] }
}

const encodeMessages = (
  messages: ReadonlyArray<Message.Message>,
  toNative: (name: string) => string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.Json> => {
  const conversation = joinedResults(messages, formatName)
  const pairs = callPairs(formatName, idRule)
  return conversation.flatMap((message, index): ReadonlyArray<Json.Json> => {
    const native = nativeJson(message, formatName)
    if (native !== undefined) {
      if (message._tag === "Assistant") for (const part of message.parts) if (part._tag === "Call") pairs.keep(part)
      if (message._tag === "Results") for (const result of message.results) pairs.result(result.id)
      return native
    }
    const subject = `message ${index}`
    switch (message._tag) {
      case "System":
        return message.text === "" ? [] : [{ role: "system", content: message.text }]
      case "User": {
        const content = sayContent(message, subject, losses)
        return content === undefined ? [] : [{ role: "user", content }]
      }
      case "Assistant": {
        const isPaired = pairedCalls(conversation, index)
        return sayParts(message.parts, { format: formatName, subject, toNative, isPaired, losses }, pairs)
      }
      case "Results":
        return message.results.flatMap((result, at) => {
          const id = pairs.result(result.id)
          if (id !== undefined) {
            return [{ role: "tool", tool_call_id: id, content: resultContent(undefined, result, losses) }]
          }
          const reason = `No call ${JSON.stringify(result.id)} stands before it, and the API refuses a result without one.`
          losses.push({ subject, path: [at], keyword: "result", reason })
          return []
        })
    }
  })
}

/** One text is sent as a string. `undefined` for no content: the API refuses an empty message. */
const sayContent = (message: Message.User, subject: string, losses: Array<Loss.Loss>): Json.Json | undefined => {
  const [only, ...others] = message.content
  if (only === undefined) return undefined
  if (others.length === 0 && only._tag === "Text") return only.text
  return message.content.map((part, index): Json.JsonObject => {
    if (part._tag === "Image") {
      const { mediaType, source } = part
      const url = source._tag === "Url" ? source.url : `data:${mediaType};base64,${source.data}`
      return { type: "image_url", image_url: { url } }
    }
    if (part._tag === "File") {
      const reason = "Cohere's API takes no files in a message; a note stands in its place."
      losses.push({ subject, path: ["content", index], keyword: "file", reason })
    }
    return { type: "text", text: partText(part) }
  })
}
