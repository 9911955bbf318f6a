/**
 * Anthropic's Messages API: requests, in Wield's words and back, and the results of calls. Both ways stand in one file,
 * so that each part is written as it is read.
 */
import type { Json, Loss, Message, ToolDefinition, ToolResult, Turn } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type { WireError } from "../WireError.js"
import type { EncodedRequest, Request, WireFormat } from "../internal/contract.js"
import type { Encodable } from "../internal/format.js"
import { definitionsIn } from "../internal/found.js"
import { fail, formatName, idRule, nameRule, table } from "./format.js"
import { decodeChoice, decodeTools, encodeTools } from "./tools.js"
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
import { argumentObject, isSameJson } from "../internal/json.js"
import { type Lose, isMedia, loseFrom, mediaLoss } from "../internal/losses.js"
import * as NameMap from "../NameMap.js"
import { decodeBlocks } from "../internal/partList.js"
import { isFetched, plainType, readableImage } from "../internal/media.js"
import { instructionText, partText } from "../internal/resultText.js"
import { type CallReader, asSent } from "../internal/tools.js"
import { type Fields, type Path, isList, isObject, listField, objectField, stringField } from "../internal/wireField.js"

export const decodeRequest = (body: unknown): Either.Either<Request, WireError> =>
  Either.gen(function* () {
    if (!isObject(body)) return yield* fail([], "a request body", body)
    const { messages: sent, system, tool_choice: choice, tools, ...others } = body
    const losses: Array<Loss.Loss> = []
    if (!isList(sent)) return yield* fail(["messages"], "an array of messages", sent)
    if (!isList(tools ?? [])) return yield* fail(["tools"], "an array of tools", tools)
    const { definitions, options } = yield* decodeTools(isList(tools) ? tools : [], choice, losses)
    const history = yield* decodeMessages(sent, losses)
    const instructions = decodeSystem(system, loseFrom("system", losses))

    // What definitions and options cannot say stands in the settings, so that it can be put back.
    const made = encodeTools(definitions, options).body
    const settings: { [key: string]: Json.Json } = { ...others }
    if (system !== undefined && instructions === undefined) settings["system"] = system
    if (tools !== undefined && !isSameJson(tools, made["tools"])) settings["tools"] = tools
    if (choice !== undefined && !isSameJson(choice, made["tool_choice"])) settings["tool_choice"] = choice
    return {
      messages: instructions === undefined ? history : [instructions, ...history],
      definitions,
      options,
      settings: { format: formatName, json: settings },
      losses
    }
  })

/** Undefined where it says nothing (`null`). */
const decodeSystem = (system: Json.Json | undefined, lose: Lose): Message.System | undefined =>
  typeof system === "string" || isList(system)
    ? {
        _tag: "System",
        text: instructionText(decodeContent(system, [], lose)),
        native: { format: formatName, json: [system] }
      }
    : undefined

/** Names in a request's history are those of its tools already. */
const reader: CallReader = { fromNative: (name) => name, readArguments: asSent }

