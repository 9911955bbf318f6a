/**
 * A request body in Wield's words.
 */
import { Json } from "@wield/core"
import type { Loss } from "@wield/core"
import * as Either from "effect/Either"
import { isSameJson } from "../../internal/isSameJson.js"
import { wireError } from "../../internal/wireField.js"
import type { Conversing, EncodedTools, WireFormat } from "../../WireFormat.js"
import type { ChatDialect } from "./ChatDialect.js"
import { decodeMessages } from "./decodeMessages.js"
import { decodeTools } from "./decodeTools.js"
import { toolsBody } from "./toolsBody.js"

export const makeDecodeRequest =
  (dialect: ChatDialect, encodeTools: WireFormat["encodeTools"]): Conversing["decodeRequest"] =>
  (body) => {
    if (!Json.isObject(body)) return Either.left(wireError(dialect.name, [], "an object with messages", body))
    const { messages: history, ...rest } = body
    if (!Array.isArray(history)) {
      return Either.left(wireError(dialect.name, ["messages"], "an array of messages", history))
    }
    const losses: Array<Loss.Loss> = []
    return Either.flatMap(decodeMessages(dialect, history, losses), (messages) =>
      Either.map(decodeTools(dialect.name, rest), ({ definitions, options }) => ({
        messages,
        definitions,
        options,
        // A field of a body that was parsed from JSON is JSON.
        settings: {
          format: dialect.name,
          json: settingsOf(rest as Json.JsonObject, toolsBody(dialect.name, encodeTools, definitions, options))
        },
        losses
      }))
    )
  }

/**
 * The rest of the body. What it says of tools is said by the definitions and
 * options, but for what these cannot say again in the same words: that is kept
 * as it stood.
 */
const settingsOf = (body: Json.JsonObject, { body: said }: EncodedTools): Json.JsonObject =>
  Object.fromEntries(
    Object.entries(body).filter(([key, value]) => !(Object.hasOwn(said, key) && isSameJson(said[key], value)))
  )
