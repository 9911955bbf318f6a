/** Anthropic's Messages API: requests, in Wield's words and back, and the results of calls. */
import type { Loss, Message, Outcome, Turn } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Json from "@wield/core/Json"
import * as ToolResult from "@wield/core/ToolResult"
import * as Result from "@wield/core/ToolResult"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type { WireError } from "../WireError.js"
import type { EncodedRequest, EncodedResults, Request } from "../WireFormat.js"
import { formatName, idRule, nameRule } from "./format.js"
import { decodeChoice, decodeTools, encodeTools } from "./tools.js"
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
import { argumentObject, isSameJson } from "../internal/json.js"
import { isMedia, mediaLoss, unpairedResult } from "../internal/losses.js"
import * as NameMap from "../NameMap.js"
import { decodeBlocks } from "../internal/partList.js"
import { type CallReader, asSent } from "../internal/tools.js"
import { type Fields, objectField, stringField, wireError } from "../internal/wireField.js"

export const decodeRequest = (body: unknown): Either.Either<Request, WireError> => {
  if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "a request body", body))
  const { messages: sent, system, tool_choice: choice, tools, ...others } = body
  const losses: Array<Loss.Loss> = []
  if (!Array.isArray(sent)) return Either.left(wireError(formatName, ["messages"], "an array of messages", sent))
  if (!(tools === undefined || tools === null || Array.isArray(tools))) {
    return Either.left(wireError(formatName, ["tools"], "an array of tools", tools))
  }
  const offered = decodeTools(tools ?? [], choice, losses)
  if (Either.isLeft(offered)) return Either.left(offered.left)
  const history = decodeMessages(sent, losses)
  if (Either.isLeft(history)) return Either.left(history.left)
  const instructions = decodeSystem(system, losses)

  // What definitions and options cannot say stands in the settings, so that it can be put back.
  const made = encodeTools(offered.right.definitions, offered.right.options).body
  const settings: Record<string, unknown> = { ...others }
  if (system !== undefined && instructions === undefined) settings["system"] = system
  if (tools !== undefined && !isSameJson(tools, made["tools"])) settings["tools"] = tools
  if (choice !== undefined && !isSameJson(choice, made["tool_choice"])) settings["tool_choice"] = choice
  return Either.right({
    messages: instructions === undefined ? history.right : [instructions, ...history.right],
    definitions: offered.right.definitions,
    options: offered.right.options,
    // A request's body is JSON.
    settings: { format: formatName, json: settings as Json.JsonObject },
    losses
  })
}

/** Undefined where it says nothing (`null`). */
const decodeSystem = (system: unknown, losses: Array<Loss.Loss>): Message.System | undefined => {
  if (typeof system !== "string" && !Array.isArray(system)) return undefined
  return {
    _tag: "System",
    text: textOf(decodeContent(system, "system", [], losses)),
    // A request's body is JSON.
    native: { format: formatName, json: [system as Json.Json] }
  }
}

/** Names in a request's history are those of its tools already. */
const reader: CallReader = { fromNative: (name) => name, readArguments: asSent }

export const decodeMessages = (
  messages: ReadonlyArray<unknown>,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<Message.Message>, WireError> => {
  const out: Array<Message.Message> = []
  const names = new Map<string, string>()
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    const path: Path = ["messages", index]
    const content = Json.isObject(message) ? message["content"] : undefined
    if (!Json.isObject(message) || !(typeof content === "string" || Array.isArray(content))) {
      return Either.left(wireError(formatName, path, "a message with content", message))
    }
    // A request's body is JSON.
    const native: Message.Native = { format: formatName, json: [message as Json.JsonObject] }
    const subject = `message ${index}`
    switch (message["role"]) {
      case "assistant": {
        const parts = decodeParts(content, path, subject, losses)
        if (Either.isLeft(parts)) return Either.left(parts.left)
        for (const part of parts.right) if (part._tag === "Call") names.set(part.call.id, part.call.name)
        out.push({ _tag: "Assistant", parts: parts.right, native })
        break
      }
      case "user":
        pushUser(out, decodeUser(content, subject, names, losses), native)
        break
      case "system":
        // Newer models take instructions in the midst of a conversation.
        out.push({ _tag: "System", text: textOf(decodeContent(content, subject, ["content"], losses)), native })
        break
      default:
        return Either.left(wireError(formatName, [...path, "role"], "user, assistant or system", message["role"]))
    }
  }
  return Either.right(out)
}

