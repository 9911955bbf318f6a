/**
 * Ollama's chat API: the messages of a request body in Wield's words.
 */
import type { Message, ToolResult, Turn } from "@wield/core"
import { Content, Json } from "@wield/core"
import * as Either from "effect/Either"
import { imageType } from "../internal/imageType.js"
import type { NameMap } from "../internal/nameMap.js"
import type { Fields } from "../internal/wireField.js"
import { stringField, wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import { messageParts } from "./messageParts.js"
import { formatName } from "./names.js"

export interface Reading {
  readonly names: NameMap
  /** The calls of the last turn that have no result yet. */
  waiting: Array<Turn.CallPart>
}

export const decodeMessage = (
  message: unknown,
  index: number,
  reading: Reading
): Either.Either<Message.Message, WireError> => {
  const path = ["messages", index]
  if (!Json.isObject(message)) return Either.left(wireError(formatName, path, "a message", message))
  // The body is parsed JSON.
  const native = { format: formatName, json: [message as Json.JsonObject] }
  const text = stringField(message, "content") ?? ""
  // Ollama reads roles in small letters.
  switch (stringField(message, "role")?.toLowerCase()) {
    case "system":
      return Either.right({ _tag: "System", text, native })
    case "user":
      return Either.right({ _tag: "User", content: decodeContent(text, message["images"]), native })
    case "assistant":
      return Either.map(
        messageParts(message, path, reading.names, (call) => `call_${index}_${call}`),
        (parts) => {
          reading.waiting = parts.filter((part) => part._tag === "Call")
          return { _tag: "Assistant", parts, native }
        }
      )
    case "tool":
      return Either.right({ _tag: "Results", results: [decodeResult(message, index, reading)], native })
    default:
      return Either.left(wireError(formatName, [...path, "role"], "system, user, assistant or tool", message["role"]))
  }
}

const decodeContent = (text: string, images: unknown): ReadonlyArray<Content.Part> => [
  ...(text === "" ? [] : [Content.text(text)]),
  ...(Array.isArray(images) ? images : [])
    .filter((image): image is string => typeof image === "string")
    .map((image) => Content.image(imageType(image), image))
]

const decodeResult = (message: Fields, index: number, reading: Reading): ToolResult.ToolResult => {
  const name = stringField(message, "tool_name") ?? stringField(message, "name")
  const id = stringField(message, "tool_call_id")
  const at = reading.waiting.findIndex(
    (part) => (id === undefined || part.call.id === id) && (name === undefined || part.nativeName === name)
  )
  const [part] = at === -1 ? [] : reading.waiting.splice(at, 1)
  return {
    id: part?.call.id ?? id ?? `result_${index}`,
    name: part?.call.name ?? name ?? "",
    isError: false,
    content: [...decodeContent(stringField(message, "content") ?? "", message["images"])]
  }
}
