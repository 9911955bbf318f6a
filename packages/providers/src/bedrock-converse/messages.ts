/** Bedrock's Converse API: requests, in Wield's words and back, and the results of calls. */
import type { Loss, Message, Outcome, Turn } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Json from "@wield/core/Json"
import * as Result from "@wield/core/ToolResult"
import * as ToolResult from "@wield/core/ToolResult"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type { WireError } from "../WireError.js"
import type { EncodedRequest, EncodedResults, Request } from "../WireFormat.js"
import { formatName, idRule, nameRule } from "./format.js"
import { decodeTools, encodeToolConfig } from "./tools.js"
import { decodeBlock } from "./turn.js"
import { type CallPairs, callPairs, pairedCalls } from "../internal/calls.js"
import {
  type Reencoding,
  emptyTurn,
  isEmptyTurn,
  joinResults,
  nativeJson,
  encodeTurnResults,
  sendableParts,
  settingsOf
} from "../internal/history.js"
import { argumentsOf, isMedia, keptLoss, mediaLoss, unpairedResult } from "../internal/losses.js"
import * as NameMap from "../NameMap.js"
import { decodeBlocks } from "../internal/partList.js"
import { type CallReader, asSent } from "../internal/tools.js"
import { type Fields, objectField, stringField, wireError } from "../internal/wireField.js"

export const decodeRequest = (body: unknown): Either.Either<Request, WireError> => {
  if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "an object with messages", body))
  const { messages: sent, system, toolConfig, ...others } = body
  if (!Array.isArray(sent)) return Either.left(wireError(formatName, ["messages"], "an array of messages", sent))
  const tools = decodeTools(toolConfig)
  if (Either.isLeft(tools)) return Either.left(tools.left)
  const { definitions, options, rest } = tools.right
  const losses: Array<Loss.Loss> = []
  const { fromNative } = NameMap.make(definitions, nameRule)
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
    else losses.push(keptBlock("system", [index], block))
  }
  return {
    _tag: "System",
    text: texts.join("\n\n"),
    native: { format: formatName, json: [system as ReadonlyArray<Json.Json>] }
  }
}

type Path = ReadonlyArray<string | number>

interface Reading {
  readonly reader: CallReader
  /** The names of the calls so far, by id. */
  readonly called: Map<string, string>
  readonly losses: Array<Loss.Loss>
}

const decodeMessage = (
  message: unknown,
  index: number,
  reading: Reading
): Either.Either<ReadonlyArray<Message.Message>, WireError> => {
  const path: Path = ["messages", index]
  if (!Json.isObject(message)) return Either.left(wireError(formatName, path, "a message", message))
  const { content, role } = message
  if (!Array.isArray(content)) {
    return Either.left(wireError(formatName, [...path, "content"], "an array of content blocks", content))
  }
  // The body is parsed JSON.
  const native = { format: formatName, json: [message as Json.JsonObject] }
  if (role === "assistant") {
    return Either.map(decodeParts(content, [...path, "content"], reading), (parts) => [
      { _tag: "Assistant", parts, native }
    ])
  }
  if (role !== "user") return Either.left(wireError(formatName, [...path, "role"], "user or assistant", role))
  const subject = `message ${index}`
  const results: Array<ToolResult.ToolResult> = []
  const said: Array<Content.Part> = []
  for (let at = 0; at < content.length; at++) {
    const block: unknown = content[at]
    if (!Json.isObject(block)) {
      return Either.left(wireError(formatName, [...path, "content", at], "a content block", block))
    }
    const result = objectField(block, "toolResult")
    if (result !== undefined) results.push(decodeResult(result, subject, at, reading))
    else {
      const part = decodeContent(block, subject, ["content", at], reading.losses)
      if (part !== undefined) said.push(part)
    }
  }
  if (results.length === 0) return Either.right([{ _tag: "User", content: said, native }])
  const answered: Message.Message = { _tag: "Results", results, native }
  return Either.right(
    // The message of the results says the rest too.
    said.length === 0
      ? [answered]
      : [answered, { _tag: "User", content: said, native: { format: formatName, json: [] } }]
  )
}

const decodeParts = (
  content: ReadonlyArray<unknown>,
  path: Path,
  reading: Reading
): Either.Either<ReadonlyArray<Turn.Part>, WireError> =>
  decodeBlocks(content, (block, at) => {
    const part = decodeBlock(block, [...path, at], reading.reader)
    if (Either.isRight(part)) {
      if (part.right === undefined) reading.losses.push(keptBlock(`message ${path[1]}`, ["content", at], block))
      else if (part.right._tag === "Call") reading.called.set(part.right.call.id, part.right.call.name)
    }
    return part
  })

