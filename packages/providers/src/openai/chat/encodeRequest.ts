/**
 * A request body from Wield's words.
 */
import type { Json, Loss } from "@wield/core"
import * as Either from "effect/Either"
import { isSameJson } from "../../internal/isSameJson.js"
import { settingsOf } from "../../internal/settingsOf.js"
import type { Conversing, Request, WireFormat } from "../../WireFormat.js"
import type { ChatDialect } from "./ChatDialect.js"
import { decodeChoice } from "./decodeChoice.js"
import { decodeTools } from "./decodeTools.js"
import type { LookUp } from "./decodeTurn.js"
import { encodeMessages } from "./encodeMessages.js"
import { toolsBody } from "./toolsBody.js"

export const makeEncodeRequest =
  (dialect: ChatDialect, encodeTools: WireFormat["encodeTools"], offeredTools: LookUp): Conversing["encodeRequest"] =>
  (request) => {
    const losses: Array<Loss.Loss> = []
    const { definitions, options } = request
    const settings = settingsOf(request, dialect.name, losses)
    const { toNative } = offeredTools(definitions)
    const messages = encodeMessages(dialect, request.messages, toNative, losses)
    const offered = toolsBody(dialect.name, encodeTools, definitions, options)
    const whole = { ...offered.body, ...settings }
    const stands = ([key]: readonly [string, Json.Json]): boolean =>
      isStanding(key, whole, request, Object.hasOwn(offered.body, key))
    return {
      body: { ...offered.body, ...Object.fromEntries(Object.entries(settings).filter(stands)), messages },
      losses: [...losses, ...offered.losses]
    }
  }

/** Whether a setting is to be sent: what is said of tools only while definitions and options still say the same. */
const isStanding = (
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
      const kept = decodeTools("", body)
      const natives = definitions.map(({ native }) => native?.json)
      return (
        Either.isRight(kept) &&
        isSameJson(
          kept.right.definitions.map(({ native }) => native?.json),
          natives
        )
      )
    }
    case "tool_choice":
    case "function_call": {
      const choice = decodeChoice(body, definitions)
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
