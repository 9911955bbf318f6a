/**
 * Gemini's API: the parts of a content, one after the other, as the parts of a
 * turn. A stream feeds the parts of all its chunks to one `PartDecoder` and
 * ends with the same turn.
 */
import type { Message, Turn } from "@wield/core"
import { Json, ToolCall } from "@wield/core"
import * as Either from "effect/Either"
import type { NameMap } from "../internal/nameMap.js"
import { PartList } from "../internal/partList.js"
import type { Fields } from "../internal/wireField.js"
import { stringField, wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import { formatName, serverTools } from "./names.js"
import type { ReadArguments } from "./readArguments.js"
import { asSent } from "./readArguments.js"

/** A field by its name in JSON, or by its name in Google's protocol buffers, which some clients and proxies send. */
export const either = (object: Fields, camelCase: string, snakeCase: string): unknown =>
  object[camelCase] ?? object[snakeCase]

/**
 * A list of messages. Google's JSON parser takes one message for a list of one,
 * and its own documentation sends `parts` and `tools` so; `undefined` for what is neither.
 */
export const listOf = (value: unknown): ReadonlyArray<unknown> | undefined => {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  return Json.isObject(value) ? [value] : undefined
}

export class PartDecoder {
  readonly #list = new PartList()
  readonly #names: NameMap
  readonly #responseId: string | undefined
  readonly #read: ReadArguments
  readonly #ids = new Set<string>()
  #calls = 0

  constructor(names: NameMap, responseId: string | undefined, read: ReadArguments = asSent) {
    this.#names = names
    this.#responseId = responseId
    this.#read = read
  }

  /** Adds what the part says; parts that only the provider reads again add nothing. */
  add(part: unknown, path: ReadonlyArray<string | number>): Either.Either<Turn.Part | undefined, WireError> {
    if (!Json.isObject(part)) return Either.left(wireError(formatName, path, "a part", part))
    // Parts are parsed JSON.
    const native: Message.Native = { format: formatName, json: [part as Json.JsonObject] }
    const functionCall = either(part, "functionCall", "function_call")
    if (functionCall !== undefined && functionCall !== null) {
      return this.#functionCall(functionCall, [...path, "functionCall"])
    }
    const code = either(part, "executableCode", "executable_code")
    if (Json.isObject(code)) {
      const { id: _, ...shown } = code
      const call = this.#call(stringField(code, "id"), "codeExecution", "executableCode", shown, "provider")
      return this.#put({ ...call, native })
    }
    const toolCall = either(part, "toolCall", "tool_call")
    if (Json.isObject(toolCall)) {
      const type = either(toolCall, "toolType", "tool_type")
      const nativeName = typeof type === "string" ? type : "toolCall"
      const name = serverTools.get(nativeName) ?? nativeName
      const call = this.#call(stringField(toolCall, "id"), name, nativeName, toolCall["args"], "provider")
      return this.#put({ ...call, native })
    }
    const text = stringField(part, "text")
    // Gemini ends many turns with an empty text that only carries a signature.
    if (text === undefined || text === "") {
      this.#list.addWordless(part as Json.JsonObject)
      return Either.right(undefined)
    }
    return this.#put(part["thought"] === true ? { _tag: "Reasoning", text, native } : { _tag: "Text", text })
  }

  /** What all the parts say so far. */
  get parts(): ReadonlyArray<Turn.Part> {
    return this.#list.parts
  }

  #functionCall(call: unknown, path: ReadonlyArray<string | number>): Either.Either<Turn.Part, WireError> {
    if (!Json.isObject(call)) return Either.left(wireError(formatName, path, "a function call", call))
    const name = call["name"]
    if (typeof name !== "string") {
      return Either.left(wireError(formatName, [...path, "name"], "the name of a function", name))
    }
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
    const ownName = this.#names.fromNative(name)
    const call = ToolCall.make(id ?? this.#madeId(), ownName, this.#read(ownName, input ?? {}))
    this.#ids.add(call.id)
    this.#calls++
    return { _tag: "Call", call, executedBy, nativeName, nativeId: id, format: formatName }
  }

  /**
   * Vertex AI sends calls without ids. One that is made only of the position
   * would return in the next turn, and a journal would take a second, equal
   * call for the first; the response's id tells the turns apart.
   */
  #madeId(): string {
    const stem = this.#responseId === undefined ? "call" : `call_${this.#responseId}`
    let index = this.#calls
    while (this.#ids.has(`${stem}_${index}`)) index++
    return `${stem}_${index}`
  }

  #put(part: Turn.Part): Either.Either<Turn.Part> {
    this.#list.add(part)
    return Either.right(part)
  }
}