const decodeResult = (result: Fields, subject: string, at: number, reading: Reading): ToolResult.ToolResult => {
  const id = stringField(result, "toolUseId") ?? ""
  const blocks = result["content"]
  const content: Array<Content.Part> = []
  if (Array.isArray(blocks)) {
    for (let index = 0; index < blocks.length; index++) {
      const path = ["content", at, "toolResult", "content", index]
      const part = decodeContent(blocks[index], subject, path, reading.losses)
      if (part !== undefined) content.push(part)
    }
  }
  const only = content.length === 1 ? content[0] : undefined
  return {
    id,
    name: reading.called.get(id) ?? "",
    isError: result["status"] === "error",
    content,
    ...(only?._tag === "JsonValue" ? { structured: only.value } : {})
  }
}

/** `undefined`, and a loss, for what only the native message can say. */
const decodeContent = (
  block: unknown,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): Content.Part | undefined => {
  if (Json.isObject(block)) {
    const text = stringField(block, "text")
    if (text !== undefined) return Content.text(text)
    if (block["json"] !== undefined) return Content.json(block["json"])
    const media = decodeMedia(block)
    if (media !== undefined) return media
    // Text that a guardrail is to check: the model reads it as any other.
    const guarded = stringField(objectField(objectField(block, "guardContent") ?? {}, "text") ?? {}, "text")
    if (guarded !== undefined) {
      losses.push(keptBlock(subject, path, block))
      return Content.text(guarded)
    }
  }
  losses.push(keptBlock(subject, path, block))
  return undefined
}

const keptBlock = (subject: string, path: Path, block: unknown): Loss.Loss =>
  keptLoss(subject, path, Json.isObject(block) ? (Object.keys(block)[0] ?? "block") : "block")

export const encodeRequest = (request: Request): EncodedRequest => {
  const losses: Array<Loss.Loss> = []
  const settings = settingsOf(request, formatName, losses)
  const { system, messages } = encodeMessages(request, losses)
  const config = encodeToolConfig(request.definitions, request.options, losses)
  const body = {
    ...settings,
    ...(system.length === 0 ? {} : { system }),
    messages,
    ...(config === undefined ? {} : { toolConfig: { ...objectField(settings, "toolConfig"), ...config } })
  }
  // Settings are JSON, and so is what was put beside them.
  return { body: body as Json.JsonObject, losses }
}

/** A message of the body being written; one that was re-encoded may still grow. */
interface Written {
  readonly message: Json.Json
  readonly isReencoded: boolean
}

