/** Chat Completions: requests, in Wield's words and back, and the results of calls. */
import type { Json, Loss, Message, Outcome, ToolResult, Turn } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { Conversing, EncodedTools, Request, WireFormat } from "../internal/contract.js"
import {
  applicationCalls,
  OpenCalls,
  pairedCalls,
  SentIds,
  unpairedResult,
  UnansweredCalls
} from "../internal/calls.js"
import {
  type Reencoding,
  emptyTurn,
  isEmptyTurn,
  joinResults,
  mergeResults,
  modelOf,
  nativeJson,
  resultsEncoder,
  sendableParts,
  settingsOf
} from "../internal/history.js"
import { isSameJson } from "../internal/json.js"
import { keptFields, lossOf, mediaLosses } from "../internal/losses.js"
import { FollowingImages, readableImage, readsImages } from "../internal/media.js"
import { argumentText, resultText } from "../internal/resultText.js"
import { offeredTools } from "../openai-shared/tools.js"
import { type Fields, failIn, isList, isObject, listField, stringField } from "../internal/wireField.js"
import { type ChatDialect, demandsOf } from "./format.js"
import { decodeChoice, decodeTools, toolsBody } from "./tools.js"
import { callIds, messageParts, sentId } from "./turn.js"

export const makeDecodeRequest =
  (dialect: ChatDialect, encodeTools: WireFormat["encodeTools"]): Conversing["decodeRequest"] =>
  (body) =>
    Either.gen(function* () {
      const fail = failIn(dialect.name)
      if (!isObject(body)) return yield* fail([], "an object with messages", body)
      const { messages: history, ...rest } = body
      if (!isList(history)) return yield* fail(["messages"], "an array of messages", history)
      const losses: Array<Loss.Loss> = []
      const messages = yield* decodeMessages(dialect, history, losses)
      const { definitions, options } = yield* decodeTools(dialect, rest)
      const json = settingsBeyond(rest, toolsBody(dialect.name, encodeTools, definitions, options))
      return { messages, definitions, options, settings: { format: dialect.name, json }, losses }
    })

/** The rest of the body. Of what it says of tools, only what definitions and options cannot say again is kept. */
const settingsBeyond = (body: Json.JsonObject, { body: said }: EncodedTools): Json.JsonObject =>
  Object.fromEntries(
    Object.entries(body).filter(([key, value]) => !(Object.hasOwn(said, key) && isSameJson(said[key], value)))
  )