const decodeMessages = (
  messages: ReadonlyArray<Json.Json>,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<Message.Message>, WireError> =>
  Either.gen(function* () {
    const out: Array<Message.Message> = []
    const names = new Map<string, string>()
    for (const [index, message] of messages.entries()) {
      const path: Path = ["messages", index]
      const content = isObject(message) ? message["content"] : undefined
      if (!isObject(message) || !(typeof content === "string" || isList(content))) {
        return yield* fail(path, "a message with content", message)
      }
      const native: Message.Native = { format: formatName, json: [message] }
      const lose = loseFrom(`message ${index}`, losses)
      switch (message["role"]) {
        case "assistant": {
          const parts = yield* decodeParts(content, [...path, "content"], lose)
          for (const part of parts) if (part._tag === "Call") names.set(part.call.id, part.call.name)
          out.push({ _tag: "Assistant", parts, native })
          break
        }
        case "user":
          decodeUser(out, content, native, names, lose)
          break
        case "system":
          // Newer models take instructions in the midst of a conversation.
          out.push({ _tag: "System", text: instructionText(decodeContent(content, ["content"], lose)), native })
          break
        default:
          return yield* fail([...path, "role"], "user, assistant or system", message["role"])
      }
    }
    return mergeResults(out, formatName)
  })

const decodeUser = (
  out: Array<Message.Message>,
  blocks: string | ReadonlyArray<Json.Json>,
  native: Message.Native,
  names: ReadonlyMap<string, string>,
  lose: Lose
): void => {
  const results: Array<ToolResult.ToolResult> = []
  const content: Array<Content.Part> = []
  if (typeof blocks === "string") content.push(...decodeContent(blocks, [], lose))
  else {
    blocks.forEach((block, index) => {
      const path: Path = ["content", index]
      const id = isObject(block) && block["type"] === "tool_result" ? stringField(block, "tool_use_id") : undefined
      if (id === undefined || !isObject(block)) return void content.push(...decodeContentBlock(block, path, lose))
      loseFields(block, path, lose)
      results.push({
        id,
        name: names.get(id) ?? "",
        isError: block["is_error"] === true,
        content: decodeContent(block["content"], [...path, "content"], lose)
      })
    })
  }
  addUserMessage(out, results, { content, hasOther: results.length < blocks.length }, native)
}

const decodeParts = (
  content: string | ReadonlyArray<Json.Json>,
  path: Path,
  lose: Lose
): Either.Either<ReadonlyArray<Turn.Part>, WireError> => {
  if (typeof content === "string") return Either.right([{ _tag: "Text", text: content }])
  return decodeBlocks(content, (block, index) => {
    const part = decodeBlock(block, [...path, index], reader)
    if (Either.isRight(part)) {
      if (part.right === undefined) loseBlock(block, ["content", index], lose)
      else if (isObject(block)) loseFields(block, ["content", index], lose)
    }
    return part
  })
}

export const encodeRequest = (request: Encodable): EncodedRequest => {
  const losses: Array<Loss.Loss> = []
  const { system: noSystem, tool_choice, tools: noTools, ...settings } = settingsOf(request, formatName, losses)
  const { found = [], search } = request
  const offered = encodeTools(request.definitions, request.options, found)
  const names = NameMap.make([...request.definitions, ...found], nameRule)
  const sent = new Set(found.map(({ name }) => name))
  const references = (result: ToolResult.ToolResult): ReadonlyArray<Json.JsonObject> =>
    result.name !== search
      ? []
      : definitionsIn(result).flatMap(({ name }) =>
          sent.has(name) ? [{ type: "tool_reference", tool_name: names.toNative(name) }] : []
        )
  const written = { toNative: names.toNative, references, resolve: resolver(request.definitions, names.toNative, sent) }
  const { messages, system } = encodeMessages(request.messages, written, losses)
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
  return { body: { ...body, messages: sayable(messages) }, losses: [...losses, ...offered.losses] }
}

/** Messages without texts of blanks only and reasoning at the end, and without those that had nothing else. */
const sayable = (messages: ReadonlyArray<Json.Json>): ReadonlyArray<Json.Json> =>
  messages.flatMap((message): ReadonlyArray<Json.Json> => {
    if (!isObject(message)) return [message]
    const sent = message["content"]
    const content = typeof sent === "string" ? sent.trim() && sent : isList(sent) ? sayableBlocks(sent) : sent
    if (content === sent) return [message]
    return content === undefined || content === "" || (isList(content) && content.length === 0)
      ? []
      : [{ ...message, content }]
  })

const sayableBlocks = (blocks: ReadonlyArray<Json.Json>): ReadonlyArray<Json.Json> => {
  // A turn may have ended while the model reasoned, or before it wrote more than blanks.
  const said = withoutLastReasoning(withoutBlankText(blocks)).map((block) => {
    if (!isObject(block) || block["type"] !== "tool_result") return block
    const { content } = block
    if (typeof content === "string") return content === "" || content.trim() !== "" ? block : { ...block, content: "" }
    const inner = isList(content) ? withoutBlankText(content) : content
    return inner === undefined || inner === content ? block : { ...block, content: inner }
  })
  return said.length === blocks.length && said.every((block, index) => block === blocks[index]) ? blocks : said
}

interface Written extends Pick<NameMap.NameMap, "toNative"> {
  /** What a result says by referring to definitions that travel in `tools`. */
  readonly references: (result: ToolResult.ToolResult) => ReadonlyArray<Json.JsonObject>
  /** A message as the API has sent it, without references to tools that are no longer offered: it refuses them. */
  readonly resolve: (message: Json.Json) => Json.Json
}

const resolver = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  toNative: (name: string) => string,
  found: ReadonlySet<string>
): Written["resolve"] => {
  // What the tools of an MCP server are named, that server says.
  const isOpen = definitions.some(({ provider }) => provider?.id === `${formatName}.mcp_toolset`)
  if (isOpen) return (message) => message
  const names = new Set([...definitions.map(({ name }) => name), ...found].map(toNative))
  const isOffered = (reference: Json.Json) => {
    const name = stringField(reference, "tool_name")
    return name === undefined || names.has(name)
  }
  return (message) => {
    const blocks = listField(message, "content")
    const resolved = blocks.map((block): Json.Json => {
      const content = objectField(block, "content")
      const references = listField(content, "tool_references")
      return !isObject(block) || references.every(isOffered)
        ? block
        : { ...block, content: { ...content, tool_references: references.filter(isOffered) } }
    })
    return !isObject(message) || blocks.every((block, index) => block === resolved[index])
      ? message
      : { ...message, content: resolved }
  }
}

