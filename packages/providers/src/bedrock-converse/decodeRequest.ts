/**
 * Bedrock's Converse API: a request body in Wield's words.
 */
import type { Loss, Message } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import { asSent } from "../internal/callReader.js"
import { nameMap } from "../internal/nameMap.js"
import { stringField, wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import type { Request } from "../WireFormat.js"
import type { Reading } from "./decodeMessage.js"
import { decodeMessage } from "./decodeMessage.js"
import { decodeTools } from "./decodeTools.js"
import { formatName, nameRule } from "./names.js"

export const decodeRequest = (body: unknown): Either.Either<Request, WireError> => {
  if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "an object with messages", body))
  const { messages: sent, system, toolConfig, ...others } = body
  if (!Array.isArray(sent)) return Either.left(wireError(formatName, ["messages"], "an array of messages", sent))
  const tools = decodeTools(toolConfig)
  if (Either.isLeft(tools)) return Either.left(tools.left)
  const { definitions, options, rest } = tools.right
  const losses: Array<Loss.Loss> = []
  const { fromNative } = nameMap(definitions, nameRule)
  const reading: Reading = { reader: { fromNative, readArguments: asSent }, called: new Map(), losses }
  const messages: Array<Message.Message> = []
  const isSystem = Array.isArray(system) && system.length > 0
  if (isSystem) messages.push(decodeSystem(system, losses))
  for (let index = 0; index < sent.length; index++) {
    const decoded = decodeMessage(sent[index], index, reading)
    if (Either.isLeft(decoded)) return Either.left(decoded.left)
    messages.push(...decoded.right)
  }
  const settings = {
    ...others,
    // Many clients send an empty list; that is no message.
    ...(system === undefined || isSystem ? {} : { system }),
    ...(rest === undefined ? {} : { toolConfig: rest })
  }
  return Either.right({
    messages,
    definitions,
    options,
    // The body is parsed JSON.
    settings: { format: formatName, json: settings as Json.JsonObject },
    losses
  })
}

const decodeSystem = (system: ReadonlyArray<unknown>, losses: Array<Loss.Loss>): Message.System => {
  const texts: Array<string> = []
  for (let index = 0; index < system.length; index++) {
    const block: unknown = system[index]
    const text = Json.isObject(block) ? stringField(block, "text") : undefined
    if (text !== undefined) texts.push(text)
    else {
      const keyword = Json.isObject(block) ? (Object.keys(block)[0] ?? "block") : "block"
      const reason = `There are no words for ${keyword} here; it is kept in the native message.`
      losses.push({ subject: "system", path: [index], keyword, reason })
    }
  }
  return {
    _tag: "System",
    text: texts.join("\n\n"),
    native: { format: formatName, json: [system as ReadonlyArray<Json.Json>] }
  }
}