/** The text of instructions: of a system message, or of the body's `system`. */
export const textOf = (content: ReadonlyArray<Content.Part>): string =>
  content.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("\n\n")

interface UserSaid {
  readonly results: ReadonlyArray<ToolResult.ToolResult>
  readonly content: ReadonlyArray<Content.Part>
  readonly hasOther: boolean
}

const pushUser = (out: Array<Message.Message>, said: UserSaid, native: Message.Native): void => {
  if (said.results.length === 0) {
    out.push({ _tag: "User", content: said.content, native })
    return
  }
  const last = out.at(-1)
  if (last?._tag === "Results" && last.native !== undefined) {
    // The API takes user messages in a row for one.
    const json = [...last.native.json, ...native.json]
    out[out.length - 1] = { ...last, results: [...last.results, ...said.results], native: { ...native, json } }
  } else out.push({ _tag: "Results", results: said.results, native })
  if (said.hasOther) out.push({ _tag: "User", content: said.content, native: { ...native, json: [] } })
}

const decodeUser = (
  content: string | ReadonlyArray<unknown>,
  subject: string,
  names: ReadonlyMap<string, string>,
  losses: Array<Loss.Loss>
): UserSaid => {
  if (typeof content === "string") {
    return { results: [], content: decodeContent(content, subject, [], losses), hasOther: true }
  }
  const results: Array<ToolResult.ToolResult> = []
  const parts: Array<Content.Part> = []
  content.forEach((block, index) => {
    const path: Path = ["content", index]
    const id = Json.isObject(block) && block["type"] === "tool_result" ? stringField(block, "tool_use_id") : undefined
    if (id === undefined || !Json.isObject(block)) parts.push(...decodeContentBlock(block, subject, path, losses))
    else {
      losses.push(...unsaidFields(block, subject, path))
      results.push(decodeResult(block, id, names.get(id) ?? "", subject, path, losses))
    }
  })
  return { results, content: parts, hasOther: results.length < content.length }
}

const decodeResult = (
  block: Fields,
  id: string,
  name: string,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): ToolResult.ToolResult => ({
  id,
  name,
  isError: block["is_error"] === true,
  content: decodeContent(block["content"], subject, [...path, "content"], losses)
})

