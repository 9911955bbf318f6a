/** Bedrock's Converse API: requests, in Wield's words and back, and the results of calls. */
import type { Json, Loss, Message, ToolResult, Turn } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type { WireError } from "../WireError.js"
import type { EncodedRequest, Request } from "../internal/contract.js"
import { fail, formatName, idRule, nameRule, table } from "./format.js"
import { decodeTools, encodeToolConfig } from "./tools.js"
import { decodeBlock } from "./turn.js"
import { type CallPairs, callPairs, pairedCalls, pairResults } from "../internal/calls.js"
import {
  type Reencoding,
  addUserMessage,
  emptyTurn,
  isEmptyTurn,
  isSaidBefore,
  joinResults,
  keepCalls,
  mergeResults,
  nativeJson,
  resultsEncoder,
  sendableParts,
  settingsOf,
  withoutBlankText,
  withoutUnpaired
} from "../internal/history.js"
import { argumentsOf, isMedia, keptLoss, loseFrom, mediaLoss } from "../internal/losses.js"
import * as NameMap from "../NameMap.js"
import { decodeBlocks } from "../internal/partList.js"
import { mediaTypeOf } from "../internal/media.js"
import { partText } from "../internal/resultText.js"
import { type CallReader, asSent } from "../internal/tools.js"
import {
  type Fields,
  type Path,
  isList,
  isObject,
  listField,
  objectField,
  statedKey,
  stringField
} from "../internal/wireField.js"

export const decodeRequest = (body: unknown): Either.Either<Request, WireError> =>
  Either.gen(function* () {
    if (!isObject(body)) return yield* fail([], "an object with messages", body)
    const { messages: sent, system, toolConfig, ...others } = body
    if (!isList(sent)) return yield* fail(["messages"], "an array of messages", sent)
    const { definitions, options, rest } = yield* decodeTools(toolConfig)
    const losses: Array<Loss.Loss> = []
    const { fromNative } = NameMap.make(definitions, nameRule)
    const reading: Reading = { reader: { fromNative, readArguments: asSent }, called: new Map(), losses }
    const messages: Array<Message.Message> = []
    const isSystem = isList(system) && system.length > 0
    if (isSystem) messages.push(decodeSystem(system, losses))
    for (const [index, message] of sent.entries()) yield* decodeMessage(message, index, messages, reading)
    const settings = {
      ...others,
      // Many clients send an empty list; that is no message.
      ...(system === undefined || isSystem ? {} : { system }),
      ...(rest === undefined ? {} : { toolConfig: rest })
    }
    const merged = mergeResults(messages, formatName)
    return { messages: merged, definitions, options, settings: { format: formatName, json: settings }, losses }
  })

const decodeSystem = (system: ReadonlyArray<Json.Json>, losses: Array<Loss.Loss>): Message.System => {
  const texts = system.flatMap((block, index) => {
    const text = stringField(block, "text")
    if (text === undefined) losses.push(keptBlock("system", [index], block))
    return text === undefined ? [] : [text]
  })
  return { _tag: "System", text: texts.join("\n\n"), native: { format: formatName, json: [system] } }
}

interface Reading {
  readonly reader: CallReader
  /** The names of the calls so far, by id. */
  readonly called: Map<string, string>
  readonly losses: Array<Loss.Loss>
}

const decodeMessage = (
  message: Json.Json,
  index: number,
  out: Array<Message.Message>,
  reading: Reading
): Either.Either<void, WireError> =>
  Either.gen(function* () {
    const path: Path = ["messages", index]
    if (!isObject(message)) return yield* fail(path, "a message", message)
    const { content, role } = message
    if (!isList(content)) return yield* fail([...path, "content"], "an array of content blocks", content)
    const native = { format: formatName, json: [message] }
    const subject = `message ${index}`
    if (role === "assistant") {
      const parts = yield* decodeParts(content, [...path, "content"], subject, reading)
      return void out.push({ _tag: "Assistant", parts, native })
    }
    if (role !== "user") return yield* fail([...path, "role"], "user or assistant", role)
    const results: Array<ToolResult.ToolResult> = []
    const said: Array<Content.Part> = []
    for (const [at, block] of content.entries()) {
      if (!isObject(block)) return yield* fail([...path, "content", at], "a content block", block)
      const result = objectField(block, "toolResult")
      if (result !== undefined) results.push(decodeResult(result, subject, at, reading))
      else said.push(...decodeContent(block, subject, ["content", at], reading.losses))
    }
    addUserMessage(out, results, { content: said, hasOther: said.length > 0 }, native)
  })