const decodeMessages = (
  dialect: ChatDialect,
  history: ReadonlyArray<Json.Json>,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<Message.Message>, WireError> => {
  const out: Array<Message.Message> = []
  const open = new UnansweredCalls()
  for (const [index, message] of history.entries()) {
    if (!isObject(message)) return failIn(dialect.name)(["messages", index], "a message", message)
    const native = { format: dialect.name, json: [message] }
    const subject = `message ${index}`
    if (saidWhole.has(message["role"])) {
      for (const loss of keptFields(message, ["role", "content"], subject)) losses.push(loss)
    }
    switch (message["role"]) {
      case "system":
      case "developer":
        out.push({ _tag: "System", text: textOf(message["content"]), native })
        break
      case "user":
        out.push({ _tag: "User", content: userContent(dialect, message["content"], subject, losses), native })
        break
      case "assistant": {
        const parts = assistantParts(dialect, message, index)
        if (Either.isLeft(parts)) return Either.left(parts.left)
        // Results follow their calls, so that those of earlier turns wait no more; a turn may be split over messages.
        if (out.at(-1)?._tag !== "Assistant") open.clear()
        open.add(applicationCalls(parts.right))
        out.push({ _tag: "Assistant", parts: parts.right, native })
        break
      }
      case "tool":
      case "function": {
        const sent = sentId(dialect, message["tool_call_id"])
        const named = stringField(message, "name")
        // By its id, by its tool's name, or the first.
        const call = open.take(sent, sent === undefined ? named : undefined)?.call
        const { id, name } = call ?? { id: "", name: named ?? "" }
        const content = userContent(dialect, message["content"], subject, losses)
        const result = { id: sent ?? id, name, isError: false, content }
        out.push({ _tag: "Results", results: [result], native })
        break
      }
      default: {
        const reason = "There is no word for a message of this role; it is kept for this API only."
        losses.push(lossOf(subject, ["role"], stringField(message, "role") ?? "role", reason))
        out.push({ _tag: "User", content: [], native })
      }
    }
  }
  return Either.right(mergeResults(out, dialect.name))
}

/** Roles whose messages are their content, and who says it. */
const saidWhole: ReadonlySet<unknown> = new Set(["system", "developer", "user"])

/** As `decodeTurn` reads them; ids that the message leaves out are made of its place. */
const assistantParts = (dialect: ChatDialect, message: Fields, index: number) =>
  messageParts(
    dialect.name,
    message,
    {
      callId: callIds(dialect, `m${index}`),
      fromNative: (native) => native,
      readArguments: (_, sent) => sent,
      format: dialect.name
    },
    ["messages", index]
  )

/** Text, or a list of parts; a part without words here is a loss. */
const userContent = (
  dialect: ChatDialect,
  content: Json.Json | undefined,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Content.Part> => {
  if (typeof content === "string") return [Content.text(content)]
  if (!isList(content)) return []
  return content.flatMap((item, index) => {
    const text = typeof item === "string" ? item : stringField(item, "text")
    if (text !== undefined) return [Content.text(text)]
    const part = isObject(item) ? dialect.decodeUserPart(item) : undefined
    if (part !== undefined) return [part]
    const reason = "There is no word for this part; it is kept for this API only."
    losses.push(lossOf(subject, ["content", index], stringField(item, "type") ?? "content", reason))
    return []
  })
}

const textOf = (content: Json.Json | undefined): string => {
  if (typeof content === "string") return content
  if (!isList(content)) return ""
  return content.map((item) => (typeof item === "string" ? item : (stringField(item, "text") ?? ""))).join("")
}

export const makeEncodeRequest =
  (dialect: ChatDialect, encodeTools: WireFormat["encodeTools"]): Conversing["encodeRequest"] =>
  (request) => {
    const losses: Array<Loss.Loss> = []
    const { definitions, options } = request
    const settings = settingsOf(request, dialect.name, losses)
    const { toNative } = offeredTools(dialect, definitions)
    const messages = encodeMessages(dialect, request, toNative, losses)
    const offered = toolsBody(dialect.name, encodeTools, definitions, options)
    const whole = { ...offered.body, ...settings }
    const stands = ([key]: readonly [string, Json.Json]): boolean =>
      isStanding(dialect, key, whole, request, Object.hasOwn(offered.body, key))
    const kept = Object.fromEntries(Object.entries(settings).filter(stands))
    // A choice that goes back as it was sent loses nothing.
    const lost = offered.losses.filter(({ keyword }) => !(keyword === "tool_choice" && "tool_choice" in kept))
    return { body: { ...offered.body, ...kept, messages }, losses: [...losses, ...lost] }
  }

/** Whether a setting is to be sent: what is said of tools only while definitions and options still say the same. */
const isStanding = (
  dialect: ChatDialect,
  key: string,
  body: Json.JsonObject,
  { definitions, options }: Request,
  isSaid: boolean
): boolean => {
  switch (key) {
    case "messages":
      return false
    case "tools":
    case "functions": {
      const value = body[key]
      if (!Array.isArray(value) || value.length === 0) return !isSaid
      const natives = definitions.map(({ native }) => native?.json)
      return Either.match(decodeTools(dialect, body), {
        onLeft: () => false,
        onRight: (kept) =>
          isSameJson(
            kept.definitions.map(({ native }) => native?.json),
            natives
          )
      })
    }
    case "tool_choice":
    case "function_call": {
      const choice = decodeChoice(dialect, body, definitions)
      return choice === undefined || options.choice === undefined
        ? choice === options.choice
        : isSameJson(choice, options.choice)
    }
    case "parallel_tool_calls":
      return body[key] === options.isParallel || typeof body[key] !== "boolean"
    default:
      return true
  }
}

const encodeMessages = (
  dialect: ChatDialect,
  request: Request,
  toNative: (name: string) => string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.Json> => {
  const messages = joinResults(request.messages, dialect.name)
  const paired = pairedCalls(messages)
  const demanded = demandsOf(request)
  const calls = new SentCalls(dialect)
  const out: Array<Json.Json> = []
  const images = imagesFor(request.model)
  messages.forEach((message, index) => {
    const subject = `message ${index}`
    if (message._tag !== "Results") out.push(...imagesMessage(dialect, images))
    const own = nativeJson(message, dialect.name)
    switch (message._tag) {
      case "System":
        out.push(...(own ?? (message.text === "" ? [] : [{ role: "system", content: message.text }])))
        break
      case "User":
        out.push(...(own ?? userMessage(dialect, message.content, subject, losses)))
        break
      case "Assistant":
        if (own === undefined) {
          const context = { format: dialect.name, subject, toNative, isPaired: paired(index), losses }
          out.push(...encodeAssistant(dialect, message.parts, context, calls).map(demanded.ofOthers))
        } else {
          const next = messages[index + 1]
          const filled = keepCalls(own, message.parts, calls)
          // Ids that the turn leaves out are filled in where a result will be re-encoded, to name its call by.
          const sent = next?._tag === "Results" && nativeJson(next, dialect.name) === undefined ? filled : own
          for (const each of sent) out.push(isObject(each) ? demanded.ofOwn(each) : each)
        }
        break
      case "Results": {
        const paired = message.results.map((result) => ({ result, call: calls.answer(result.id) }))
        // Where its calls had to be given other ids, a result cannot stay as it stood.
        const isKept = paired.every(({ call, result }) => call === undefined || call.sentId === result.id)
        if (own !== undefined && isKept) {
          for (const each of own) out.push(each)
          break
        }
        for (const { call, result } of paired) {
          if (call === undefined) losses.push(unpairedResult(subject, result.id))
          else out.push(encodeResult(dialect, call, undefined, result, images, losses))
        }
        break
      }
    }
  })
  return [...out, ...imagesMessage(dialect, images)]
}

/** A result; its images follow, or are a loss. */
const encodeResult = (
  dialect: ChatDialect,
  call: SentCall,
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult,
  images: FollowingImages,
  losses: Array<Loss.Loss>
): Json.JsonObject => {
  const said = images.take(result, call.nativeName, call.isLegacy ? undefined : call.sentId)
  for (const loss of mediaLosses(said, "this API")) losses.push(loss)
  return resultMessage(dialect, call, resultText(outcome, said))
}

const imagesFor = (model: string | undefined): FollowingImages =>
  new FollowingImages((image) => readsImages(model) && readableImage(image) !== undefined)

const imagesMessage = (dialect: ChatDialect, images: FollowingImages): ReadonlyArray<Json.Json> => {
  const content = images.flush()
  return content.length === 0 ? [] : userMessage(dialect, content, "images", [])
}

/** Notes the calls of messages that stand already, and gives the messages with the ids that a server left out. */
const keepCalls = (
  own: ReadonlyArray<Json.Json>,
  parts: ReadonlyArray<Turn.Part>,
  calls: SentCalls
): ReadonlyArray<Json.Json> => {
  const made = applicationCalls(parts)
  const isLegacy = own.some(hasFunctionCall)
  for (const part of made) calls.keep(part, isLegacy)
  return own.map((message) => withIds(message, made))
}

const userMessage = (
  dialect: ChatDialect,
  content: ReadonlyArray<Content.Part>,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Json.Json> => {
  const [first] = content
  if (content.length === 1 && first?._tag === "Text") return [{ role: "user", content: first.text }]
  const parts = content.flatMap((part, index) => {
    const { part: said, loss } = dialect.encodeUserPart(part)
    if (loss !== undefined) losses.push({ subject, path: ["content", index], ...loss })
    return said === undefined ? [] : [said]
  })
  if (parts.length > 0) return [{ role: "user", content: parts }]
  losses.push(lossOf(subject, [], "content", "Nothing in it can be said: it is left out."))
  return []
}

export const makeEncodeResults = (dialect: ChatDialect): WireFormat["encodeResults"] =>
  resultsEncoder(dialect, {
    makeCalls: () => new SentCalls(dialect),
    encodeOwn: ({ native, parts }, calls) => keepCalls(native, parts, calls),
    encodeParts: (parts, context, calls) => encodeAssistant(dialect, parts, context, calls),
    encodeResults: (results, calls, losses, turn) => {
      const images = imagesFor(modelOf(dialect.name, turn))
      const messages = results.flatMap(({ part, outcome, result }) => {
        const call = calls.answer(part.call.id)
        return call === undefined ? [] : [encodeResult(dialect, call, outcome, result, images, losses)]
      })
      return [...messages, ...imagesMessage(dialect, images)]
    }
  })

/** A result under the id of its call or, for a call by `function_call`, under the function's name. */
const resultMessage = (
  dialect: ChatDialect,
  { isLegacy, nativeName: name, sentId }: SentCall,
  content: string
): Json.JsonObject =>
  isLegacy
    ? { role: "function", name, content }
    : { role: "tool", tool_call_id: sentId, ...(dialect.hasResultName && name !== "" ? { name } : {}), content }

/** A message that calls by `function_call` alone wants its result under the function's name. */
const hasFunctionCall = (message: Json.Json): boolean => {
  if (!isObject(message)) return false
  return isObject(message["function_call"]) && listField(message, "tool_calls").length === 0
}

/**
 * A message with the ids that the server left out, since a result has nothing
 * else to name its call by. One that has them all is itself.
 */
const withIds = (message: Json.Json, calls: ReadonlyArray<Turn.CallPart>): Json.Json => {
  if (calls.every((part) => part.nativeId !== undefined) || !isObject(message)) return message
  const { tool_calls: sent } = message
  if (!isList(sent)) return message
  const filled = sent.map((entry, index): Json.Json => {
    const part = calls[index]
    const hasId = part === undefined || part.nativeId !== undefined || !isObject(entry)
    return hasId ? entry : { ...entry, id: part.call.id }
  })
  return { ...message, tool_calls: filled }
}

/** A message re-encoded from the parts of a turn; none where nothing is left to say and the API takes no empty message. */
const encodeAssistant = (
  dialect: ChatDialect,
  parts: ReadonlyArray<Turn.Part>,
  context: Reencoding,
  calls: SentCalls
): ReadonlyArray<Json.JsonObject> => {
  let content = ""
  let refusal = ""
  const entries: Array<Json.JsonObject> = []
  /** Mistral's chunks of thinking, which stand before the text. */
  const chunks: Array<Json.Json> = []
  let fields: Json.JsonObject = {}
  for (const part of sendableParts(parts, context)) {
    if (part._tag === "Text") content += part.text
    else if (part._tag === "Kept") {
      for (const json of part.json) {
        if (isObject(json) && !("thinking" in json)) fields = { ...fields, ...json }
        else chunks.push(json)
      }
    } else if (part._tag === "Call") {
      // Under the name that this API accepts, which need not be the one that another API knew.
      const name = context.toNative(part.call.name)
      const text = argumentText(part.call.arguments)
      entries.push({ id: calls.say(part, name), type: "function", function: { name, arguments: text } })
    } else if (dialect.hasRefusal) refusal += part.text
    else {
      content += part.text
      const reason = "This API has no word for a refusal; it is said as text."
      context.losses.push(lossOf(context.subject, [], "refusal", reason))
    }
  }
  const isEmpty = content === "" && refusal === "" && entries.length === 0
  if (isEmpty && chunks.length === 0 && Object.keys(fields).length === 0) {
    if (!isEmptyTurn(parts)) return []
    if (!dialect.takesEmptyTurn) {
      context.losses.push(emptyTurn(context.subject))
      return []
    }
  }
  const text = content === "" && !isEmpty ? dialect.emptyContent : content
  const said = content === "" ? [] : [{ type: "text", text: content }]
  return [
    {
      role: "assistant",
      content: chunks.length === 0 ? text : [...chunks, ...said],
      ...fields,
      ...(refusal === "" ? {} : { refusal }),
      ...(entries.length === 0 ? {} : { tool_calls: entries })
    }
  ]
}

interface SentCall {
  readonly sentId: string
  readonly nativeName: string
  /** It was made by `function_call`: its result goes under the function's name. */
  readonly isLegacy: boolean
}

class SentCalls {
  readonly #ids: SentIds
  readonly #open = new OpenCalls<SentCall>()

  constructor(dialect: ChatDialect) {
    this.#ids = new SentIds(dialect.name, dialect.acceptedId)
  }

  /** A call that is re-encoded: under an id that the API accepts. */
  say(part: Turn.CallPart, nativeName: string): string {
    const sentId = this.#ids.make(part)
    this.#open.put(part.call.id, { sentId, nativeName, isLegacy: false })
    return sentId
  }

  /** A call of a message that is put back as it stood. */
  keep({ call, nativeId, nativeName }: Turn.CallPart, isLegacy = false): void {
    this.#open.put(call.id, { sentId: this.#ids.take(nativeId ?? call.id), nativeName, isLegacy })
  }

  /** The first call of this id that has no result yet. */
  answer(id: string): SentCall | undefined {
    return this.#open.take(id)
  }
}
