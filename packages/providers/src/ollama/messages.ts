/** Ollama's chat API: requests, in Wield's words and back, and the results of calls. */
import type { Json, Loss, Message, Outcome, ToolResult, Turn } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { EncodedRequest, Request } from "../internal/contract.js"
import { type NamedCall, NamedCalls, UnansweredCalls } from "../internal/calls.js"
import {
  type Reencoding,
  encodeHistory,
  isEmptyTurn,
  mergeResults,
  modelOf,
  resultsEncoder,
  sendableParts,
  settingsOf
} from "../internal/history.js"
import { argumentsOf, isMedia, keptFields, mediaLoss, mediaLosses } from "../internal/losses.js"
import { FollowingImages, imageAmong, imageType, readsImages } from "../internal/media.js"
import * as NameMap from "../NameMap.js"
import { partText, resultText } from "../internal/resultText.js"
import { decodeFunctionEntry, functionEntries } from "../internal/tools.js"
import { type Fields, isList, isObject, listField, stringField } from "../internal/wireField.js"
import { fail, formatName, nameRule, table } from "./format.js"
import { encodeTools } from "./tools.js"
import { messageParts } from "./turn.js"

export const decodeRequest = (body: unknown): Either.Either<Request, WireError> =>
  Either.gen(function* () {
    if (!isObject(body)) return yield* fail([], "an object with messages", body)
    const { messages: sent, tools, ...others } = body
    if (!isList(sent)) return yield* fail(["messages"], "an array of messages", sent)
    const entries = functionEntries(tools)
    const definitions = (entries ?? []).map(decodeFunctionEntry(formatName))
    const reading: Reading = { names: NameMap.make(definitions, nameRule), waiting: new UnansweredCalls(), losses: [] }
    const messages: Array<Message.Message> = []
    for (const [index, message] of sent.entries()) {
      messages.push(yield* decodeMessage(message, index, reading))
    }
    const json = entries === undefined && tools !== undefined ? { ...others, tools } : others
    const merged = mergeResults(messages, formatName)
    return {
      messages: merged,
      definitions,
      options: {},
      settings: { format: formatName, json },
      losses: reading.losses
    }
  })

interface Reading {
  readonly names: NameMap.NameMap
  /** The calls of the last turn that have no result yet. */
  readonly waiting: UnansweredCalls
  readonly losses: Array<Loss.Loss>
}

const decodeMessage = (
  message: Json.Json,
  index: number,
  reading: Reading
): Either.Either<Message.Message, WireError> => {
  const path = ["messages", index]
  if (!isObject(message)) return fail(path, "a message", message)
  const native = { format: formatName, json: [message] }
  // Ollama reads roles in small letters.
  switch (stringField(message, "role")?.toLowerCase()) {
    case "system":
      return Either.right({ _tag: "System", text: stringField(message, "content") ?? "", native })
    case "user": {
      const lost = keptFields(message, ["role", "content", "images"], `message ${index}`)
      for (const loss of lost) reading.losses.push(loss)
      return Either.right({ _tag: "User", content: decodeContent(message), native })
    }
    case "assistant":
      return Either.map(
        messageParts(message, path, reading.names, (call) => `call_${index}_${call}`),
        (parts) => {
          reading.waiting.clear()
          reading.waiting.add(parts.filter((part) => part._tag === "Call"))
          return { _tag: "Assistant", parts, native }
        }
      )
    case "tool":
      return Either.right({ _tag: "Results", results: [decodeResult(message, index, reading)], native })
    default:
      return fail([...path, "role"], "system, user, assistant or tool", message["role"])
  }
}

const decodeContent = (message: Fields): ReadonlyArray<Content.Part> => {
  const text = stringField(message, "content") ?? ""
  const images = listField(message, "images").filter((image) => typeof image === "string")
  return [
    ...(text === "" ? [] : [Content.text(text)]),
    ...images.map((image) => Content.image(imageType(image), image))
  ]
}

const decodeResult = (message: Fields, index: number, reading: Reading): ToolResult.ToolResult => {
  const name = stringField(message, "tool_name") ?? stringField(message, "name")
  const id = stringField(message, "tool_call_id")
  const part = reading.waiting.take(id, name)
  return {
    id: part?.call.id ?? id ?? `result_${index}`,
    name: part?.call.name ?? name ?? "",
    isError: false,
    content: decodeContent(message)
  }
}

export const encodeRequest = (request: Request): EncodedRequest => {
  const losses: Array<Loss.Loss> = []
  const settings = settingsOf(request, formatName, losses)
  const offered = encodeTools(request.definitions, request.options)
  const messages = encodeMessages(request, losses)
  return { body: { ...settings, messages, ...offered.body }, losses: [...losses, ...offered.losses] }
}