const decodeParts = (
  content: ReadonlyArray<Json.Json>,
  path: Path,
  subject: string,
  { called, losses, reader }: Reading
): Either.Either<ReadonlyArray<Turn.Part>, WireError> =>
  decodeBlocks(content, (block, at) => {
    const part = decodeBlock(block, [...path, at], reader)
    if (Either.isRight(part)) {
      if (part.right === undefined) losses.push(keptBlock(subject, ["content", at], block))
      else if (part.right._tag === "Call") called.set(part.right.call.id, part.right.call.name)
    }
    return part
  })

const decodeResult = (result: Fields, subject: string, at: number, reading: Reading): ToolResult.ToolResult => {
  const id = stringField(result, "toolUseId") ?? ""
  const content = listField(result, "content").flatMap((block, index) =>
    decodeContent(block, subject, ["content", at, "toolResult", "content", index], reading.losses)
  )
  const only = content.length === 1 ? content[0] : undefined
  return {
    id,
    name: reading.called.get(id) ?? "",
    isError: result["status"] === "error",
    content,
    ...(only?._tag === "JsonValue" ? { structured: only.value } : {})
  }
}

/** Nothing, and a loss, for what only the native message can say. */
const decodeContent = (
  block: Json.Json,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): ReadonlyArray<Content.Part> => {
  const text = stringField(block, "text")
  if (text !== undefined) return [Content.text(text)]
  const media = decodeMedia(block)
  if (media !== undefined) return [media]
  // Where nothing else is stated, `null` is the value.
  if (isObject(block) && block["json"] !== undefined) return [Content.json(block["json"])]
  losses.push(keptBlock(subject, path, block))
  // Text that a guardrail is to check: the model reads it as any other.
  const guarded = stringField(objectField(objectField(block, "guardContent"), "text"), "text")
  return guarded === undefined ? [] : [Content.text(guarded)]
}

const keptBlock = (subject: string, path: Path, block: Json.Json): Loss.Loss =>
  keptLoss(subject, path, statedKey(block) ?? "block")

export const encodeRequest = (request: Request): EncodedRequest => {
  const losses: Array<Loss.Loss> = []
  const settings = settingsOf(request, formatName, losses)
  const { system, messages } = encodeMessages(request, losses)
  const config = encodeToolConfig(request.definitions, request.options)
  losses.push(...config.losses)
  const body = {
    ...settings,
    ...(system.length === 0 ? {} : { system }),
    messages,
    ...(config.json === undefined ? {} : { toolConfig: { ...objectField(settings, "toolConfig"), ...config.json } })
  }
  return { body, losses }
}

/** A message of the body being written; one that was re-encoded may still grow, by its `content`. */
interface Written {
  readonly message: Json.Json
  readonly content: Array<Json.Json> | undefined
}