const decodeParts = (
  content: string | ReadonlyArray<unknown>,
  path: Path,
  subject: string,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<Turn.Part>, WireError> => {
  if (typeof content === "string") return Either.right([{ _tag: "Text", text: content }])
  return decodeBlocks(content, (block, index) => {
    const part = decodeBlock(block, [...path, "content", index], reader)
    if (Either.isRight(part)) {
      if (part.right === undefined) losses.push(unsaidBlock(block, subject, ["content", index]))
      else if (Json.isObject(block)) losses.push(...unsaidFields(block, subject, ["content", index]))
    }
    return part
  })
}

export const encodeRequest = (request: Request): EncodedRequest => {
  const losses: Array<Loss.Loss> = []
  const { system: noSystem, tool_choice, tools: noTools, ...settings } = settingsOf(request, formatName, losses)
  const offered = encodeTools(request.definitions, request.options)
  const names = NameMap.make(request.definitions, nameRule)
  const { messages, system } = encodeMessages(request.messages, names, losses)
  const { choice, isParallel } = request.options
  // As it was sent, where that is what the options still say.
  const isChoice = isSameJson(decodeChoice(tool_choice), {
    ...(choice === undefined ? {} : { choice }),
    ...(isParallel === undefined ? {} : { isParallel })
  })
  const body: { [key: string]: Json.Json } = { ...settings }
  if (system !== undefined) body["system"] = system
  else if (noSystem !== undefined) body["system"] = noSystem
  if (offered.body["tools"] === undefined && noTools !== undefined) body["tools"] = noTools
  Object.assign(body, offered.body)
  if (tool_choice !== undefined && isChoice) body["tool_choice"] = tool_choice
  return { body: { ...body, messages }, losses: [...losses, ...offered.losses] }
}

export interface EncodedMessages {
  readonly system: Json.Json | undefined
  readonly messages: ReadonlyArray<Json.Json>
}

export const encodeMessages = (
  conversation: ReadonlyArray<Message.Message>,
  names: NameMap.NameMap,
  losses: Array<Loss.Loss>
): EncodedMessages => {
  const messages = joinResults(conversation, formatName)
  const system = new SystemPrompt()
  const pairs = callPairs(formatName, idRule)
  const out: Array<Json.Json> = []
  /** The message re-encoded last, if nothing has been put behind it: results and what the user says to them are one. */
  let openUser: Array<Json.Json> | undefined
  const say = (blocks: ReadonlyArray<Json.Json>): void => {
    if (blocks.length === 0) return
    if (openUser !== undefined) openUser.push(...blocks)
    else out.push({ role: "user", content: (openUser = [...blocks]) })
  }
  messages.forEach((message, index) => {
    const subject = `message ${index}`
    const own = nativeJson(message, formatName)
    switch (message._tag) {
      case "System": {
        const [value] = own ?? []
        if (Json.isObject(value)) out.push(...(own ?? []))
        else {
          if (out.length > 0) losses.push(movedSystem(subject))
          system.add(value, message.text)
          return
        }
        break
      }
      case "User":
        // Its words stand in the message of the results before it.
        if (own?.length === 0 && saysMore(messages[index - 1])) return
        if (own === undefined || own.length === 0) return say(encodeUser(message.content, subject, losses))
        out.push(...own)
        break
      case "Results":
        if (own === undefined) return say(encodeResultBlocks(message.results, pairs, subject, losses))
        for (const result of message.results) pairs.result(result.id)
        out.push(...own)
        break
      case "Assistant": {
        if (own !== undefined) {
          for (const part of message.parts) if (part._tag === "Call") pairs.keep(part)
          out.push(...own)
        } else {
          const isPaired = pairedCalls(messages, index)
          out.push(
            ...encodeParts(
              message.parts,
              { format: formatName, subject, toNative: names.toNative, isPaired, losses },
              pairs
            )
          )
        }
        break
      }
    }
    openUser = undefined
  })
  return { system: system.value(), messages: out }
}

const saysMore = (before: Message.Message | undefined): boolean =>
  before?._tag === "Results" && before.native?.format === formatName

const movedSystem = (subject: string): Loss.Loss => ({
  subject,
  path: [],
  keyword: "system",
  reason: "Most of Anthropic's models take instructions at the beginning only: these are moved there."
})

const encodeUser = (
  content: ReadonlyArray<Content.Part>,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> =>
  content.flatMap((part, index) => {
    const block = encodeMedia(part)
    if (block !== undefined) return [block]
    if (isMedia(part)) {
      const reason = `Anthropic takes no ${part.mediaType} from this source; a note stands in its place.`
      losses.push(mediaLoss(subject, part, index, reason))
    }
    const text = Result.toText({ id: "", name: "", isError: false, content: [part] })
    // Anthropic: "text content blocks must be non-empty".
    return text === "" ? [] : [{ type: "text", text }]
  })

const encodeResultBlocks = (
  results: ReadonlyArray<ToolResult.ToolResult>,
  pairs: CallPairs,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> =>
  results.flatMap((result) => {
    const id = pairs.result(result.id)
    if (id !== undefined) return [encodeResult(result, id, losses)]
    losses.push(unpairedResult(subject, [result.id], result.id))
    return []
  })

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const calls = callPairs(formatName, idRule)
  return encodeTurnResults(turn, outcomes, {
    name: formatName,
    nameRule,
    calls,
    encodeParts: (context) => encodeParts(turn.parts, context, calls),
    encodeResults: (results, losses) => {
      const content = results.map(({ part, result }) =>
        encodeResult(result, calls.result(part.call.id) ?? part.call.id, losses)
      )
      return content.length === 0 ? [] : [{ role: "user", content }]
    }
  })
}

/** A result as a block, under the id by which the API knows its call. */
export const encodeResult = (
  result: ToolResult.ToolResult,
  nativeId: string,
  losses: Array<Loss.Loss>
): Json.JsonObject => {
  const block = { type: "tool_result", tool_use_id: nativeId, content: encodeContent(result, losses) }
  return result.isError ? { ...block, is_error: true } : block
}

const encodeContent = (result: ToolResult.ToolResult, losses: Array<Loss.Loss>): Json.Json => {
  const [only] = result.content
  if (result.content.length === 1 && only !== undefined && !isMedia(only)) return ToolResult.toText(result)
  return result.content.flatMap((part, index) => {
    // Anthropic: "all content must be type text if is_error is true".
    const block = result.isError ? undefined : encodeMedia(part)
    if (block !== undefined) return [block]
    if (isMedia(part)) {
      const reason = result.isError
        ? "Anthropic takes only text in a result that is an error; a note stands in its place."
        : `Anthropic takes no ${part.mediaType} from this source in a result; a note stands in its place.`
      losses.push(mediaLoss(result.name, part, index, reason))
    }
    const text = ToolResult.toText({ ...result, content: [part] })
    // Anthropic: "text content blocks must be non-empty".
    return text === "" ? [] : [{ type: "text", text }]
  })
}

/** One message, or none where nothing is left to say: Anthropic: "messages must have non-empty content". */
export const encodeParts = (
  parts: ReadonlyArray<Turn.Part>,
  context: Reencoding,
  pairs: CallPairs
): ReadonlyArray<Json.JsonObject> => {
  const content = sendableParts(parts, context).flatMap((part): ReadonlyArray<Json.Json> => {
    if (part._tag === "Kept") return part.json
    // Anthropic: "text content blocks must be non-empty".
    if (part._tag !== "Call") return part.text === "" ? [] : [{ type: "text", text: part.text }]
    const { arguments: sent, name } = part.call
    const input = argumentObject(sent) ?? { INVALID_JSON: valueText(sent) }
    return [{ type: "tool_use", id: pairs.call(part), name: context.toNative(name), input }]
  })
  const sent = sendable(content)
  if (sent.length > 0) return [{ role: "assistant", content: sent }]
  if (isEmptyTurn(parts)) context.losses.push(emptyTurn(context.subject))
  return []
}

/** Without what the API refuses: a call of its own without its result or the reverse, and reasoning at the end. */
const sendable = (content: ReadonlyArray<Json.Json>): ReadonlyArray<Json.Json> => {
  const called = new Set(content.map(ownCallId))
  const answered = new Set(content.map(answeredId))
  const sent = content.filter((block) => {
    const [id, answers] = [ownCallId(block), answeredId(block)]
    return (id === undefined || answered.has(id)) && (answers === undefined || called.has(answers))
  })
  while (isReasoning(sent.at(-1))) sent.pop()
  return sent
}

const ownCallId = (block: Json.Json): unknown =>
  Json.isObject(block) && (block["type"] === "server_tool_use" || block["type"] === "mcp_tool_use")
    ? block["id"]
    : undefined

const answeredId = (block: Json.Json): unknown => (Json.isObject(block) ? block["tool_use_id"] : undefined)

export const isReasoning = (block: Json.Json | undefined): boolean =>
  Json.isObject(block) && (block["type"] === "thinking" || block["type"] === "redacted_thinking")

const valueText = (value: unknown): string =>
  ToolResult.toText({ id: "", name: "", isError: false, content: [Content.json(value)] })

export class SystemPrompt {
  readonly #prompts: Array<{ readonly native: Json.Json | undefined; readonly text: string }> = []

  /** `native` is a `system` as it stood in a body, `undefined` for instructions from elsewhere. */
  add(native: Json.Json | undefined, text: string): void {
    if (native !== undefined || text !== "") this.#prompts.push({ native, text })
  }

  value(): Json.Json | undefined {
    const [first, ...others] = this.#prompts
    if (first === undefined) return undefined
    if (others.length === 0) return first.native ?? first.text
    return this.#prompts.flatMap(({ native, text }): ReadonlyArray<Json.Json> => {
      // `isArray` does not narrow a readonly array; only a list of blocks is one here.
      if (Array.isArray(native)) return native as ReadonlyArray<Json.Json>
      return text === "" ? [] : [{ type: "text", text }]
    })
  }
}

const imageTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

/** An image or document block; `undefined` for text, and for media that the API has no block for. */
export const encodeMedia = (part: Content.Part): Json.JsonObject | undefined => {
  if (part._tag === "Image") {
    return part.source._tag === "Url" || imageTypes.has(part.mediaType)
      ? { type: "image", source: encodeSource(part.mediaType, part.source) }
      : undefined
  }
  if (part._tag !== "File") return undefined
  const title = part.filename === undefined ? {} : { title: part.filename }
  if (part.mediaType === "application/pdf") {
    return { type: "document", source: encodeSource(part.mediaType, part.source), ...title }
  }
  if (part.mediaType.startsWith("text/") && part.source._tag === "Base64") {
    const text = Encoding.decodeBase64String(part.source.data)
    if (Either.isLeft(text)) return undefined
    // Plain text is sent as text; the API knows no other text type.
    return { type: "document", source: { type: "text", media_type: "text/plain", data: text.right }, ...title }
  }
  return undefined
}

const encodeSource = (mediaType: string, source: Content.Source): Json.JsonObject =>
  source._tag === "Url"
    ? { type: "url", url: source.url }
    : { type: "base64", media_type: mediaType, data: source.data }

/** What the fields of a block say here; all others are losses. */
const said: { readonly [type: string]: ReadonlySet<string> } = {
  text: new Set(["type", "text"]),
  image: new Set(["type", "source"]),
  document: new Set(["type", "source", "title"]),
  tool_result: new Set(["type", "tool_use_id", "content", "is_error"]),
  tool_use: new Set(["type", "id", "name", "input"]),
  // The signature goes with the block, which only the provider reads.
  thinking: new Set(["type", "thinking", "signature"]),
  redacted_thinking: new Set(["type", "data"])
}

