/**
 * Ollama's chat API: a conversation as a request body.
 */
import type { Json, Loss, Message } from "@wield/core"
import { joinedResults } from "../internal/joinedResults.js"
import { nameMap } from "../internal/nameMap.js"
import { NamedCalls } from "../internal/namedCalls.js"
import { nativeJson } from "../internal/nativeJson.js"
import { settingsOf } from "../internal/settingsOf.js"
import { partText } from "../openai/resultText.js"
import type { EncodedRequest, Request } from "../WireFormat.js"
import { encodeTools } from "./encodeTools.js"
import { formatName, nameRule } from "./names.js"
import { sayParts, sayResult } from "./sayMessages.js"

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
  const calls = new NamedCalls(formatName)
  return conversation.flatMap((message, index): ReadonlyArray<Json.Json> => {
    const native = nativeJson(message, formatName)
    if (native !== undefined) {
      if (message._tag === "Assistant") for (const part of message.parts) if (part._tag === "Call") calls.keep(part)
      if (message._tag === "Results") for (const result of message.results) calls.answer(result.id)
      return native
    }
    const subject = `message ${index}`
    switch (message._tag) {
      case "System":
        return message.text === "" ? [] : [{ role: "system", content: message.text }]
      case "User":
        return [sayUser(message, subject, losses)]
      case "Assistant":
        // Ollama takes a call without its result.
        return sayParts(message.parts, { format: formatName, subject, toNative, isPaired: () => true, losses }, calls)
      case "Results":
        return message.results.map((result) => {
          // Ollama takes a result without its call.
          const name = result.name === "" ? "" : toNative(result.name)
          return sayResult(calls.answer(result.id) ?? { name, nativeId: undefined }, undefined, result, losses)
        })
    }
  })
}

/** Text and images stand apart: the model reads the images first. */
const sayUser = (message: Message.User, subject: string, losses: Array<Loss.Loss>): Json.JsonObject => {
  const texts: Array<string> = []
  const images: Array<string> = []
  for (const [index, part] of message.content.entries()) {
    if (part._tag === "Image" && part.source._tag === "Base64") {
      images.push(part.source.data)
      continue
    }
    if (part._tag === "Image" || part._tag === "File") {
      const keyword = part._tag === "Image" ? "image" : "file"
      const reason = "Ollama takes images only, and fetches nothing; a note stands in its place."
      losses.push({ subject, path: ["content", index], keyword, reason })
    }
    texts.push(partText(part))
  }
  return { role: "user", content: texts.join("\n"), ...(images.length === 0 ? {} : { images }) }
}