const encodeMessages = (
  request: Request,
  losses: Array<Loss.Loss>
): { readonly system: ReadonlyArray<Json.Json>; readonly messages: ReadonlyArray<Json.Json> } => {
  const { toNative } = NameMap.make(request.definitions, nameRule)
  const messages = joinResults(request.messages, formatName)
  const paired = pairedCalls(messages)
  const pairs = callPairs(formatName, idRule)
  const nameDocument = documentNames()
  const system: Array<Json.Json> = []
  const written: Array<Written> = []
  /** The content of the last message, which may grow from now on. */
  const openLast = (): Array<Json.Json> => {
    const { content, message } = written.at(-1) ?? {}
    if (content !== undefined || !isObject(message)) return content ?? []
    const grown = [...listField(message, "content")]
    written[written.length - 1] = { message: { ...message, content: grown }, content: grown }
    return grown
  }
  const say = (role: string, content: ReadonlyArray<Json.Json>): void => {
    if (content.length === 0) return
    // Roles have to alternate; results and what the user says beside them are one message.
    if (stringField(written.at(-1)?.message, "role") === role) {
      const grown = openLast()
      for (const block of content) grown.push(block)
    } else {
      const grown = [...content]
      written.push({ message: { role, content: grown }, content: grown })
    }
  }
  const put = (json: ReadonlyArray<Json.Json>): void => {
    for (const each of json) {
      const message = sayable(each)
      // Those before and behind it become one.
      if (message === undefined) {
        openLast()
        continue
      }
      const last = written.at(-1)
      const role = stringField(message, "role")
      if (last?.content !== undefined && role !== undefined && stringField(last.message, "role") === role) {
        say(role, listField(message, "content"))
      } else written.push({ message, content: undefined })
    }
  }
  for (const [index, message] of messages.entries()) {
    const native = nativeJson(message, formatName)
    const subject = `message ${index}`
    if (native !== undefined) keepCalls(message, pairs)
    switch (message._tag) {
      case "System":
        if (native !== undefined)
          for (const each of native.flatMap((value) => (isList(value) ? value : [value]))) system.push(each)
        else if (message.text !== "") {
          system.push({ text: message.text })
          if (written.length > 0) loseFrom(subject, losses)([], "system", movedSystem)
        }
        break
      case "User":
        if (native !== undefined && native.length > 0) put(native)
        else if (native === undefined || !isSaidBefore(messages, index, formatName)) {
          say("user", encodeContent(message, subject, nameDocument, losses))
        }
        break
      case "Assistant": {
        const isPaired = paired(index)
        const context = { format: formatName, subject, toNative, isPaired, losses }
        if (native === undefined) say("assistant", encodeParts(message.parts, context, pairs))
        else put(native)
        break
      }
      case "Results":
        if (native !== undefined) put(native)
        else {
          const write = (result: ToolResult.ToolResult, id: string) => resultBlock(result, id, losses)
          say("user", pairResults(message.results, { pairs, subject, losses }, write))
        }
    }
  }
  return { system, messages: written.map(({ message }) => message) }
}

const movedSystem = "The Converse API has instructions only before the conversation; they are put there."

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
    const text = partText(part)
    // An empty text is refused; one of a line end is taken.
    return text === "" ? [] : [{ text }]
  })

/**
 * A message of the model's as it stood, but for texts of blanks and reasoning at the end, which are refused; none where
 * it has nothing else.
 */
const sayable = (message: Json.Json): Json.Json | undefined => {
  if (stringField(message, "role") !== "assistant" || !isObject(message)) return message
  const sent = listField(message, "content")
  const content = withoutLastReasoning(withoutBlankText(sent))
  return content.length === sent.length ? message : content.length === 0 ? undefined : { ...message, content }
}

export const encodeResults = resultsEncoder(table, {
  makeCalls: () => callPairs(formatName, idRule),
  encodeOwn: ({ native, parts }, calls) => {
    for (const part of parts) if (part._tag === "Call") calls.keep(part)
    return native.flatMap((message) => sayable(message) ?? [])
  },
  encodeParts: (parts, context, calls) => {
    const content = encodeParts(parts, context, calls)
    return content.length === 0 ? [] : [{ role: "assistant", content }]
  },
  encodeResults: (results, calls, losses) => {
    const content = results.map(({ part, result }) =>
      resultBlock(result, calls.result(part.call.id) ?? part.call.id, losses)
    )
    return content.length === 0 ? [] : [{ role: "user", content }]
  }
})

const resultBlock = (result: ToolResult.ToolResult, toolUseId: string, losses: Array<Loss.Loss>): Json.JsonObject => {
  const nameDocument = documentNames(toolUseId)
  const content = result.content.flatMap((part, index) => {
    const block = encodePart(part, result.isError, nameDocument)
    if (block !== undefined) return [block]
    if (isMedia(part)) {
      const reason = result.isError
        ? "Claude on Bedrock takes only text in a result that is an error; a note stands in its place."
        : `The Converse API takes no ${part.mediaType} from this source in a result; a note stands in its place.`
      losses.push(mediaLoss(result.name, part, index, reason))
    }
    return textBlock(part, result)
  })
  return { toolResult: { toolUseId, content, status: result.isError ? "error" : "success" } }
}

/** `undefined` for what is sent as text. */
const encodePart = (part: Content.Part, isError: boolean, nameDocument: NameDocument): Json.JsonObject | undefined => {
  // Claude takes only text in a result that is an error.
  if (isError || part._tag === "Text") return undefined
  // Bedrock: "Provide a json object for the field"; a list or a number is sent as its JSON text.
  if (part._tag === "JsonValue") return isObject(part.value) ? { json: part.value } : undefined
  // The API has audio in messages, not in results.
  return part.mediaType.startsWith("audio/") ? undefined : encodeMedia(part, nameDocument)
}