const encodeMessages = (
  conversation: ReadonlyArray<Message.Message>,
  { references, resolve, toNative }: Written,
  losses: Array<Loss.Loss>
): { readonly system: Json.Json | undefined; readonly messages: ReadonlyArray<Json.Json> } => {
  const messages = joinResults(conversation, formatName)
  const paired = pairedCalls(messages)
  const system: Array<Prompt> = []
  const pairs = callPairs(formatName, idRule)
  const out: Array<Json.Json> = []
  /** The message re-encoded last, if nothing has been put behind it: results and what the user says to them are one. */
  let openUser: Array<Json.Json> | undefined
  const say = (blocks: ReadonlyArray<Json.Json>): void => {
    if (blocks.length === 0) return
    if (openUser !== undefined) for (const block of blocks) openUser.push(block)
    else out.push({ role: "user", content: (openUser = [...blocks]) })
  }
  const put = (sent: ReadonlyArray<Json.Json>): void => {
    for (const each of sent) out.push(each)
    openUser = undefined
  }
  messages.forEach((message, index) => {
    const subject = `message ${index}`
    const own = nativeJson(message, formatName)
    if (own !== undefined) keepCalls(message, pairs)
    switch (message._tag) {
      case "System": {
        const native = own?.[0]
        if (own !== undefined && isObject(native)) return put(own)
        if (out.length > 0) loseFrom(subject, losses)([], "system", movedSystem)
        if (native !== undefined || message.text !== "") system.push({ native, text: message.text })
        return
      }
      case "User":
        // Its words stand in the message of the results before it.
        if (own?.length === 0 && isSaidBefore(messages, index, formatName)) return
        return own === undefined || own.length === 0 ? say(encodeUser(message.content, subject, losses)) : put(own)
      case "Results":
        if (own !== undefined) return put(own)
        return say(
          pairResults(message.results, { pairs, subject, losses }, (result, id) => {
            const found = references(result)
            return found.length === 0
              ? encodeResult(result, id, losses)
              : { type: "tool_result", tool_use_id: id, content: found }
          })
        )
      case "Assistant": {
        const isPaired = paired(index)
        return put(
          own?.map(resolve) ??
            encodeParts(message.parts, { format: formatName, subject, toNative, isPaired, losses }, pairs)
        )
      }
    }
  })
  return { system: joinPrompts(system), messages: out }
}

const movedSystem = "Most of Anthropic's models take instructions at the beginning only: these are moved there."

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
    return textBlock(partText(part))
  })

/** Anthropic: "text content blocks must be non-empty", and "must contain non-whitespace text". */
const textBlock = (text: string): ReadonlyArray<Json.JsonObject> => (text.trim() === "" ? [] : [{ type: "text", text }])

export const encodeResults: WireFormat["encodeResults"] = (turn, outcomes) => {
  const { messages, ...others } = encodeTurnAndResults(turn, outcomes)
  return { messages: sayable(messages), ...others }
}

const encodeTurnAndResults = resultsEncoder(table, {
  makeCalls: () => callPairs(formatName, idRule),
  encodeParts: (parts, context, calls) => encodeParts(parts, context, calls),
  encodeResults: (results, calls, losses) => {
    const content = results.map(({ part, result }) =>
      encodeResult(result, calls.result(part.call.id) ?? part.call.id, losses)
    )
    return content.length === 0 ? [] : [{ role: "user", content }]
  }
})

/** A result as a block, under the id by which the API knows its call. */
const encodeResult = (result: ToolResult.ToolResult, nativeId: string, losses: Array<Loss.Loss>): Json.JsonObject => {
  const block = { type: "tool_result", tool_use_id: nativeId, content: encodeContent(result, losses) }
  return result.isError ? { ...block, is_error: true } : block
}

const encodeContent = (result: ToolResult.ToolResult, losses: Array<Loss.Loss>): Json.Json => {
  const [only] = result.content
  if (result.content.length === 1 && only !== undefined && !isMedia(only)) return partText(only)
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
    return textBlock(partText(part))
  })
}

