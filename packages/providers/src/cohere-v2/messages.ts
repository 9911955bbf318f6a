/** Cohere's Chat API: requests, in Wield's words and back, and the results of calls. */
import type { Json, Loss, Message, Outcome, ToolResult, Turn } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { EncodedRequest, Request, ToolChoice } from "../internal/contract.js"
import { fail, formatName, idRule, nameRule, table } from "./format.js"
import { encodeTools } from "./tools.js"
import { messageParts } from "./turn.js"
import { type CallPairs, callPairs, pairResults } from "../internal/calls.js"
import {
  type Reencoding,
  emptyTurn,
  encodeHistory,
  isEmptyTurn,
  mergeResults,
  modelOf,
  resultsEncoder,
  sendableParts,
  settingsOf
} from "../internal/history.js"
import { isMedia, keptFields, keptLoss, mediaLoss, mediaLosses } from "../internal/losses.js"
import { FollowingImages, locate, readableImage, readsImages, toUrl, unreadable } from "../internal/media.js"
import * as NameMap from "../NameMap.js"
import { argumentText, instructionText, partText, resultText } from "../internal/resultText.js"
import { decodeFunctionEntry, functionEntries } from "../internal/tools.js"
import { isList, isObject, objectField, stringField } from "../internal/wireField.js"

export const decodeRequest = (body: unknown): Either.Either<Request, WireError> =>
  Either.gen(function* () {
    if (!isObject(body)) return yield* fail([], "an object with messages", body)
    const { messages: sent, ...others } = body
    if (!isList(sent)) return yield* fail(["messages"], "an array of messages", sent)
    const { definitions, options, settings } = decodeTools(others)
    const losses: Array<Loss.Loss> = []
    const reading: Reading = { names: NameMap.make(definitions, nameRule), called: new Map(), losses }
    const messages: Array<Message.Message> = []
    for (const [index, message] of sent.entries()) {
      messages.push(yield* decodeMessage(message, index, reading))
    }
    const merged = mergeResults(messages, formatName)
    return { messages: merged, definitions, options, settings: { format: formatName, json: settings }, losses }
  })

const decodeTools = (
  body: Json.JsonObject
): Pick<Request, "definitions" | "options"> & { readonly settings: Json.JsonObject } => {
  const { tools, tool_choice: choice, strict_tools: strict, ...others } = body
  const entries = functionEntries(tools)
  // Without tools there is nothing that the options could be about.
  if (entries === undefined) return { definitions: [], options: {}, settings: body }
  const known = choices.get(choice)
  return {
    definitions: entries.map(decodeFunctionEntry(formatName)),
    options: {
      ...(known === undefined ? {} : { choice: known }),
      ...(strict === true ? { isStrict: true } : {})
    },
    settings: {
      ...others,
      ...(choice === undefined || known !== undefined ? {} : { tool_choice: choice }),
      ...(strict === undefined || strict === true ? {} : { strict_tools: strict })
    }
  }
}

const choices: ReadonlyMap<unknown, ToolChoice> = new Map<unknown, ToolChoice>([
  ["REQUIRED", { _tag: "Required" }],
  ["NONE", { _tag: "None" }]
])

interface Reading {
  readonly names: NameMap.NameMap
  /** The names of the calls so far, by id. */
  readonly called: Map<string, string>
  readonly losses: Array<Loss.Loss>
}

const decodeMessage = (
  message: Json.Json,
  index: number,
  { called, losses, names }: Reading
): Either.Either<Message.Message, WireError> => {
  const path = ["messages", index]
  if (!isObject(message)) return fail(path, "a message", message)
  const native = { format: formatName, json: [message] }
  const read = () => decodeContent(message["content"], `message ${index}`, losses)
  switch (message["role"]) {
    case "system":
    case "developer":
      return Either.right({ _tag: "System", text: instructionText(read()), native })
    case "user":
      for (const loss of keptFields(message, ["role", "content"], `message ${index}`)) losses.push(loss)
      return Either.right({ _tag: "User", content: read(), native })
    case "assistant":
      return Either.map(messageParts(message, path, names), (parts) => {
        for (const part of parts) if (part._tag === "Call") called.set(part.call.id, part.call.name)
        return { _tag: "Assistant", parts, native }
      })
    case "tool": {
      const id = stringField(message, "tool_call_id") ?? ""
      const content = read()
      const only = content.length === 1 ? content[0] : undefined
      const structured = only?._tag === "JsonValue" ? { structured: only.value } : {}
      const result = { id, name: called.get(id) ?? "", isError: false, content, ...structured }
      return Either.right({ _tag: "Results", results: [result], native })
    }
    default:
      return fail([...path, "role"], "system, user, assistant or tool", message["role"])
  }
}

