/** Gemini's API, of developers and of Vertex AI: a response body as a turn. */
import type { Json, Message, Turn } from "@wield/core"
import * as ToolCall from "@wield/core/ToolCall"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { Offered } from "../internal/contract.js"
import { restoreGeminiText } from "../dialect/geminiSubset.js"
import { restoreValue } from "../dialect/restoreValue.js"
import { fail, formatName, nameRule, numberedFinishReasons, serverTools, table } from "./format.js"
import { finishOf, usageOf } from "../internal/format.js"
import * as NameMap from "../NameMap.js"
import { PartList } from "../internal/partList.js"
import {
  type Fields,
  type Path,
  isList,
  isObject,
  objectField,
  statedField,
  stringField,
  wireError,
  withLists
} from "../internal/wireField.js"

export const decodeTurn = (
  body: unknown,
  offered?: Offered,
  read: ReadArguments = asSent
): Either.Either<Turn.Turn, WireError> => {
  if (!isObject(body)) return fail([], "an object", body)
  const error = objectField(body, "error")
  if (error !== undefined) return Either.left(apiError(error))
  const candidates = body["candidates"] ?? []
  if (!isList(candidates)) return fail(["candidates"], "an array", candidates)
  const [candidate] = candidates
  if (candidate === undefined) {
    return isFormatOf(body)
      ? Either.right(turnOf(body, undefined, [], undefined, true))
      : fail(["candidates"], "an array", body["candidates"])
  }
  const path = ["candidates", 0]
  if (!isObject(candidate)) return fail(path, "a candidate", candidate)
  const sent = candidate["content"] ?? {}
  if (!isObject(sent)) return fail([...path, "content"], "a content", sent)
  const content = withLists(sent, "parts")
  // A candidate that was withheld has a content without parts, or none at all.
  const parts = listOf(content["parts"])
  const place = [...path, "content", "parts"]
  if (parts === undefined) return fail(place, "an array of parts", content["parts"])
  const decoder = new PartDecoder(NameMap.make(offered?.definitions ?? [], nameRule), responseIdOf(body), read)
  for (const [index, part] of parts.entries()) {
    const decoded = decoder.add(part, [...place, index])
    if (Either.isLeft(decoded)) return Either.left(decoded.left)
  }
  return Either.right(turnOf(body, candidate, decoder.parts, parts.length === 0 ? undefined : content, true))
}

export const responseIdOf = (body: Fields): string | undefined => {
  const id = either(body, "responseId", "response_id")
  return typeof id === "string" && id !== "" ? id : undefined
}

/** A turn from a response, its candidate, the decoded parts and the content as it was sent. */
export const turnOf = (
  body: Fields,
  candidate: Fields | undefined,
  parts: ReadonlyArray<Turn.Part>,
  content: Fields | undefined,
  isComplete: boolean
): Turn.Turn => {
  const feedback = either(body, "promptFeedback", "prompt_feedback")
  const finish = either(candidate, "finishReason", "finish_reason")
  const block = either(isObject(feedback) ? feedback : undefined, "blockReason", "block_reason")
  // The feedback may come after text, in place of the candidate's finish reason.
  const isBlocked = isObject(feedback) && (candidate === undefined || (finish === undefined && block !== undefined))
  const blocked = isBlocked ? feedback : undefined
  const reason = finishReason(isBlocked ? (block ?? "BLOCKED_REASON_UNSPECIFIED") : finish)
  const explanation = either(blocked, "blockReasonMessage", "block_reason_message")
  const model = either(body, "modelVersion", "model_version")
  const usage = either(body, "usageMetadata", "usage_metadata")
  return {
    format: formatName,
    id: responseIdOf(body),
    model: typeof model === "string" ? model : undefined,
    parts: typeof explanation === "string" ? [...parts, { _tag: "Refusal", text: explanation }] : parts,
    usage: usageOf(table, isObject(usage) ? usage : {}),
    finish: blocked === undefined ? responseFinish(reason, parts) : "filter",
    nativeFinish: reason,
    // The next request needs its role.
    native: content === undefined ? [] : [{ role: "model", ...content }],
    isComplete
  }
}

/** UNEXPECTED_TOOL_CALL, of a function that was not offered, and its like are answered with results. */
const responseFinish = (reason: string | undefined, parts: ReadonlyArray<Turn.Part>): Turn.Finish => {
  const finish = finishOf(table, reason, parts)
  const isAnswerable = parts.some((part) => part._tag === "Call" && part.executedBy === "application")
  return finish === "error" && isAnswerable ? "calls" : finish
}

const finishReason = (reason: unknown): string | undefined => {
  if (typeof reason === "string") return reason
  return typeof reason === "number" ? (numberedFinishReasons[reason] ?? String(reason)) : undefined
}

/** Google's errors have a number and a status in capitals, such as `INVALID_ARGUMENT`. */
export const apiError = (error: Fields): WireError =>
  wireError(
    formatName,
    ["error"],
    "a response",
    [stringField(error, "status"), stringField(error, "message")].filter((text) => text !== undefined).join(": ")
  )