/** One message, or none where nothing is left to say: Anthropic: "messages must have non-empty content". */
const encodeParts = (
  parts: ReadonlyArray<Turn.Part>,
  context: Reencoding,
  pairs: CallPairs
): ReadonlyArray<Json.JsonObject> => {
  const content = sendableParts(parts, context).flatMap((part): ReadonlyArray<Json.Json> => {
    if (part._tag === "Kept") return part.json
    if (part._tag !== "Call") return textBlock(part.text)
    const { arguments: sent, name } = part.call
    const input = argumentObject(sent) ?? { INVALID_JSON: partText(Content.json(sent)) }
    return [{ type: "tool_use", id: pairs.call(part), name: context.toNative(name), input }]
  })
  const sent = withoutLastReasoning(withoutUnpaired(content, ownCallId, answeredId))
  if (sent.length > 0) return [{ role: "assistant", content: sent }]
  if (isEmptyTurn(parts)) context.losses.push(emptyTurn(context.subject))
  return []
}

/** Anthropic refuses reasoning at the end of a message. */
const withoutLastReasoning = (content: ReadonlyArray<Json.Json>): ReadonlyArray<Json.Json> =>
  content.slice(
    0,
    content.findLastIndex((block) => !/^(redacted_)?thinking$/.test(stringField(block, "type") ?? "")) + 1
  )

const ownCallId = (block: Json.Json): string | undefined =>
  /^(server|mcp)_tool_use$/.test(stringField(block, "type") ?? "") ? stringField(block, "id") : undefined

const answeredId = (block: Json.Json): string | undefined => stringField(block, "tool_use_id")

/** `native` is a `system` as it stood in a body, `undefined` for instructions from elsewhere. */
interface Prompt {
  readonly native: Json.Json | undefined
  readonly text: string
}

const joinPrompts = (prompts: ReadonlyArray<Prompt>): Json.Json | undefined => {
  const [first, ...others] = prompts
  if (first === undefined) return undefined
  const only = others.length === 0 ? (first.native ?? first.text) : undefined
  if (isList(only) && only.length === 0) return only
  if (only !== undefined && !isList(only))
    return typeof only === "string" && only !== "" && only.trim() === "" ? undefined : only
  const blocks = prompts.flatMap(({ native, text }) => (isList(native) ? withoutBlankText(native) : textBlock(text)))
  return blocks.length === 0 ? undefined : blocks
}

/** An image or document block; `undefined` for text, and for media that the API has no block for. */
const encodeMedia = (part: Content.Part): Json.JsonObject | undefined => {
  if (part._tag === "Image") {
    const image = readableImage(part)
    return image && { type: "image", source: encodeSource(image.mediaType, image.source) }
  }
  if (part._tag !== "File" || !isFetched(part.source)) return undefined
  const title = part.filename === undefined ? {} : { title: part.filename }
  const mediaType = plainType(part.mediaType)
  if (mediaType === "application/pdf") {
    return { type: "document", source: encodeSource(mediaType, part.source), ...title }
  }
  if (mediaType.startsWith("text/") && part.source._tag === "Base64") {
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

/** Fields of a block that have no words here. */
const loseFields = (block: Fields, path: Path, lose: Lose): void => {
  const type = stringField(block, "type") ?? ""
  const known = Object.hasOwn(said, type) ? said[type] : undefined
  if (known === undefined) return
  for (const [key, value] of Object.entries(block)) {
    if (!known.has(key) && value !== null) lose(path, key, "Kept for Anthropic's API only.")
  }
}

const loseBlock = (block: Json.Json, path: Path, lose: Lose): void =>
  lose(path, stringField(block, "type") ?? "block", "Kept for Anthropic's API only: there are no words for it here.")

/** The content of a user message or a result: a string, or blocks. */
const decodeContent = (content: Json.Json | undefined, path: Path, lose: Lose): ReadonlyArray<Content.Part> => {
  if (typeof content === "string") return [Content.text(content)]
  return isList(content) ? content.flatMap((block, index) => decodeContentBlock(block, [...path, index], lose)) : []
}

const decodeContentBlock = (block: Json.Json, path: Path, lose: Lose): ReadonlyArray<Content.Part> => {
  const part = isObject(block) ? partOf(block) : undefined
  if (part === undefined || !isObject(block)) loseBlock(block, path, lose)
  else loseFields(block, path, lose)
  return part === undefined ? [] : [part]
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
