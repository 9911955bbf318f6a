/**
 * A Chat Completions response as a turn. Only the first choice is read:
 * several choices are several answers, of which a conversation has one.
 */
import type { ToolDefinition, Turn } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import type { Fields } from "../internal/wireField.js"
import { stringField, wireError } from "../internal/wireField.js"
import { callIds } from "../openai/callIds.js"
import { errorBody } from "../openai/errorBody.js"
import type { OfferedTools } from "../openai/offeredTools.js"
import { readArguments } from "../openai/readArguments.js"
import type { WireError } from "../WireError.js"
import type { WireFormat } from "../WireFormat.js"
import type { CallReader } from "./callParts.js"
import { callEntries, executedToolPart, functionCallPart, toolCallPart } from "./callParts.js"
import { finishOf } from "./finish.js"
import { name } from "./name.js"
import { textParts } from "./textParts.js"
import { usageOf } from "./usage.js"

export const makeDecodeTurn =
  (
    offeredTools: (definitions: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined) => OfferedTools
  ): WireFormat["decodeTurn"] =>
  (body, offered) =>
    Either.flatMap(firstChoice(body), ({ response, choice, message }) => {
      const tools = offeredTools(offered?.definitions)
      const reader = {
        callId: callIds(),
        fromNative: tools.fromNative,
        readArguments: readArguments(tools, offered?.isStrict === true)
      }
      return Either.map(messageParts(message, reader), (parts) => {
        const nativeFinish = stringField(choice, "finish_reason")
        return {
          format: name,
          id: stringField(response, "id"),
          model: stringField(response, "model"),
          parts,
          usage: usageOf(response["usage"]),
          finish: finishOf(
            nativeFinish,
            parts.some((part) => part._tag === "Call" && part.executedBy === "application")
          ),
          nativeFinish,
          // A field of a body that was parsed from JSON is JSON.
          native: [message as Json.JsonObject],
          isComplete: true
        }
      })
    })

const firstChoice = (
  body: unknown
): Either.Either<{ readonly response: Fields; readonly choice: Fields; readonly message: Fields }, WireError> => {
  if (!Json.isObject(body)) return Either.left(wireError(name, [], "an object with choices", body))
  const { choices } = body
  if (!Array.isArray(choices)) {
    return Either.left(errorBody(name, body, "choices") ?? wireError(name, ["choices"], "an array of choices", choices))
  }
  const choice: unknown = choices[0]
  if (!Json.isObject(choice)) return Either.left(wireError(name, ["choices", 0], "a choice", choice))
  const message = choice["message"]
  if (Json.isObject(message)) return Either.right({ response: body, choice, message })
  // OpenRouter reports a failure of the model's own provider inside the choice.
  return Either.left(
    errorBody(name, choice, "a message") ?? wireError(name, ["choices", 0, "message"], "a message", message)
  )
}

/** The parts of one message, wherever it came from: a response, or the pieces of a stream put together. */
export const messageParts = (message: Fields, reader: CallReader): Either.Either<ReadonlyArray<Turn.Part>, WireError> =>
  Either.flatMap(callEntries(message["executed_tools"], ["choices", 0, "message", "executed_tools"]), (executed) =>
    Either.map(callEntries(message["tool_calls"], ["choices", 0, "message", "tool_calls"]), (calls) => {
      const parts: Array<Turn.Part> = executed.map((entry, index) => executedToolPart(entry, index, reader))
      parts.push(...textParts(message))
      for (let index = 0; index < calls.length; index++) {
        const entry = calls[index]
        if (entry !== undefined) parts.push(toolCallPart(entry, index, reader))
      }
      const call = calls.length === 0 ? functionCallPart(message, reader) : undefined
      if (call !== undefined) parts.push(call)
      return parts
    })
  )