/** Whether a response body looks like a response of this API, or like one of its errors. */
export const isFormatOf = (body: unknown): boolean => {
  // What streams without `alt=sse` is an array of chunks; Vertex AI sends some errors as an array of one.
  if (Array.isArray(body)) return body.length > 0 && body.every(isObject) && body.some(isFormatOf)
  if (!isObject(body)) return false
  if (Array.isArray(body["candidates"])) return true
  if (isObject(either(body, "promptFeedback", "prompt_feedback"))) return true
  return isObject(either(body, "usageMetadata", "usage_metadata")) || isGoogleError(objectField(body, "error"))
}

const isGoogleError = (error: Fields | undefined): boolean =>
  error !== undefined && typeof error["code"] === "number" && /^[A-Z_]+$/.test(stringField(error, "status") ?? "")

/** A field by its name in JSON, or by its name in Google's protocol buffers, which some clients and proxies send. */
export const either = (value: unknown, camelCase: string, snakeCase: string): Json.Json | undefined =>
  statedField(value, camelCase) ?? statedField(value, snakeCase)

/** A list; Google takes one value for a list of one. `undefined` for neither. */
export const listOf = (value: Json.Json | undefined): ReadonlyArray<Json.Json> | undefined => {
  if (value === undefined || value === null) return []
  if (isList(value)) return value
  return isObject(value) ? [value] : undefined
}

/** Why what has no words here is a loss. */
export const unsaid = "Kept for Gemini's API only: there are no words for it here."

export class PartDecoder {
  readonly #list = new PartList()
  readonly #ids = new Set<string>()
  #calls = 0

  constructor(
    private readonly names: NameMap.NameMap,
    private readonly responseId: string | undefined,
    private readonly read: ReadArguments = asSent
  ) {}

  /** Adds what the part says; parts that only the provider reads again add nothing. */
  add(part: Json.Json, path: Path): Either.Either<Turn.Part | undefined, WireError> {
    if (!isObject(part)) return fail(path, "a part", part)
    const native: Message.Native = { format: formatName, json: [part] }
    const functionCall = either(part, "functionCall", "function_call")
    if (functionCall !== undefined) return this.#functionCall(functionCall, [...path, "functionCall"])
    const code = either(part, "executableCode", "executable_code")
    if (isObject(code)) {
      const { id: _, ...shown } = code
      const call = this.#call(stringField(code, "id"), "codeExecution", "executableCode", shown, "provider")
      return this.#put({ ...call, native })
    }
    const toolCall = either(part, "toolCall", "tool_call")
    if (isObject(toolCall)) {
      const type = either(toolCall, "toolType", "tool_type")
      const nativeName = typeof type === "string" ? type : "toolCall"
      const name = serverTools.get(nativeName) ?? nativeName
      const call = this.#call(stringField(toolCall, "id"), name, nativeName, toolCall["args"], "provider")
      return this.#put({ ...call, native })
    }
    const text = stringField(part, "text")
    // Gemini ends many turns with an empty text that only carries a signature.
    if (text === undefined || text === "") {
      this.#list.addWordless(part)
      return Either.right(undefined)
    }
    return this.#put(part["thought"] === true ? { _tag: "Reasoning", text, native } : { _tag: "Text", text })
  }

  /** What all the parts say so far. */
  get parts(): ReadonlyArray<Turn.Part> {
    return this.#list.parts
  }

  #functionCall(call: unknown, path: Path): Either.Either<Turn.Part, WireError> {
    if (!isObject(call)) return fail(path, "a function call", call)
    const name = call["name"]
    if (typeof name !== "string") return fail([...path, "name"], "the name of a function", name)
    return this.#put(this.#call(stringField(call, "id"), name, name, call["args"], "application"))
  }

  #call(
    nativeId: string | undefined,
    name: string,
    nativeName: string,
    input: unknown,
    executedBy: Turn.CallPart["executedBy"]
  ): Turn.CallPart {
    const id = nativeId === undefined || nativeId === "" ? undefined : nativeId
    const ownName = this.names.fromNative(name)
    const call = ToolCall.make(id ?? this.#madeId(), ownName, this.read(ownName, input ?? {}))
    this.#ids.add(call.id)
    this.#calls++
    return { _tag: "Call", call, executedBy, nativeName, nativeId: id, format: formatName }
  }

  /** Vertex AI sends no ids. The response's id keeps equal calls of two turns apart for a journal. */
  #madeId(): string {
    const stem = this.responseId === undefined ? "call" : `call_${this.responseId}`
    let index = this.#calls
    while (this.#ids.has(`${stem}_${index}`)) index++
    return `${stem}_${index}`
  }

  #put(part: Turn.Part): Either.Either<Turn.Part> {
    this.#list.add(part)
    return Either.right(part)
  }
}

/** `name` is Wield's name of the tool. */
export type ReadArguments = (name: string, sent: unknown) => unknown

export const asSent: ReadArguments = (_, sent) => sent

/** For tools that were offered in `parameters`: numbers of an enum and values of any type come as text. */
export const restoring = (offered: Offered | undefined): ReadArguments => {
  const schemas = new Map((offered?.definitions ?? []).map(({ inputSchema, name }) => [name, inputSchema]))
  return (name, sent) => {
    const schema = schemas.get(name)
    return schema === undefined ? sent : restoreValue(schema, sent, restoreGeminiText)
  }
}