const encodeMessages = (request: Request, losses: Array<Loss.Loss>): ReadonlyArray<Json.Json> => {
  const { toNative } = NameMap.make(request.definitions, nameRule)
  const calls = new NamedCalls(formatName)
  const images = imagesFor(request.model)
  return encodeHistory(request.messages, formatName, calls, (message, index) => {
    const subject = `message ${index}`
    switch (message._tag) {
      case "System":
        return message.text === "" ? [] : [{ role: "system", content: message.text }]
      case "User":
        return [encodeUser(message, subject, losses)]
      case "Assistant": {
        // Ollama takes a call without its result.
        const context = { format: formatName, subject, toNative, isPaired: () => true, losses }
        return encodeParts(message.parts, context, calls)
      }
      case "Results":
        return [
          ...message.results.map((result) => {
            // Ollama takes a result without its call.
            const name = result.name === "" ? "" : toNative(result.name)
            const call = calls.result(result.id) ?? { name, nativeId: undefined }
            return encodeResult(call, undefined, images.take(result, call.name, call.nativeId), losses)
          }),
          ...imagesMessage(images)
        ]
    }
  })
}

/** Text and images stand apart: the model reads the images first. */
const encodeUser = (message: Message.User, subject: string, losses: Array<Loss.Loss>): Json.JsonObject => {
  const texts: Array<string> = []
  const images: Array<string> = []
  for (const [index, part] of message.content.entries()) {
    if (part._tag === "Image" && isTaken(part) && part.source._tag === "Base64") {
      images.push(part.source.data)
      continue
    }
    if (isMedia(part)) {
      const reason =
        "Ollama takes PNG, JPEG, WebP and GIF images only, and fetches nothing; a note stands in its place."
      losses.push(mediaLoss(subject, part, index, reason))
    }
    texts.push(partText(part))
  }
  return { role: "user", content: texts.join("\n"), ...(images.length === 0 ? {} : { images }) }
}

export const encodeResults = resultsEncoder(table, {
  makeCalls: () => new NamedCalls(formatName),
  encodeParts: (parts, context, calls) => encodeParts(parts, context, calls),
  encodeResults: (results, calls, losses, turn) => {
    const images = imagesFor(modelOf(formatName, turn))
    const messages = results.map(({ part, outcome, result }) => {
      const call = calls.result(part.call.id) ?? { name: part.nativeName, nativeId: part.nativeId }
      return encodeResult(call, outcome, images.take(result, call.name, call.nativeId), losses)
    })
    return [...messages, ...imagesMessage(images)]
  }
})

/** Ollama fetches nothing. */
const imagesFor = (model: string | undefined): FollowingImages =>
  new FollowingImages((image) => isTaken(image) && readsImages(model))

/** Data of a type that is not known may be one of these. */
const imageTypes: ReadonlySet<string> = new Set("image/png image/jpeg image/webp image/gif image/*".split(" "))

const isTaken = (image: Content.Image): boolean =>
  image.source._tag === "Base64" && imageAmong(imageTypes, image) !== undefined

const imagesMessage = (images: FollowingImages): ReadonlyArray<Json.JsonObject> => {
  const content = images.flush()
  return content.length === 0 ? [] : [encodeUser({ _tag: "User", content, native: undefined }, "images", [])]
}

/** One message, or none where nothing is left to say. Ollama takes an empty one. */
const encodeParts = (
  parts: ReadonlyArray<Turn.Part>,
  context: Reencoding,
  calls: NamedCalls
): ReadonlyArray<Json.JsonObject> => {
  const texts: Array<string> = []
  const entries: Array<Json.JsonObject> = []
  let thinking: Json.JsonObject = {}
  for (const part of sendableParts(parts, context)) {
    if (part._tag === "Kept") {
      for (const json of part.json) if (isObject(json)) thinking = { ...thinking, ...json }
      continue
    }
    if (part._tag !== "Call") {
      texts.push(part.text)
      continue
    }
    const args = argumentsOf(part, context.subject, context.losses)
    const { name, nativeId } = calls.call(part, context.toNative(part.call.name))
    entries.push({
      // Where the API that made the call had ids; Ollama before 0.12 reads past it.
      ...(nativeId === undefined ? {} : { id: nativeId }),
      type: "function",
      function: { name, arguments: args }
    })
  }
  const content = texts.join("")
  const isEmpty = content === "" && entries.length === 0 && Object.keys(thinking).length === 0
  if (isEmpty && !isEmptyTurn(parts)) return []
  return [{ role: "assistant", content, ...thinking, ...(entries.length === 0 ? {} : { tool_calls: entries }) }]
}

/** A result names its tool; results of one turn are read in the order of its calls. */
const encodeResult = (
  call: NamedCall,
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult,
  losses: Array<Loss.Loss>
): Json.JsonObject => {
  for (const loss of mediaLosses(result, "Ollama's API")) losses.push(loss)
  return {
    role: "tool",
    ...(call.name === "" ? {} : { tool_name: call.name }),
    ...(call.nativeId === undefined ? {} : { tool_call_id: call.nativeId }),
    content: resultText(outcome, result)
  }
}
