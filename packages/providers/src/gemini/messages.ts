/** Gemini's API: requests, in Wield's words and back, and the results of calls. */
import type { Loss, Message, Outcome, ToolDefinition, Turn } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Json from "@wield/core/Json"
import * as ToolResult from "@wield/core/ToolResult"
import * as Result from "@wield/core/ToolResult"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { EncodedRequest, EncodedResults, Request, ToolsOptions, WireFormat } from "../WireFormat.js"
import { formatName, nameRule } from "./format.js"
import { decodeToolConfig, decodeTools } from "./tools.js"
import { either, listOf, PartDecoder, unsaid } from "./turn.js"
import { type NamedCall, NamedCalls, pairedCalls } from "../internal/calls.js"
import {
  type Reencoding,
  isEmptyTurn,
  joinResults,
  nativeJson,
  encodeTurnResults,
  sendableParts,
  settingsOf
} from "../internal/history.js"
import { argumentObject, isSameJson } from "../internal/json.js"
import * as NameMap from "../NameMap.js"
import { PartList } from "../internal/partList.js"
import { type Fields, stringField, wireError } from "../internal/wireField.js"
import { mediaLoss } from "../internal/losses.js"

export const makeDecodeRequest =
  (encodeTools: WireFormat["encodeTools"]) =>
  (body: unknown): Either.Either<Request, WireError> => {
    if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "a request body", body))
    const { contents: sent, tools, toolConfig, ...others } = body
    const losses: Array<Loss.Loss> = []
    const contents = listOf(sent ?? "")
    if (contents === undefined) return Either.left(wireError(formatName, ["contents"], "an array of contents", sent))
    const offered = listOf(tools)
    if (offered === undefined) return Either.left(wireError(formatName, ["tools"], "an array of tools", tools))
    const definitions = decodeTools(offered, losses)
    if (Either.isLeft(definitions)) return Either.left(definitions.left)
    const options = decodeToolConfig(toolConfig ?? others["tool_config"])
    const history = decodeContents(contents, losses)
    if (Either.isLeft(history)) return Either.left(history.left)

    const instruction = decodeInstruction(others, losses)
    const settings: Record<string, unknown> = { ...others }
    if (instruction !== undefined) {
      delete settings[others["systemInstruction"] === undefined ? "system_instruction" : "systemInstruction"]
    }
    if (!Array.isArray(sent)) settings["contents"] = sent
    // What definitions and options cannot say stands in the settings, so that it can be put back.
    const made = encodeTools(definitions.right, options).body
    if (tools !== undefined && !isSameJson(tools, made["tools"])) settings["tools"] = tools
    const isSaid = !isSameJson(options, {}) && isSameJson(toolConfig, made["toolConfig"])
    if (toolConfig !== undefined && !isSaid) settings["toolConfig"] = toolConfig
    return Either.right({
      messages: instruction === undefined ? history.right : [instruction, ...history.right],
      definitions: definitions.right,
      options,
      // A request's body is JSON.
      settings: { format: formatName, json: settings as Json.JsonObject },
      losses
    })
  }

const decodeInstruction = (
  body: { readonly [key: string]: unknown },
  losses: Array<Loss.Loss>
): Message.System | undefined => {
  const value = body["systemInstruction"] ?? body["system_instruction"]
  const parts = Json.isObject(value) ? listOf(value["parts"]) : undefined
  if (parts === undefined) return undefined
  const content = parts.flatMap((part, index) => decodeContentPart(part, "system", ["parts", index], losses))
  return {
    _tag: "System",
    text: content.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("\n\n"),
    // A request's body is JSON.
    native: { format: formatName, json: [nativeInstruction(body) as Json.Json] }
  }
}

/** Names in a request's history are those of its tools already. */
const asSent = NameMap.make([], nameRule)