export type Path = ReadonlyArray<string | number>

/** Fields of a block that have no words here. */
export const unsaidFields = (block: Fields, subject: string, path: Path): ReadonlyArray<Loss.Loss> => {
  const type = stringField(block, "type") ?? ""
  const known = Object.hasOwn(said, type) ? said[type] : undefined
  if (known === undefined) return []
  return Object.keys(block)
    .filter((key) => !known.has(key) && block[key] !== null && block[key] !== undefined)
    .map((keyword) => ({ subject, path, keyword, reason: "Kept for Anthropic's API only." }))
}

export const unsaidBlock = (block: unknown, subject: string, path: Path): Loss.Loss => ({
  subject,
  path,
  keyword: (Json.isObject(block) ? stringField(block, "type") : undefined) ?? "block",
  reason: "Kept for Anthropic's API only: there are no words for it here."
})

/** The content of a user message or a result: a string, or blocks. */
export const decodeContent = (
  content: unknown,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): ReadonlyArray<Content.Part> => {
  if (typeof content === "string") return [Content.text(content)]
  if (!Array.isArray(content)) return []
  return content.flatMap((block, index) => decodeContentBlock(block, subject, [...path, index], losses))
}

export const decodeContentBlock = (
  block: unknown,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): ReadonlyArray<Content.Part> => {
  const part = Json.isObject(block) ? partOf(block) : undefined
  if (part === undefined || !Json.isObject(block)) {
    losses.push(unsaidBlock(block, subject, path))
    return []
  }
  losses.push(...unsaidFields(block, subject, path))
  return [part]
}

const partOf = (block: Fields): Content.Part | undefined => {
  const source = objectField(block, "source") ?? {}
  switch (block["type"]) {
    case "text": {
      const text = stringField(block, "text")
      return text === undefined ? undefined : Content.text(text)
    }
    case "image": {
      const found = decodeSource(source)
      return found === undefined
        ? undefined
        : new Content.Image({ mediaType: stringField(source, "media_type") ?? "image/*", source: found })
    }
    case "document": {
      const text = source["type"] === "text" ? stringField(source, "data") : undefined
      const found: Content.Source | undefined =
        text === undefined ? decodeSource(source) : { _tag: "Base64", data: Encoding.encodeBase64(text) }
      const mediaType = stringField(source, "media_type") ?? (text === undefined ? "application/pdf" : "text/plain")
      const title = stringField(block, "title")
      return found === undefined
        ? undefined
        : new Content.File({ mediaType, source: found, ...(title === undefined ? {} : { filename: title }) })
    }
  }
  return undefined
}

/** `undefined` for files that lie with Anthropic, and for documents made of blocks. */
const decodeSource = (source: Fields): Content.Source | undefined => {
  const data = stringField(source, "data")
  if (source["type"] === "base64" && data !== undefined) return { _tag: "Base64", data }
  const url = stringField(source, "url")
  return source["type"] === "url" && url !== undefined ? { _tag: "Url", url } : undefined
}
