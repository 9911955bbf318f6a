/**
 * Bedrock's Converse API: a conversation as a request body.
 */
import type { Loss, Message } from "@wield/core"
import { Json, ToolResult } from "@wield/core"
import { callPairs, pairedCalls } from "../internal/callPairs.js"
import { joinedResults } from "../internal/joinedResults.js"
import { nameMap } from "../internal/nameMap.js"
import { nativeJson } from "../internal/nativeJson.js"
import { settingsOf } from "../internal/settingsOf.js"
import { objectField } from "../internal/wireField.js"
import type { EncodedRequest, Request } from "../WireFormat.js"
import { toolConfig, toolEntry } from "./encodeTools.js"
import type { NameDocument } from "./media.js"
import { documentNames, encodeMedia } from "./media.js"
import { formatName, idRule, nameRule } from "./names.js"
import { resultBlock } from "./resultBlock.js"
import { sayParts } from "./sayParts.js"

export const encodeRequest = (request: Request): EncodedRequest => {
  const losses: Array<Loss.Loss> = []
  const settings = settingsOf(request, formatName, losses)
  const { system, messages } = encodeMessages(request, losses)
  const config = encodeToolConfig(request, losses)
  const body = {
    ...settings,
    ...(system.length === 0 ? {} : { system }),
    messages,
    ...(config === undefined ? {} : { toolConfig: { ...objectField(settings, "toolConfig"), ...config } })
  }
  // Settings are JSON, and so is what was put beside them.
  return { body: body as Json.JsonObject, losses }
}

const encodeToolConfig = (request: Request, losses: Array<Loss.Loss>): Json.JsonObject | undefined => {
  const { definitions, options } = request
  const names = nameMap(definitions, nameRule)
  let isMarked = false
  const tools = definitions.flatMap((definition): ReadonlyArray<Json.Json> => {
    isMarked = false
    if (definition.native?.format !== formatName) return toolEntry(definition, names, options, losses)
    const { json } = definition.native
    // A tool with the cache points behind it.
    if (!Array.isArray(json)) return [json]
    isMarked = true
    return json as ReadonlyArray<Json.Json>
  })
  return toolConfig(tools, names, isMarked ? { ...options, isCached: false } : options, losses)
}

/** A message of the body being written; one that was said anew may still grow. */
interface Written {
  readonly message: Json.Json
  readonly isAnew: boolean
}

const encodeMessages = (
  request: Request,
  losses: Array<Loss.Loss>
): { readonly system: ReadonlyArray<Json.Json>; readonly messages: ReadonlyArray<Json.Json> } => {
  const { toNative } = nameMap(request.definitions, nameRule)
  const messages = joinedResults(request.messages, formatName)
  const pairs = callPairs(formatName, idRule)
  const nameDocument = documentNames()
  const system: Array<Json.Json> = []
  const written: Array<Written> = []
  const say = (role: string, content: ReadonlyArray<Json.Json>): void => {
    if (content.length === 0) return
    const last = written.at(-1)
    // Roles have to alternate; results and what the user says beside them are one message.
    if (last !== undefined && Json.isObject(last.message) && last.message["role"] === role) {
      const before = last.message["content"]
      const merged = { ...last.message, content: [...(Array.isArray(before) ? before : []), ...content] }
      written[written.length - 1] = { message: merged as Json.JsonObject, isAnew: true }
    } else written.push({ message: { role, content }, isAnew: true })
  }
  const put = (json: ReadonlyArray<Json.Json>): void => {
    for (const message of json) {
      const last = written.at(-1)
      if (last?.isAnew === true && Json.isObject(message) && isSameRole(last.message, message)) {
        const content = message["content"]
        say(String(message["role"]), Array.isArray(content) ? (content as ReadonlyArray<Json.Json>) : [])
      } else written.push({ message, isAnew: false })
    }
  }
  for (const [index, message] of messages.entries()) {
    const native = nativeJson(message, formatName)
    const subject = `message ${index}`
    switch (message._tag) {
      case "System":
        if (native !== undefined) for (const value of native) system.push(...(Array.isArray(value) ? value : [value]))
        else if (message.text !== "") {
          system.push({ text: message.text })
          if (written.length > 0) losses.push(moved(subject))
        }
        break
      case "User":
        if (native !== undefined && native.length > 0) put(native)
        else if (native === undefined || !isSaidBefore(messages[index - 1])) {
          say("user", sayContent(message, subject, nameDocument, losses))
        }
        break
      case "Assistant": {
        const isPaired = pairedCalls(messages, index)
        if (native === undefined)
          say("assistant", sayParts(message.parts, { format: formatName, subject, toNative, isPaired, losses }, pairs))
        else {
          put(native)
          for (const part of message.parts) if (part._tag === "Call") pairs.keep(part)
        }
        break
      }
      case "Results":
        if (native !== undefined && native.length > 0) {
          put(native)
          for (const result of message.results) pairs.result(result.id)
        } else say("user", sayResults(message, subject, pairs.result, losses))
    }
  }
  return { system, messages: written.map(({ message }) => message) }
}

const isSameRole = (left: Json.Json, right: { readonly [key: string]: unknown }): boolean =>
  Json.isObject(left) && left["role"] === right["role"]

/** The message of results that came with it says what the user said beside them. */
const isSaidBefore = (message: Message.Message | undefined): boolean =>
  message?._tag === "Results" && (nativeJson(message, formatName)?.length ?? 0) > 0

const moved = (subject: string): Loss.Loss => ({
  subject,
  path: [],
  keyword: "system",
  reason: "The Converse API has instructions only before the conversation; they are put there."
})

const sayContent = (
  message: Message.User,
  subject: string,
  nameDocument: NameDocument,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> =>
  message.content.flatMap((part, index) => {
    const block = part._tag === "Image" || part._tag === "File" ? encodeMedia(part, nameDocument) : undefined
    if (block !== undefined) return [block]
    if (part._tag === "Image" || part._tag === "File") {
      const keyword = part._tag === "Image" ? "image" : "file"
      const reason = `The Converse API takes no ${part.mediaType} from this source; a note stands in its place.`
      losses.push({ subject, path: ["content", index], keyword, reason })
    }
    const text = ToolResult.toText({ id: "", name: "", isError: false, content: [part] })
    // An empty text is refused; one of a line end is taken.
    return text === "" ? [] : [{ text }]
  })

const sayResults = (
  message: Message.Results,
  subject: string,
  idOf: (id: string) => string | undefined,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> =>
  message.results.flatMap((result, index) => {
    const id = idOf(result.id)
    if (id !== undefined) return [resultBlock(result, id, documentNames(id), losses)]
    const reason = `No call ${JSON.stringify(result.id)} stands before it, and the API refuses a result without one.`
    losses.push({ subject, path: [index], keyword: "result", reason })
    return []
  })