export const decodeContents = (
  contents: ReadonlyArray<unknown>,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<Message.Message>, WireError> => {
  const out: Array<Message.Message> = []
  // One for the whole conversation, so that the ids it makes are unique in it.
  const decoder = new PartDecoder(asSent, undefined)
  const waiting: Array<Turn.CallPart> = []
  for (let index = 0; index < contents.length; index++) {
    const content = contents[index]
    const parts = Json.isObject(content) ? listOf(content["parts"]) : undefined
    if (!Json.isObject(content) || parts === undefined) {
      return Either.left(wireError(formatName, ["contents", index], "a content with parts", content))
    }
    // A request's body is JSON.
    const native: Message.Native = { format: formatName, json: [content as Json.JsonObject] }
    const subject = `content ${index}`
    if (content["role"] === "model") {
      const said = decodeModel(parts, decoder, ["contents", index, "parts"], subject, losses)
      if (Either.isLeft(said)) return Either.left(said.left)
      for (const part of said.right) {
        if (part._tag === "Call" && part.executedBy === "application") waiting.push(part)
      }
      out.push({ _tag: "Assistant", parts: said.right, native })
    } else pushUser(out, parts, native, waiting, subject, losses)
  }
  return Either.right(out)
}

const decodeModel = (
  parts: ReadonlyArray<unknown>,
  decoder: PartDecoder,
  path: Path,
  subject: string,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<Turn.Part>, WireError> => {
  const list = new PartList()
  for (let index = 0; index < parts.length; index++) {
    const part: unknown = parts[index]
    const decoded = decoder.add(part, [...path, index])
    if (Either.isLeft(decoded)) return Either.left(decoded.left)
    const place = ["parts", index]
    if (!Json.isObject(part)) continue
    if (decoded.right !== undefined) {
      list.add(decoded.right)
      losses.push(...unsaidFields(part, subject, place))
      continue
    }
    // A request's body is JSON.
    list.addWordless(part as Json.JsonObject)
    // An empty text carries a signature, which only the provider reads.
    if (part["text"] !== "") losses.push(unsaid(subject, place, Object.keys(part)[0] ?? "part"))
  }
  return Either.right(list.parts)
}

const pushUser = (
  out: Array<Message.Message>,
  parts: ReadonlyArray<unknown>,
  native: Message.Native,
  waiting: Array<Turn.CallPart>,
  subject: string,
  losses: Array<Loss.Loss>
): void => {
  const results: Array<ToolResult.ToolResult> = []
  const content: Array<Content.Part> = []
  parts.forEach((part: unknown, index) => {
    const path: Path = ["parts", index]
    const response = Json.isObject(part) ? either(part, "functionResponse", "function_response") : undefined
    if (Json.isObject(response)) results.push(decodeResponse(response, waiting, subject, path, losses))
    else content.push(...decodeContentPart(part, subject, path, losses))
  })
  if (results.length === 0) {
    out.push({ _tag: "User", content, native })
    return
  }
  const last = out.at(-1)
  if (last?._tag === "Results" && last.native !== undefined) {
    // Some clients send a content for every response.
    const json = [...last.native.json, ...native.json]
    out[out.length - 1] = { ...last, results: [...last.results, ...results], native: { ...native, json } }
  } else out.push({ _tag: "Results", results, native })
  if (results.length < parts.length) out.push({ _tag: "User", content, native: { ...native, json: [] } })
}

const decodeResponse = (
  response: Fields,
  waiting: Array<Turn.CallPart>,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): ToolResult.ToolResult => {
  const nativeId = stringField(response, "id") ?? ""
  const name = stringField(response, "name") ?? ""
  const call = takeCall(waiting, nativeId, name)
  const media = listOf(response["parts"]) ?? []
  const inside = media.flatMap((part, index) => {
    const found = Json.isObject(part) ? decodeMedia(part) : undefined
    if (found === undefined) losses.push(unsaid(subject, [...path, "parts", index], "parts"))
    return found === undefined ? [] : [found]
  })
  for (const key of Object.keys(response)) {
    if (!["id", "name", "response", "parts"].includes(key)) losses.push(unsaid(subject, path, key))
  }
  const { isError, value } = valueOf(response["response"])
  const said = typeof value === "string" ? [Content.text(value)] : [Content.json(value)]
  return {
    id: call?.call.id ?? nativeId,
    name: call?.call.name ?? name,
    isError,
    content: [...said, ...inside],
    ...(typeof value === "string" || inside.length > 0 ? {} : { structured: value })
  }
}

/** By id; without an id by name, in the order of the calls. */
const takeCall = (waiting: Array<Turn.CallPart>, nativeId: string, name: string): Turn.CallPart | undefined => {
  const byId = nativeId === "" ? -1 : waiting.findIndex((part) => part.nativeId === nativeId)
  const index = byId === -1 ? waiting.findIndex((part) => part.nativeName === name) : byId
  return index === -1 ? undefined : waiting.splice(index, 1)[0]
}

/** `output` and `error` alone in a response are the result and the error details, as Gemini reads them. */
const valueOf = (response: unknown): { readonly isError: boolean; readonly value: unknown } => {
  const keys = Json.isObject(response) ? Object.keys(response) : []
  if (Json.isObject(response) && keys.length === 1) {
    if (keys[0] === "error") return { isError: true, value: response["error"] }
    if (keys[0] === "output") return { isError: false, value: response["output"] }
  }
  return { isError: false, value: response ?? null }
}

export const makeEncodeRequest =
  (encodeTools: WireFormat["encodeTools"]) =>
  (request: Request): EncodedRequest => {
    const losses: Array<Loss.Loss> = []
    const { contents: single, tool_config, toolConfig, tools, ...settings } = settingsOf(request, formatName, losses)
    const offered = encodeTools(request.definitions, request.options)
    const { contents, system } = encodeContents(
      request.messages,
      NameMap.make(request.definitions, nameRule),
      request.model,
      losses
    )
    const made: { [key: string]: Json.Json } = { ...offered.body }
    // Tools that are put back as they stood worked without the switch that new ones would need.
    if (isNative(request.definitions) && isSameJson(callingOf(request.options), {})) delete made["toolConfig"]
    // As it was sent, where that is what definitions and options still say.
    if (tools !== undefined && holds(tools, request.definitions)) made["tools"] = tools
    for (const [key, config] of Object.entries({ tool_config, toolConfig })) {
      if (config === undefined || !isSameJson(decodeToolConfig(config), callingOf(request.options))) continue
      delete made["toolConfig"]
      made[key] = config
    }
    // One content in place of a list goes back so, while nothing has been added to it.
    const sent = single !== undefined && isSameJson(contents, [single]) ? single : contents
    return { body: { ...settings, ...system, ...made, contents: sent }, losses: [...losses, ...offered.losses] }
  }

const isNative = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): boolean =>
  definitions.every(({ native }) => native?.format === formatName)

const callingOf = ({ choice, isStrict }: ToolsOptions): ToolsOptions => ({
  ...(choice === undefined ? {} : { choice }),
  ...(isStrict === undefined ? {} : { isStrict })
})

const holds = (tools: Json.Json, definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): boolean => {
  const held = Either.getOrElse(decodeTools(listOf(tools) ?? [], []), () => [])
  return isSameJson(
    held.map(({ native }) => native?.json),
    definitions.map(({ native }) => native?.json)
  )
}

export interface EncodedContents {
  /** The key of the body and its value, where there are instructions. */
  readonly system: Json.JsonObject
  readonly contents: ReadonlyArray<Json.Json>
}

export const encodeContents = (
  conversation: ReadonlyArray<Message.Message>,
  names: NameMap.NameMap,
  model: string | undefined,
  losses: Array<Loss.Loss>
): EncodedContents => {
  const messages = joinResults(conversation, formatName)
  const system = new SystemInstruction()
  const calls = new NamedCalls(formatName)
  const out: Array<Json.Json> = []
  messages.forEach((message, index) => {
    const subject = `message ${index}`
    const own = nativeJson(message, formatName)
    switch (message._tag) {
      case "System":
        if (out.length > 0)
          losses.push(
            lost(subject, "system", "Gemini takes instructions at the beginning only: these are moved there.")
          )
        system.add(own?.[0], message.text)
        break
      case "User": {
        // Its words stand in the content of the results before it.
        if (own?.length === 0 && saysMore(messages[index - 1])) break
        const parts = own === undefined || own.length === 0 ? encodeUser(message.content, subject, losses) : []
        if (parts.length > 0) out.push({ role: "user", parts })
        else out.push(...(own ?? []))
        break
      }
      case "Results": {
        const responses = message.results.flatMap((result) => {
          const call = calls.result(result.id)
          if (call !== undefined) return [{ ...call, result }]
          if (own === undefined) {
            losses.push(lost(subject, "result", `No call before it has the id ${result.id}; the result is left out.`))
          }
          return []
        })
        out.push(...(own ?? encodeResponses(responses, takesMediaInside(model), losses)))
        break
      }
      case "Assistant": {
        if (own !== undefined) {
          for (const part of message.parts) if (part._tag === "Call") calls.keep(part)
          out.push(...own)
          break
        }
        const isPaired = pairedCalls(messages, index)
        out.push(
          ...encodeParts(
            message.parts,
            { format: formatName, subject, toNative: names.toNative, isPaired, losses },
            calls
          )
        )
        break
      }
    }
  })
  return { system: system.value(), contents: out }
}

const saysMore = (before: Message.Message | undefined): boolean =>
  before?._tag === "Results" && before.native?.format === formatName

const lost = (subject: string, keyword: string, reason: string): Loss.Loss => ({ subject, path: [], keyword, reason })

const encodeUser = (
  content: ReadonlyArray<Content.Part>,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> =>
  content.map((part) => {
    const media = part._tag === "Image" || part._tag === "File" ? encodeMedia(part) : undefined
    if (media !== undefined) return media
    if (part._tag === "Image" || part._tag === "File") {
      losses.push(
        lost(
          subject,
          part._tag.toLowerCase(),
          "Gemini reads files from gs and https addresses only; a note stands in its place."
        )
      )
    }
    return { text: textOf([part]) }
  })

const textOf = (content: ReadonlyArray<Content.Part>): string =>
  Result.toText({ id: "", name: "", isError: false, content })

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const calls = new NamedCalls(formatName)
  const takesMedia = turn.format === formatName && takesMediaInside(turn.model)
  return encodeTurnResults(turn, outcomes, {
    name: formatName,
    nameRule,
    calls,
    encodeParts: (context) => encodeParts(turn.parts, context, calls),
    encodeResults: (results, losses) => {
      const responses = results.map(({ part, result }) => ({
        name: part.nativeName,
        nativeId: part.nativeId,
        ...calls.result(part.call.id),
        result
      }))
      return encodeResponses(responses, takesMedia, losses)
    }
  })
}

/** A result, and how its call stands in the history. */
export interface Response extends NamedCall {
  readonly result: ToolResult.ToolResult
}

/** Media inside of a response is refused before Gemini 3. */
export const takesMediaInside = (model: string | undefined): boolean => /gemini-([3-9]|\d\d)/.test(model ?? "")

/** The contents that hold these results: responses, and media behind them. */
export const encodeResponses = (
  results: ReadonlyArray<Response>,
  takesMedia: boolean,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> => {
  const responses: Array<Json.JsonObject> = []
  const behind: Array<Json.JsonObject> = []
  for (const { name, nativeId, result } of results) {
    const inside: Array<Json.JsonObject> = []
    const values: Array<Json.Json> = []
    for (const item of result.content) {
      if (item._tag === "Text") values.push(item.text)
      // The core has shown that a result is JSON. A void one is null (a result is never undefined).
      else if (item._tag === "JsonValue") values.push((item.value ?? null) as Json.Json)
      else {
        const data = encodeMedia(item)
        if (data !== undefined && takesMedia && isTakenInside(item)) inside.push(data)
        else if (data !== undefined) {
          const label = `File ${behind.filter((entry) => "text" in entry).length + 1}`
          values.push(`${label} (${item.mediaType}) follows the results.`)
          behind.push({ text: `${label}, from the result of ${name}:` }, data)
        } else values.push(linkInstead(item, result, losses))
      }
    }
    responses.push({
      functionResponse: {
        // One of ours would answer a call that Gemini's history does not have.
        ...(nativeId === undefined ? {} : { id: nativeId }),
        name,
        response: responseObject(values, result.isError),
        ...(inside.length === 0 ? {} : { parts: inside })
      }
    })
  }
  return [
    // Responses first and alone: Gemini counts them against the calls of the turn before.
    ...(responses.length === 0 ? [] : [{ role: "user", parts: responses }]),
    ...(behind.length === 0 ? [] : [{ role: "user", parts: behind }])
  ]
}

/** Gemini reads the keys `output` and `error` as result and error; any other object is the result itself. */
const responseObject = (values: ReadonlyArray<Json.Json>, isError: boolean): Json.JsonObject => {
  const [only] = values
  const value: Json.Json = values.length === 1 && only !== undefined ? only : values
  if (isError) return { error: value }
  return isJsonObject(value) && !("output" in value) && !("error" in value) ? value : { output: value }
}

const isJsonObject = (value: Json.Json): value is Json.JsonObject => Json.isObject(value)

/** What Gemini 3 documents for multimodal function responses; other media is refused there. */
const insideTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "application/pdf",
  "text/plain"
])

