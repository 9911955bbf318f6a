/**
 * A Chat Completions response as a turn. Only the first choice is read:
 * several choices are several answers, of which a conversation has one.
 */
import type { ToolDefinition, Turn } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import type { Fields } from "../../internal/wireField.js"
import { stringField, wireError } from "../../internal/wireField.js"
import type { WireError } from "../../WireError.js"
import type { Offered, WireFormat } from "../../WireFormat.js"
import { errorBody } from "../errorBody.js"
import type { OfferedTools } from "../offeredTools.js"
import { readArguments } from "../readArguments.js"
import { callIds } from "./callIds.js"
import type { CallReader } from "./callParts.js"
import type { ChatDialect } from "./ChatDialect.js"
import { finishOf } from "./finish.js"
import { messageParts } from "./messageParts.js"
import { usageOf } from "./usage.js"

export type LookUp = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined) => OfferedTools

export const makeDecodeTurn =
  (dialect: ChatDialect, offeredTools: LookUp): WireFormat["decodeTurn"] =>
  (body, offered) =>
    Either.flatMap(firstChoice(dialect.name, body), ({ response, choice, message }) =>
      Either.map(
        messageParts(
          dialect.name,
          message,
          callReader(dialect, offeredTools, offered, stringField(response, "id")),
          messagePath
        ),
        (parts) =>
          // A field of a body that was parsed from JSON is JSON.
          turnOf(dialect.name, response, stringField(choice, "finish_reason"), parts, [message as Json.JsonObject])
      )
    )

/** How calls are read back; `message` names the message that they stand in. */
export const callReader = (
  dialect: ChatDialect,
  offeredTools: LookUp,
  offered: Offered | undefined,
  message: string | undefined
): CallReader => {
  const tools = offeredTools(offered?.definitions)
  return {
    callId: callIds(dialect, message),
    fromNative: tools.fromNative,
    readArguments: readArguments(tools, offered?.isStrict === true),
    format: dialect.name
  }
}

/** A whole turn, from a response and what was read from its message. */
export const turnOf = (
  format: string,
  response: Fields,
  nativeFinish: string | undefined,
  parts: ReadonlyArray<Turn.Part>,
  native: ReadonlyArray<Json.Json>
): Turn.Turn => ({
  format,
  id: stringField(response, "id"),
  model: stringField(response, "model"),
  parts,
  usage: usageOf(response["usage"]),
  finish: finishOf(
    nativeFinish,
    parts.some((part) => part._tag === "Call" && part.executedBy === "application")
  ),
  nativeFinish,
  native,
  isComplete: true
})

const messagePath = ["choices", 0, "message"] as const

const firstChoice = (
  format: string,
  body: unknown
): Either.Either<{ readonly response: Fields; readonly choice: Fields; readonly message: Fields }, WireError> => {
  if (!Json.isObject(body)) return Either.left(wireError(format, [], "an object with choices", body))
  const { choices } = body
  if (!Array.isArray(choices)) {
    return Either.left(
      errorBody(format, body, "choices") ?? wireError(format, ["choices"], "an array of choices", choices)
    )
  }
  const choice: unknown = choices[0]
  if (!Json.isObject(choice)) return Either.left(wireError(format, ["choices", 0], "a choice", choice))
  const message = choice["message"]
  if (Json.isObject(message)) return Either.right({ response: body, choice, message })
  // OpenRouter reports a failure of the model's own provider inside the choice.
  return Either.left(errorBody(format, choice, "a message") ?? wireError(format, messagePath, "a message", message))
}