const decodeContent = (
  content: Json.Json | undefined,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Content.Part> => {
  if (typeof content === "string") return [Content.text(content)]
  if (!isList(content)) return []
  return content.flatMap((item, index) => {
    const part = decodeItem(item)
    if (part === undefined) losses.push(keptLoss(subject, ["content", index], stringField(item, "type") ?? "content"))
    return part === undefined ? [] : [part]
  })
}

const decodeItem = (item: Json.Json): Content.Part | undefined => {
  const text = stringField(item, "text")
  if (text !== undefined) return Content.text(text)
  const data = objectField(item, "document")?.["data"]
  // Cohere's guides put the JSON text of a document there, its reference the document.
  if (typeof data === "string") return Content.text(data)
  if (isObject(data)) return Content.json(data)
  const url = stringField(objectField(item, "image_url"), "url") ?? stringField(item, "image_url")
  return url === undefined ? undefined : new Content.Image(locate(url, "image/*"))
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
  const pairs = callPairs(formatName, idRule)
  const images = imagesFor(request.model)
  return encodeHistory(request.messages, formatName, pairs, (message, index, isPaired) => {
    const subject = `message ${index}`
    switch (message._tag) {
      case "System":
        return message.text === "" ? [] : [{ role: "system", content: message.text }]
      case "User": {
        const content = encodeContent(message, subject, losses)
        return content === undefined ? [] : [{ role: "user", content }]
      }
      case "Assistant":
        return encodeParts(message.parts, { format: formatName, subject, toNative, isPaired, losses }, pairs)
      case "Results":
        return [
          ...pairResults(message.results, { pairs, subject, losses }, (result, id) =>
            resultMessage(id, undefined, images.take(result, result.name, id), losses)
          ),
          ...imagesMessage(images)
        ]
    }
  })
}

/** One text is sent as a string. `undefined` for no content: the API refuses an empty message. */
const encodeContent = (message: Message.User, subject: string, losses: Array<Loss.Loss>): Json.Json | undefined => {
  const [only, ...others] = message.content
  if (only === undefined) return undefined
  if (others.length === 0 && only._tag === "Text") return only.text
  return message.content.map((part, index): Json.JsonObject => {
    const image = part._tag === "Image" ? readableImage(part) : undefined
    if (image !== undefined) return { type: "image_url", image_url: { url: toUrl(image) } }
    if (isMedia(part)) {
      const noFiles = "Cohere's API takes no files in a message; a note stands in its place."
      const reason = part._tag === "Image" ? unreadable(part) : noFiles
      losses.push(mediaLoss(subject, part, index, reason))
    }
    return { type: "text", text: partText(part) }
  })
}

export const encodeResults = resultsEncoder(table, {
  makeCalls: () => callPairs(formatName, idRule),
  encodeParts: (parts, context, calls) => encodeParts(parts, context, calls),
  encodeResults: (results, calls, losses, turn) => {
    const images = imagesFor(modelOf(formatName, turn))
    const messages = results.map(({ part, outcome, result }) => {
      const id = calls.result(part.call.id) ?? part.call.id
      return resultMessage(id, outcome, images.take(result, result.name, id), losses)
    })
    return [...messages, ...imagesMessage(images)]
  }
})

/** Few of Cohere's models read images, and its responses do not name the model. */
const imagesFor = (model: string | undefined): FollowingImages =>
  new FollowingImages((image) => readsImages(model, false) && readableImage(image) !== undefined)

const imagesMessage = (images: FollowingImages): ReadonlyArray<Json.JsonObject> => {
  const content = encodeContent({ _tag: "User", content: images.flush(), native: undefined }, "images", [])
  return content === undefined ? [] : [{ role: "user", content }]
}

const resultMessage = (
  id: string,
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult,
  losses: Array<Loss.Loss>
): Json.JsonObject => {
  for (const loss of mediaLosses(result, "Cohere's API")) losses.push(loss)
  const documents = result.content.map((part) => (part._tag === "JsonValue" ? documentsOf(part.value) : []))
  // There is no flag for errors: the text says so.
  const isText = result.isError || documents.every(({ length }) => length === 0)
  const content = result.content.flatMap((part, index): ReadonlyArray<Json.Json> => {
    const found = documents[index] ?? []
    return found.length > 0 ? found : [{ type: "text", text: partText(part) }]
  })
  return { role: "tool", tool_call_id: id, content: isText ? resultText(outcome, result) : content }
}

/** What of a result can be cited. Cohere's guides: each item of a list is a document of its own, cited on its own. */
const documentsOf = (value: unknown): ReadonlyArray<Json.JsonObject> => {
  const items = isObject(value) ? [value] : isList(value) && value.every(isObject) ? value : []
  return items.map((data) => ({ type: "document", document: { data } }))
}

/** One message, or none where nothing is left to say. */
const encodeParts = (
  parts: ReadonlyArray<Turn.Part>,
  context: Reencoding,
  pairs: CallPairs
): ReadonlyArray<Json.JsonObject> => {
  const content: Array<Json.Json> = []
  let plan: Json.JsonObject = {}
  const calls: Array<Json.JsonObject> = []
  for (const part of sendableParts(parts, context)) {
    if (part._tag === "Call") {
      const { arguments: sent, name } = part.call
      const described = { name: context.toNative(name), arguments: argumentText(sent) }
      calls.push({ id: pairs.call(part), type: "function", function: described })
    } else if (part._tag === "Kept") {
      // The plan stands in a field of its own, thinking among the content.
      for (const json of part.json) {
        if (isObject(json) && "tool_plan" in json) plan = { ...plan, ...json }
        else content.push(json)
      }
    } else if (part.text !== "") content.push({ type: "text", text: part.text })
  }
  // A plan alone is no message: Cohere: "message must not be empty in a turn".
  if (content.length === 0 && calls.length === 0) {
    if (isEmptyTurn(parts)) context.losses.push(emptyTurn(context.subject))
    return []
  }
  const [only, ...others] = content
  const text = isObject(only) && only["type"] === "text" && others.length === 0 ? only["text"] : undefined
  return [
    {
      role: "assistant",
      ...(only === undefined ? {} : { content: text ?? content }),
      ...plan,
      ...(calls.length === 0 ? {} : { tool_calls: calls })
    }
  ]
}
