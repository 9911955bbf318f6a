/**
 * Ollama's chat API: a request body in Wield's words.
 */
import type { Message } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import { decodeFunctionEntry, functionEntries } from "../internal/functionEntry.js"
import { nameMap } from "../internal/nameMap.js"
import { wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import type { Request } from "../WireFormat.js"
import type { Reading } from "./decodeMessage.js"
import { decodeMessage } from "./decodeMessage.js"
import { formatName, nameRule } from "./names.js"

export const decodeRequest = (body: unknown): Either.Either<Request, WireError> => {
  if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "an object with messages", body))
  const { messages: sent, tools, ...others } = body
  if (!Array.isArray(sent)) return Either.left(wireError(formatName, ["messages"], "an array of messages", sent))
  const entries = functionEntries(tools)
  const definitions = (entries ?? []).map(decodeFunctionEntry(formatName))
  const reading: Reading = { names: nameMap(definitions, nameRule), waiting: [] }
  const messages: Array<Message.Message> = []
  for (let index = 0; index < sent.length; index++) {
    const decoded = decodeMessage(sent[index], index, reading)
    if (Either.isLeft(decoded)) return Either.left(decoded.left)
    const message = decoded.right
    const last = messages.at(-1)
    // One message a result; those of one turn belong together.
    if (message._tag === "Results" && last?._tag === "Results") messages[messages.length - 1] = joined(last, message)
    else messages.push(message)
  }
  const settings = entries === undefined && tools !== undefined ? { ...others, tools } : others
  return Either.right({
    messages,
    definitions,
    options: {},
    // The body is parsed JSON.
    settings: { format: formatName, json: settings as Json.JsonObject },
    losses: []
  })
}

const joined = (left: Message.Results, right: Message.Results): Message.Results => ({
  _tag: "Results",
  results: [...left.results, ...right.results],
  native: { format: formatName, json: [...(left.native?.json ?? []), ...(right.native?.json ?? [])] }
})