/** Only Vertex AI takes a URI inside a response, so it goes behind it for both. */
const isTakenInside = (item: Content.Image | Content.File): boolean =>
  item.source._tag === "Base64" && insideTypes.has(item.mediaType)

const linkInstead = (
  item: Content.Image | Content.File,
  result: ToolResult.ToolResult,
  losses: Array<Loss.Loss>
): string => {
  const reason = "Gemini reads files from gs and https addresses only; a note stands in its place."
  losses.push({ ...mediaLoss(result.name, item, 0, reason), path: [] })
  return `[a file of type ${item.mediaType} that this API cannot carry in a result]`
}

/** One content. */
export const encodeParts = (
  turn: ReadonlyArray<Turn.Part>,
  context: Reencoding,
  calls: NamedCalls
): ReadonlyArray<Json.JsonObject> => {
  const parts = sendableParts(turn, context).flatMap((part): ReadonlyArray<Json.Json> => {
    if (part._tag === "Kept") return part.json
    if (part._tag !== "Call") return part.text === "" ? [] : [{ text: part.text }]
    const { name, nativeId } = calls.call(part, context.toNative(part.call.name))
    const args = argumentObject(part.call.arguments) ?? { invalid_json: valueText(part.call.arguments) }
    return [{ functionCall: { ...(nativeId === undefined ? {} : { id: nativeId }), name, args } }]
  })
  // The API refuses a content without parts, and takes an empty text.
  if (parts.length === 0) return isEmptyTurn(turn) ? [{ role: "model", parts: [{ text: "" }] }] : []
  return [{ role: "model", parts: signed(parts) }]
}