const textBlock = (part: Content.Part, result: ToolResult.ToolResult): ReadonlyArray<Json.JsonObject> => {
  const text = partText(part)
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
  const sent = withoutLastReasoning(withoutUnpaired(content, ownCallId, answeredId))
  if (sent.length === 0 && isEmptyTurn(parts)) context.losses.push(emptyTurn(context.subject))
  return sent
}

/** Claude: a message may not end with its reasoning, as that of a turn does which ended while the model reasoned. */
const withoutLastReasoning = (content: ReadonlyArray<Json.Json>): ReadonlyArray<Json.Json> =>
  content.slice(0, content.findLastIndex((block) => objectField(block, "reasoningContent") === undefined) + 1)

/** The id of a call that Bedrock ran: without its result beside it, the API refuses it. */
const ownCallId = (block: Json.Json): string | undefined => {
  const call = objectField(block, "toolUse")
  return call?.["type"] === "server_tool_use" ? stringField(call, "toolUseId") : undefined
}

const answeredId = (block: Json.Json): string | undefined => stringField(objectField(block, "toolResult"), "toolUseId")

/** Media types by the API's words for them, for each kind of block. */
const kinds: ReadonlyArray<readonly [key: string, formats: { readonly [format: string]: string }]> = [
  ["image", { png: "image/png", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp" }],
  [
    "document",
    {
      pdf: "application/pdf",
      csv: "text/csv",
      doc: "application/msword",
      docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      xls: "application/vnd.ms-excel",
      xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      html: "text/html",
      txt: "text/plain",
      md: "text/markdown"
    }
  ],
  [
    "video",
    {
      mp4: "video/mp4",
      webm: "video/webm",
      mov: "video/quicktime",
      mkv: "video/x-matroska",
      flv: "video/x-flv",
      mpeg: "video/mpeg",
      mpg: "video/mpg",
      wmv: "video/x-ms-wmv",
      three_gp: "video/3gpp"
    }
  ],
  [
    "audio",
    {
      mp3: "audio/mpeg",
      wav: "audio/wav",
      ogg: "audio/ogg",
      opus: "audio/opus",
      aac: "audio/aac",
      flac: "audio/flac",
      mp4: "audio/mp4",
      webm: "audio/webm"
    }
  ]
]

/** `undefined` for a block of another kind, and for media in a form that has no words here. */
const decodeMedia = (block: Json.Json): Content.Image | Content.File | undefined => {
  for (const [key, formats] of kinds) {
    const media = objectField(block, key)
    if (media === undefined) continue
    const source = decodeSource(objectField(media, "source"))
    const format = stringField(media, "format") ?? ""
    const known = Object.hasOwn(formats, format) ? formats[format] : undefined
    const mediaType = known ?? (key === "document" ? "*/*" : `${key}/*`)
    if (source === undefined) return undefined
    if (key === "image") return new Content.Image({ mediaType, source })
    const filename = stringField(media, "name")
    return new Content.File({ mediaType, source, ...(filename === undefined ? {} : { filename }) })
  }
  return undefined
}

const decodeSource = (source: Fields | undefined): Content.Source | undefined => {
  const data = stringField(source, "bytes")
  if (data !== undefined) return { _tag: "Base64", data }
  const text = stringField(source, "text")
  if (text !== undefined) return { _tag: "Base64", data: Encoding.encodeBase64(text) }
  const url = stringField(objectField(source, "s3Location"), "uri")
  return url === undefined ? undefined : { _tag: "Url", url }
}

/** Gives every document of a request a name that the API takes. */
type NameDocument = (filename: string | undefined) => string

/** `undefined` where the API has no block for it. */
const encodeMedia = (part: Content.Image | Content.File, nameDocument: NameDocument): Json.JsonObject | undefined => {
  const source = encodeSource(part.source)
  if (source === undefined) return undefined
  const mediaType = mediaTypeOf(part)
  for (const [key, formats] of kinds) {
    if ((key === "image") !== (part._tag === "Image")) continue
    for (const [format, known] of Object.entries(formats)) {
      if (known !== mediaType) continue
      const name = key === "document" && part._tag === "File" ? { name: nameDocument(part.filename) } : {}
      return { [key]: { format, ...name, source } }
    }
  }
  return undefined
}

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
