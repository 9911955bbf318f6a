/**
 * Gemini's API: requests, in Wield's words and back, and the results of calls. Both ways stand in one file, so that
 * each part is written as it is read.
 */
import type { Loss, Message, ToolDefinition, ToolResult, Turn } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Content from "@wield/core/Content"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { EncodedRequest, Request, ToolsOptions, WireFormat } from "../internal/contract.js"
import { fail, formatName, nameRule, table } from "./format.js"
import { decodeToolConfig, decodeTools } from "./tools.js"
import { either, listOf, PartDecoder, unsaid } from "./turn.js"
import { type NamedCall, applicationCalls, NamedCalls, pairedCalls, UnansweredCalls } from "../internal/calls.js"
import {
  type Reencoding,
  addUserMessage,
  isEmptyTurn,
  isSaidBefore,
  joinResults,
  mergeResults,
  keepCalls,
  nativeJson,
  resultsEncoder,
  sendableParts,
  settingsOf
} from "../internal/history.js"
import { argumentObject, isSameJson } from "../internal/json.js"
import { type Lose, isMedia, loseFrom, lossOf } from "../internal/losses.js"
import { needsSignature } from "../Maker.js"
import * as NameMap from "../NameMap.js"
import { PartList } from "../internal/partList.js"
import { imageAmong, plainType } from "../internal/media.js"
import { instructionText, partText } from "../internal/resultText.js"
import { type Fields, type Path, isList, isObject, statedKey, stringField } from "../internal/wireField.js"

export const makeDecodeRequest =
  (encodeTools: WireFormat["encodeTools"]) =>
  (body: unknown): Either.Either<Request, WireError> =>
    Either.gen(function* () {
      if (!isObject(body)) return yield* fail([], "a request body", body)
      const { contents: sent, tools, toolConfig, ...others } = body
      const losses: Array<Loss.Loss> = []
      const contents = listOf(sent ?? "")
      if (contents === undefined) return yield* fail(["contents"], "an array of contents", sent)
      const offered = listOf(tools)
      if (offered === undefined) return yield* fail(["tools"], "an array of tools", tools)
      const definitions = yield* decodeTools(offered, losses)
      const options = decodeToolConfig(toolConfig ?? others["tool_config"])
      const history = yield* decodeContents(contents, losses)

      const instruction = decodeInstruction(others, loseFrom("system", losses))
      const settings: { [key: string]: Json.Json } = { ...others }
      if (instruction !== undefined) {
        delete settings[(others["systemInstruction"] ?? null) === null ? "system_instruction" : "systemInstruction"]
      }
      if (sent !== undefined && !isList(sent)) settings["contents"] = sent
      // What definitions and options cannot say stands in the settings, so that it can be put back.
      const made = encodeTools(definitions, options).body
      if (tools !== undefined && !isSameJson(tools, made["tools"])) settings["tools"] = tools
      const isSaid = !isSameJson(options, {}) && isSameJson(toolConfig, made["toolConfig"])
      if (toolConfig !== undefined && !isSaid) settings["toolConfig"] = toolConfig
      return {
        messages: instruction === undefined ? history : [instruction, ...history],
        definitions,
        options,
        settings: { format: formatName, json: settings },
        losses
      }
    })

const decodeInstruction = (body: Fields, lose: Lose): Message.System | undefined => {
  const value = body["systemInstruction"] ?? body["system_instruction"]
  const parts = isObject(value) ? listOf(value["parts"]) : undefined
  const native = nativeInstruction(body)
  if (parts === undefined || native === undefined) return undefined
  const content = parts.flatMap((part, index) => decodeContentPart(part, ["parts", index], lose))
  return { _tag: "System", text: instructionText(content), native: { format: formatName, json: [native] } }
}

/** Names in a request's history are those of its tools already. */
const asSent = NameMap.make([], nameRule)