/**
 * Gemini 3 refuses a turn whose first call has no signature of its own; this
 * one Google documents for history that comes from elsewhere.
 *
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures#faqs
 */
const signed = (parts: ReadonlyArray<Json.Json>): ReadonlyArray<Json.Json> => {
  const first = parts.findIndex((part) => Json.isObject(part) && "functionCall" in part)
  return parts.map((part, index) =>
    index === first && Json.isObject(part)
      ? { ...part, thoughtSignature: "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=" }
      : part
  )
}

const valueText = (value: unknown): string =>
  ToolResult.toText({ id: "", name: "", isError: false, content: [Content.json(value)] })

const snakeCase = "system_instruction"

export class SystemInstruction {
  readonly #prompts: Array<{ readonly native: Json.Json | undefined; readonly text: string }> = []

  add(native: Json.Json | undefined, text: string): void {
    if (native !== undefined || text !== "") this.#prompts.push({ native, text })
  }

  /** A key of the body with its value; no key where there are no instructions. */
  value(): Json.JsonObject {
    const [first, ...others] = this.#prompts
    if (first === undefined) return {}
    if (others.length > 0) return { systemInstruction: { parts: this.#prompts.map(({ text }) => ({ text })) } }
    const { native, text } = first
    if (native === undefined) return { systemInstruction: { parts: [{ text }] } }
    // Only an object has the key.
    return Json.isObject(native) && snakeCase in native ? (native as Json.JsonObject) : { systemInstruction: native }
  }
}

/** What a body states under either key, as it is kept. */
export const nativeInstruction = (body: { readonly [key: string]: unknown }): unknown =>
  body["systemInstruction"] ?? (Json.isObject(body[snakeCase]) ? { [snakeCase]: body[snakeCase] } : undefined)

export type Path = ReadonlyArray<string | number>

/** `undefined` for a URL that Gemini has no way to read. */
export const encodeMedia = (item: Content.Image | Content.File): Json.JsonObject | undefined => {
  if (item.source._tag === "Base64") return { inlineData: { mimeType: item.mediaType, data: item.source.data } }
  const { url } = item.source
  return /^(gs|https):\/\//.test(url) ? { fileData: { mimeType: item.mediaType, fileUri: url } } : undefined
}

/** Signatures go with the part, which only the provider reads. */
const said: ReadonlySet<string> = new Set(
  (
    "text thought thoughtSignature thought_signature inlineData inline_data fileData file_data " +
    "functionCall function_call functionResponse function_response executableCode executable_code toolCall tool_call"
  ).split(" ")
)

/** Fields of a part that have no words here. */
export const unsaidFields = (part: Fields, subject: string, path: Path): ReadonlyArray<Loss.Loss> =>
  Object.keys(part)
    .filter((key) => !said.has(key) && part[key] !== null)
    .map((keyword) => unsaid(subject, path, keyword))

/** What the user says in a part: text, an image, a file. */
export const decodeContentPart = (
  part: unknown,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): ReadonlyArray<Content.Part> => {
  if (!Json.isObject(part)) {
    losses.push(unsaid(subject, path, "part"))
    return []
  }
  const text = stringField(part, "text")
  const found = text === undefined ? decodeMedia(part) : Content.text(text)
  if (found === undefined) {
    losses.push(unsaid(subject, path, Object.keys(part)[0] ?? "part"))
    return []
  }
  losses.push(...unsaidFields(part, subject, path))
  return [found]
}

export const decodeMedia = (part: Fields): Content.Image | Content.File | undefined => {
  const inline = either(part, "inlineData", "inline_data")
  if (Json.isObject(inline)) {
    const data = stringField(inline, "data")
    return data === undefined ? undefined : mediaOf(inline, { _tag: "Base64", data: standardBase64(data) })
  }
  const file = either(part, "fileData", "file_data")
  if (!Json.isObject(file)) return undefined
  const url = either(file, "fileUri", "file_uri")
  return typeof url === "string" ? mediaOf(file, { _tag: "Url", url }) : undefined
}

const mediaOf = (blob: Fields, source: Content.Source): Content.Image | Content.File => {
  const stated = either(blob, "mimeType", "mime_type")
  const mediaType = typeof stated === "string" ? stated : "application/octet-stream"
  if (mediaType.startsWith("image/")) return new Content.Image({ mediaType, source })
  const name = either(blob, "displayName", "display_name")
  return new Content.File({ mediaType, source, ...(typeof name === "string" ? { filename: name } : {}) })
}

/** Google's clients write bytes in the alphabet for URLs, which other APIs refuse. */
const standardBase64 = (data: string): string => data.replaceAll("-", "+").replaceAll("_", "/")
