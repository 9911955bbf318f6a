/**
 * OpenAI's Responses API can hold a conversation itself: a request then says
 * what is new only. Wield always says all of it, so the recorded request is
 * written out before the two are compared.
 */
import { Json } from "@wield/core"
import type { Exchange } from "../exchanges.js"
import type { Step } from "./conversations.js"

interface Whole {
  readonly body: Json.JsonObject
  /** False where something had to be written out. */
  readonly isWhole: boolean
}

/** Undefined where only the API knows what was said before. */
export const wholeBody = ({ requestBody }: Exchange, earlier: ReadonlyArray<Step>): Whole | undefined => {
  if (!Json.isObject(requestBody)) return undefined
  // A request's body is JSON.
  const body = requestBody as Json.JsonObject
  const { conversation, previous_response_id: previous, ...rest } = body
  if ((previous ?? null) === null && (conversation ?? null) === null) return { body, isWhole: true }
  const before = earlier.findLast(({ exchange, turn }) =>
    (previous ?? null) === null
      ? conversation === (Json.isObject(exchange.requestBody) ? exchange.requestBody["conversation"] : undefined)
      : turn.id === previous
  )
  if (before === undefined) return undefined
  return {
    body: { ...rest, input: [...itemsOf(before.body["input"]), ...before.turn.native, ...itemsOf(rest["input"])] },
    isWhole: false
  }
}

const itemsOf = (input: Json.Json | undefined): ReadonlyArray<Json.Json> =>
  typeof input === "string"
    ? [{ role: "user", content: input }]
    : Array.isArray(input)
      ? (input as ReadonlyArray<Json.Json>)
      : []