const encodeMessages = (
  request: Request,
  losses: Array<Loss.Loss>
): { readonly system: ReadonlyArray<Json.Json>; readonly messages: ReadonlyArray<Json.Json> } => {
  const { toNative } = NameMap.make(request.definitions, nameRule)
  const messages = joinResults(request.messages, formatName)
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
      written[written.length - 1] = { message: merged as Json.JsonObject, isReencoded: true }
    } else written.push({ message: { role, content }, isReencoded: true })
  }
  const put = (json: ReadonlyArray<Json.Json>): void => {
    for (const message of json) {
      const last = written.at(-1)
      if (last?.isReencoded === true && Json.isObject(message) && isSameRole(last.message, message)) {
        const content = message["content"]
        say(String(message["role"]), Array.isArray(content) ? (content as ReadonlyArray<Json.Json>) : [])
      } else written.push({ message, isReencoded: false })
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
          say("user", encodeContent(message, subject, nameDocument, losses))
        }
        break
      case "Assistant": {
        const isPaired = pairedCalls(messages, index)
        if (native === undefined)
          say(
            "assistant",
            encodeParts(message.parts, { format: formatName, subject, toNative, isPaired, losses }, pairs)
          )
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
        } else say("user", encodeResultBlocks(message, subject, pairs.result, losses))
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

const encodeContent = (
  message: Message.User,
  subject: string,
  nameDocument: NameDocument,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> =>
  message.content.flatMap((part, index) => {
    const block = isMedia(part) ? encodeMedia(part, nameDocument) : undefined
    if (block !== undefined) return [block]
    if (isMedia(part)) {
      const reason = `The Converse API takes no ${part.mediaType} from this source; a note stands in its place.`
      losses.push(mediaLoss(subject, part, index, reason))
    }
    const text = ToolResult.toText({ id: "", name: "", isError: false, content: [part] })
    // An empty text is refused; one of a line end is taken.
    return text === "" ? [] : [{ text }]
  })

const encodeResultBlocks = (
  message: Message.Results,
  subject: string,
  idOf: (id: string) => string | undefined,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> =>
  message.results.flatMap((result, index) => {
    const id = idOf(result.id)
    if (id !== undefined) return [resultBlock(result, id, documentNames(id), losses)]
    losses.push(unpairedResult(subject, [index], result.id))
    return []
  })

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const calls = callPairs(formatName, idRule)
  return encodeTurnResults(turn, outcomes, {
    name: formatName,
    nameRule,
    calls,
    encodeParts: (context) => {
      const content = encodeParts(turn.parts, context, calls)
      return content.length === 0 ? [] : [{ role: "assistant", content }]
    },
    encodeResults: (results, losses) => {
      const content = results.map(({ part, result }) => {
        const id = calls.result(part.call.id) ?? part.call.id
        return resultBlock(result, id, documentNames(id), losses)
      })
      return content.length === 0 ? [] : [{ role: "user", content }]
    }
  })
}

const resultBlock = (
  result: ToolResult.ToolResult,
  toolUseId: string,
  nameDocument: NameDocument,
  losses: Array<Loss.Loss>
): Json.JsonObject => ({
  toolResult: {
    toolUseId,
    content: result.content.flatMap((part, index) => {
      const block = encodePart(part, result.isError, nameDocument)
      if (block !== undefined) return [block]
      if (isMedia(part)) {
        const reason = result.isError
          ? "Claude on Bedrock takes only text in a result that is an error; a note stands in its place."
          : `The Converse API takes no ${part.mediaType} from this source in a result; a note stands in its place.`
        losses.push(mediaLoss(result.name, part, index, reason))
      }
      return textBlock(part, result)
    }),
    status: result.isError ? "error" : "success"
  }
})

/** `undefined` for what is sent as text. */
const encodePart = (part: Content.Part, isError: boolean, nameDocument: NameDocument): Json.JsonObject | undefined => {
  // Claude takes only text in a result that is an error.
  if (isError || part._tag === "Text") return undefined
  if (part._tag === "JsonValue") {
    // Bedrock: "Provide a json object for the field"; a list or a number is sent as its JSON text.
    // The core has shown that a result is JSON.
    return Json.isObject(part.value) ? { json: part.value as Json.JsonObject } : undefined
  }
  // The API has audio in messages, not in results.
  return part.mediaType.startsWith("audio/") ? undefined : encodeMedia(part, nameDocument)
}

const textBlock = (part: Content.Part, result: ToolResult.ToolResult): ReadonlyArray<Json.JsonObject> => {
  const text = Result.toText({ ...result, content: [part] })
  // A blank text is refused; a value that is one is said as JSON, so that the model sees it.
  if (text.trim() !== "") return [{ text }]
  return part._tag === "JsonValue" || result.content.length === 1 ? [{ text: JSON.stringify(text) }] : []
}

const encodeParts = (
  parts: ReadonlyArray<Turn.Part>,
  context: Reencoding,
  pairs: CallPairs
): ReadonlyArray<Json.Json> => {
  const content = sendableParts(parts, context).flatMap((part): ReadonlyArray<Json.Json> => {
    if (part._tag === "Kept") return part.json
    // A blank text is refused.
    if (part._tag !== "Call") return part.text.trim() === "" ? [] : [{ text: part.text }]
    const input = argumentsOf(part, context.subject, context.losses)
    return [{ toolUse: { toolUseId: pairs.call(part), name: context.toNative(part.call.name), input } }]
  })
  const called = new Set(content.map(ownCallId))
  const answered = new Set(content.map((block) => fieldOf(block, "toolResult")?.["toolUseId"]))
  const sent = content.filter((block) => {
    const result = fieldOf(block, "toolResult")
    if (result !== undefined) return called.has(result["toolUseId"])
    const id = ownCallId(block)
    return id === undefined || answered.has(id)
  })
  // Claude: a message may not end with its reasoning.
  while (fieldOf(sent.at(-1), "reasoningContent") !== undefined) sent.pop()
  if (sent.length === 0 && isEmptyTurn(parts)) context.losses.push(emptyTurn(context.subject))
  return sent
}

/** The id of a call that Bedrock ran: without its result beside it, the API refuses it. */
const ownCallId = (block: Json.Json): unknown => {
  const call = fieldOf(block, "toolUse")
  return call?.["type"] === "server_tool_use" ? call["toolUseId"] : undefined
}

const fieldOf = (block: Json.Json | undefined, key: string): Fields | undefined =>
  Json.isObject(block) ? objectField(block, key) : undefined

type Formats = ReadonlyMap<string, string>

/** Media types by the API's words for them. */
const images: Formats = new Map(["png", "jpeg", "gif", "webp"].map((format) => [format, `image/${format}`]))

const documents: Formats = new Map([
  ["pdf", "application/pdf"],
  ["csv", "text/csv"],
  ["doc", "application/msword"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["xls", "application/vnd.ms-excel"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["html", "text/html"],
  ["txt", "text/plain"],
  ["md", "text/markdown"]
])

const videos: Formats = new Map([
  ["mp4", "video/mp4"],
  ["webm", "video/webm"],
  ["mov", "video/quicktime"],
  ["mkv", "video/x-matroska"],
  ["flv", "video/x-flv"],
  ["mpeg", "video/mpeg"],
  ["mpg", "video/mpg"],
  ["wmv", "video/x-ms-wmv"],
  ["three_gp", "video/3gpp"]
])

const audios: Formats = new Map([
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["ogg", "audio/ogg"],
  ["opus", "audio/opus"],
  ["aac", "audio/aac"],
  ["flac", "audio/flac"],
  ["mp4", "audio/mp4"],
  ["webm", "audio/webm"]
])

const kinds: ReadonlyArray<readonly [key: string, formats: Formats]> = [
  ["image", images],
  ["document", documents],
  ["video", videos],
  ["audio", audios]
]

/** `undefined` for a block of another kind, and for media in a form that has no words here. */
const decodeMedia = (block: Fields): Content.Image | Content.File | undefined => {
  for (const [key, formats] of kinds) {
    const media = objectField(block, key)
    if (media === undefined) continue
    const source = decodeSource(objectField(media, "source") ?? {})
    const mediaType = formats.get(stringField(media, "format") ?? "") ?? (key === "document" ? "*/*" : `${key}/*`)
    if (source === undefined) return undefined
    if (key === "image") return new Content.Image({ mediaType, source })
    const filename = stringField(media, "name")
    return new Content.File({ mediaType, source, ...(filename === undefined ? {} : { filename }) })
  }
  return undefined
}

const decodeSource = (source: Fields): Content.Source | undefined => {
  const data = stringField(source, "bytes")
  if (data !== undefined) return { _tag: "Base64", data }
  const text = stringField(source, "text")
  if (text !== undefined) return { _tag: "Base64", data: Encoding.encodeBase64(text) }
  const url = stringField(objectField(source, "s3Location") ?? {}, "uri")
  return url === undefined ? undefined : { _tag: "Url", url }
}

/** Gives every document of a request a name that the API takes. */
type NameDocument = (filename: string | undefined) => string

/** `undefined` where the API has no block for it. */
const encodeMedia = (part: Content.Image | Content.File, nameDocument: NameDocument): Json.JsonObject | undefined => {
  const source = encodeSource(part.source)
  if (source === undefined) return undefined
  const mediaType = part.mediaType.replace(/;.*$/, "").trim().toLowerCase()
  for (const [key, formats] of kinds) {
    if ((key === "image") !== (part._tag === "Image")) continue
    for (const [format, known] of formats) {
      if (known !== (aliases.get(mediaType) ?? mediaType)) continue
      const name = key === "document" && part._tag === "File" ? { name: nameDocument(part.filename) } : {}
      return { [key]: { format, ...name, source } }
    }
  }
  return undefined
}

const aliases: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["audio/mp3", "audio/mpeg"],
  ["audio/x-wav", "audio/wav"],
  ["text/x-markdown", "text/markdown"]
])

/** The API reads no address but Amazon's own. */
const encodeSource = (source: Content.Source): Json.JsonObject | undefined => {
  if (source._tag === "Base64") return { bytes: source.data }
  return source.url.startsWith("s3://") ? { s3Location: { uri: source.url } } : undefined
}

/**
 * Names for the documents of one request, each another, of the characters that the API takes. `salt` keeps apart those
 * of other messages.
 */
const documentNames = (salt = ""): NameDocument => {
  const taken = new Set<string>()
  const suffix = salt === "" ? "" : ` [${clean(salt).slice(-32)}]`
  return (filename) => {
    const base = clean(filename ?? "").slice(0, 140) || "Document"
    let name = `${base}${suffix}`
    for (let attempt = 2; taken.has(name); attempt++) name = `${base} (${attempt})${suffix}`
    taken.add(name)
    return name
  }
}

const clean = (text: string): string =>
  text
    .replaceAll(/[^a-zA-Z0-9\s\-()[\]]/g, "-")
    .replaceAll(/\s+/g, " ")
    .trim()