const decodeContents = (
  contents: ReadonlyArray<Json.Json>,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<Message.Message>, WireError> =>
  Either.gen(function* () {
    const out: Array<Message.Message> = []
    // One for the whole conversation, so that the ids it makes are unique in it.
    const decoder = new PartDecoder(asSent, undefined)
    const waiting = new UnansweredCalls()
    for (const [index, content] of contents.entries()) {
      const parts = isObject(content) ? listOf(content["parts"]) : undefined
      if (!isObject(content) || parts === undefined) {
        return yield* fail(["contents", index], "a content with parts", content)
      }
      const native: Message.Native = { format: formatName, json: [content] }
      const lose = loseFrom(`content ${index}`, losses)
      if (content["role"] === "model") {
        const said = yield* decodeModel(parts, decoder, ["contents", index, "parts"], lose)
        waiting.add(applicationCalls(said))
        out.push({ _tag: "Assistant", parts: said, native })
      } else decodeUser(out, parts, native, waiting, lose)
    }
    return mergeResults(out, formatName)
  })

const decodeModel = (
  parts: ReadonlyArray<Json.Json>,
  decoder: PartDecoder,
  path: Path,
  lose: Lose
): Either.Either<ReadonlyArray<Turn.Part>, WireError> => {
  const list = new PartList()
  for (const [index, part] of parts.entries()) {
    const decoded = decoder.add(part, [...path, index])
    if (Either.isLeft(decoded)) return Either.left(decoded.left)
    const place = ["parts", index]
    if (!isObject(part)) continue
    if (decoded.right !== undefined) {
      list.add(decoded.right)
      loseFields(part, place, lose)
      continue
    }
    list.addWordless(part)
    // An empty text carries a signature, which only the provider reads.
    if (part["text"] !== "") lose(place, statedKey(part) ?? "part", unsaid)
  }
  return Either.right(list.parts)
}

const decodeUser = (
  out: Array<Message.Message>,
  parts: ReadonlyArray<Json.Json>,
  native: Message.Native,
  waiting: UnansweredCalls,
  lose: Lose
): void => {
  const results: Array<ToolResult.ToolResult> = []
  const content: Array<Content.Part> = []
  parts.forEach((part, index) => {
    const path: Path = ["parts", index]
    const response = either(part, "functionResponse", "function_response")
    if (isObject(response)) results.push(decodeResponse(response, waiting, path, lose))
    else content.push(...decodeContentPart(part, path, lose))
  })
  addUserMessage(out, results, { content, hasOther: results.length < parts.length }, native)
}

const decodeResponse = (response: Fields, waiting: UnansweredCalls, path: Path, lose: Lose): ToolResult.ToolResult => {
  const nativeId = stringField(response, "id") ?? ""
  const name = stringField(response, "name") ?? ""
  // By its id; without one, by name, in the order of the calls.
  const byId = nativeId === "" ? undefined : waiting.take(nativeId, undefined)
  const call = byId ?? waiting.take(undefined, name)
  const inside = (listOf(response["parts"]) ?? []).flatMap((part, index) => {
    const found = decodeMedia(part)
    if (found === undefined) lose([...path, "parts", index], "parts", unsaid)
    return found === undefined ? [] : [found]
  })
  for (const key of Object.keys(response)) {
    if (!["id", "name", "response", "parts"].includes(key)) lose(path, key, unsaid)
  }
  const { isError, value } = valueOf(response["response"])
  const said = typeof value === "string" ? Content.text(value) : Content.json(value)
  return {
    id: call?.call.id ?? nativeId,
    name: call?.call.name ?? name,
    isError,
    content: [said, ...inside],
    ...(said._tag === "Text" || inside.length > 0 ? {} : { structured: value })
  }
}

/** `output` and `error` alone in a response are the result and the error details, as Gemini reads them. */
const valueOf = (response: Json.Json = null): { readonly isError: boolean; readonly value: Json.Json } => {
  const [[key, value] = ["", null], ...others] = isObject(response) ? Object.entries(response) : []
  const isSaid = others.length === 0 && (key === "error" || key === "output")
  return isSaid ? { isError: key === "error", value } : { isError: false, value: response }
}

export const makeEncodeRequest =
  (encodeTools: WireFormat["encodeTools"]) =>
  (request: Request): EncodedRequest => {
    const losses: Array<Loss.Loss> = []
    const { contents: single, tool_config, toolConfig, tools, ...settings } = settingsOf(request, formatName, losses)
    const offered = encodeTools(request.definitions, request.options)
    const { contents, system } = encodeContents(request, losses)
    const made: { [key: string]: Json.Json } = { ...offered.body }
    // Tools that are put back as they stood worked without the switch that new ones would need.
    if (isNative(request.definitions) && isSameJson(callingOf(request.options), {})) delete made["toolConfig"]
    if (/(^|[-.])aiplatform\.googleapis\.com(:\d+)?$/.test(request.host ?? "")) {
      const config = withoutServerSide(made["toolConfig"])
      if (config === undefined) delete made["toolConfig"]
      else made["toolConfig"] = config
    }
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

/** Vertex AI refuses the switch that Gemini's own API demands: "Unknown name includeServerSideToolInvocations". */
const withoutServerSide = (config: Json.Json | undefined): Json.Json | undefined => {
  if (!isObject(config)) return config
  const { includeServerSideToolInvocations: _, ...rest } = config
  return Object.keys(rest).length === 0 ? undefined : rest
}

const isNative = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): boolean =>
  definitions.every(({ native }) => native?.format === formatName)

const callingOf = ({ choice, isStrict }: ToolsOptions): ToolsOptions => Json.withoutUndefined({ choice, isStrict })

const holds = (tools: Json.Json, definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): boolean => {
  const held = Either.getOrElse(decodeTools(listOf(tools) ?? [], []), () => [])
  return isSameJson(
    held.map(({ native }) => native?.json),
    definitions.map(({ native }) => native?.json)
  )
}

const encodeContents = (
  request: Request,
  losses: Array<Loss.Loss>
): {
  /** The key of the body and its value, where there are instructions. */
  readonly system: Json.JsonObject
  readonly contents: ReadonlyArray<Json.Json>
} => {
  const { toNative } = NameMap.make(request.definitions, nameRule)
  const messages = joinResults(request.messages, formatName)
  const paired = pairedCalls(messages)
  const prompts: Array<Prompt> = []
  const calls = new NamedCalls(formatName)
  const out: Array<Json.Json> = []
  messages.forEach((message, index) => {
    const subject = `message ${index}`
    const lose = loseFrom(subject, losses)
    const own = nativeJson(message, formatName)
    if (own !== undefined) keepCalls(message, calls)
    switch (message._tag) {
      case "System":
        if (out.length > 0) lose([], "system", movedSystem)
        if (own !== undefined || message.text !== "") prompts.push({ native: own?.[0], text: message.text })
        break
      case "User": {
        // Its words stand in the content of the results before it.
        if (own?.length === 0 && isSaidBefore(messages, index, formatName)) break
        const parts = own === undefined || own.length === 0 ? encodeUser(message.content, lose) : []
        if (parts.length > 0) out.push({ role: "user", parts })
        else for (const each of own ?? []) out.push(each)
        break
      }
      case "Results": {
        const responses = (own === undefined ? message.results : []).flatMap((result) => {
          const call = calls.result(result.id)
          if (call !== undefined) return [{ ...call, result }]
          lose([], "result", `No call before it has the id ${result.id}; the result is left out.`)
          return []
        })
        for (const each of own ?? encodeResponses(responses, takesMediaInside(request.model), losses)) out.push(each)
        break
      }
      case "Assistant": {
        const isPaired = paired(index)
        const context = { format: formatName, subject, toNative, isPaired, losses }
        {
          const sent = own === undefined ? encodeParts(message.parts, context, calls) : ownContents(own, request.model)
          for (const each of sent) out.push(each)
        }
      }
    }
  })
  return { system: joinPrompts(prompts), contents: out }
}

const movedSystem = "Gemini takes instructions at the beginning only: these are moved there."

const unreadable =
  "Gemini reads images in PNG, JPEG, WebP, HEIC and HEIF, and files from gs and https addresses only; a note stands in " +
  "its place."

const encodeUser = (content: ReadonlyArray<Content.Part>, lose: Lose): ReadonlyArray<Json.JsonObject> =>
  content.map((part) => {
    const media = isMedia(part) ? encodeMedia(part) : undefined
    if (media !== undefined) return media
    if (isMedia(part)) lose([], part._tag.toLowerCase(), unreadable)
    return { text: partText(part) }
  })

export const encodeResults = resultsEncoder(table, {
  makeCalls: () => new NamedCalls(formatName),
  encodeParts: (parts, context, calls) => encodeParts(parts, context, calls),
  encodeResults: (results, calls, losses, turn) => {
    const responses = results.map(({ part, result }) => ({
      name: part.nativeName,
      nativeId: part.nativeId,
      ...calls.result(part.call.id),
      result
    }))
    return encodeResponses(responses, turn.format === formatName && takesMediaInside(turn.model), losses)
  }
})

/** A result, and how its call stands in the history. */
interface Response extends NamedCall {
  readonly result: ToolResult.ToolResult
}

/** Media inside of a response is refused before Gemini 3. */
const takesMediaInside = (model: string | undefined): boolean => /gemini-([3-9]|\d\d)/.test(model ?? "")

/** The contents that hold these results: responses, and media behind them. */
const encodeResponses = (
  results: ReadonlyArray<Response>,
  takesMedia: boolean,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.JsonObject> => {
  const responses: Array<Json.JsonObject> = []
  /** A label before each file. */
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
          const label = `File ${behind.length / 2 + 1}`
          values.push(`${label} (${item.mediaType}) follows the results.`)
          behind.push({ text: `${label}, from the result of ${name}:` }, data)
        } else {
          losses.push(lossOf(result.name, [], item._tag.toLowerCase(), unreadable))
          values.push(`[a file of type ${item.mediaType} that this API cannot carry in a result]`)
        }
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
  const sent: Json.Json = values.length === 1 && only !== undefined ? only : values
  // Gemini looks for a file of the name that `$ref` has, and refuses the request: as text it is only read.
  const value = holdsReference(sent) ? JSON.stringify(sent) : sent
  if (isError) return { error: value }
  return isObject(value) && !("output" in value) && !("error" in value) ? value : { output: value }
}

const holdsReference = (value: Json.Json): boolean =>
  typeof value === "object" &&
  value !== null &&
  (Object.hasOwn(value, "$ref") || Object.values(value).some(holdsReference))

/** What Gemini 3 documents for multimodal function responses; other media is refused there. */
const insideTypes: ReadonlySet<string> = new Set(
  "image/png image/jpeg image/webp application/pdf text/plain".split(" ")
)

/** Only Vertex AI takes a URI inside a response, so it goes behind it for both. */
const isTakenInside = (item: Content.Image | Content.File): boolean =>
  item.source._tag === "Base64" && insideTypes.has(plainType(item.mediaType))

/** One content. */
const encodeParts = (
  turn: ReadonlyArray<Turn.Part>,
  context: Reencoding,
  calls: NamedCalls
): ReadonlyArray<Json.JsonObject> => {
  const parts = sendableParts(turn, context).flatMap((part): ReadonlyArray<Json.Json> => {
    if (part._tag === "Kept") return part.json
    if (part._tag !== "Call") return part.text === "" ? [] : [{ text: part.text }]
    const { name, nativeId } = calls.call(part, context.toNative(part.call.name))
    const args = argumentObject(part.call.arguments) ?? { invalid_json: partText(Content.json(part.call.arguments)) }
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
  const first = parts.findIndex((part) => isObject(either(part, "functionCall", "function_call")))
  return parts.map((part, index) =>
    index === first && isObject(part) && either(part, "thoughtSignature", "thought_signature") === undefined
      ? { ...part, thoughtSignature: "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=" }
      : part
  )
}

/** A turn of Gemini 2.5 that was stored before turns named their maker has no signature either. */
const ownContents = (own: ReadonlyArray<Json.Json>, model: string | undefined): ReadonlyArray<Json.Json> =>
  needsSignature(model ?? "") ? own.map(withSignature) : own

const withSignature = (content: Json.Json): Json.Json => {
  const parts = isObject(content) ? listOf(content["parts"]) : undefined
  return isObject(content) && parts !== undefined ? { ...content, parts: signed(parts) } : content
}

/** `native` is what a body stated, `undefined` for instructions from elsewhere. */
interface Prompt {
  readonly native: Json.Json | undefined
  readonly text: string
}

const snakeCase = "system_instruction"

/** A key of the body with its value; no key where there are no instructions. */
const joinPrompts = (prompts: ReadonlyArray<Prompt>): Json.JsonObject => {
  const [first, ...others] = prompts
  if (first === undefined) return {}
  const { native } = first
  if (native === undefined || others.length > 0) {
    return { systemInstruction: { parts: prompts.map(({ text }) => ({ text })) } }
  }
  return isObject(native) && snakeCase in native ? native : { systemInstruction: native }
}

/** What a body states under either key, as it is kept. */
const nativeInstruction = (body: Fields): Json.Json | undefined =>
  body["systemInstruction"] ?? (isObject(body[snakeCase]) ? { [snakeCase]: body[snakeCase] } : undefined)

/** `undefined` for a URL that Gemini has no way to read. */
const encodeMedia = (item: Content.Image | Content.File): Json.JsonObject | undefined => {
  const known = item._tag === "Image" ? imageAmong(imageTypes, item) : item
  if (known === undefined) return undefined
  const { mediaType, source } = known
  if (source._tag === "Base64") return { inlineData: { mimeType: mediaType, data: source.data } }
  return /^(gs|https):\/\//.test(source.url) ? { fileData: { mimeType: mediaType, fileUri: source.url } } : undefined
}

/** The image formats that its guide of images names. */
const imageTypes: ReadonlySet<string> = new Set("image/png image/jpeg image/webp image/heic image/heif".split(" "))

/** Signatures go with the part, which only the provider reads. */
const said: ReadonlySet<string> = new Set(
  (
    "text thought thoughtSignature thought_signature inlineData inline_data fileData file_data " +
    "functionCall function_call functionResponse function_response executableCode executable_code toolCall tool_call"
  ).split(" ")
)

/** Fields of a part that have no words here. */
const loseFields = (part: Fields, path: Path, lose: Lose): void => {
  for (const [key, value] of Object.entries(part)) if (!said.has(key) && value !== null) lose(path, key, unsaid)
}

/** What the user says in a part: text, an image, a file. */
const decodeContentPart = (part: Json.Json, path: Path, lose: Lose): ReadonlyArray<Content.Part> => {
  const text = stringField(part, "text")
  const found = text === undefined ? decodeMedia(part) : Content.text(text)
  if (found === undefined || !isObject(part)) {
    lose(path, statedKey(part) ?? "part", unsaid)
    return []
  }
  loseFields(part, path, lose)
  return [found]
}

const decodeMedia = (part: Json.Json): Content.Image | Content.File | undefined => {
  const inline = either(part, "inlineData", "inline_data")
  if (isObject(inline)) {
    const data = stringField(inline, "data")
    return data === undefined ? undefined : mediaOf(inline, { _tag: "Base64", data: standardBase64(data) })
  }
  const file = either(part, "fileData", "file_data")
  const url = either(file, "fileUri", "file_uri")
  return isObject(file) && typeof url === "string" ? mediaOf(file, { _tag: "Url", url }) : undefined
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
