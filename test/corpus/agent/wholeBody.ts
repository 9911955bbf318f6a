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
  const body = withReferred(requestBody as Json.JsonObject, earlier)
  if (body === undefined) return undefined
  const isWritten = body !== requestBody
  const { conversation, previous_response_id: previous, ...rest } = body
  if ((previous ?? null) === null && (conversation ?? null) === null) return { body, isWhole: !isWritten }
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

/** With the items of earlier responses that it refers to; undefined where they are not recorded. */
const withReferred = (body: Json.JsonObject, earlier: ReadonlyArray<Step>): Json.JsonObject | undefined => {
  const { input } = body
  const isReference = (item: Json.Json): item is Json.JsonObject =>
    Json.isObject(item) && item["type"] === "item_reference"
  if (!Array.isArray(input) || !input.some(isReference)) return body
  const known = earlier.flatMap(({ turn }) => turn.native)
  const items = (input as ReadonlyArray<Json.Json>).map((item) =>
    isReference(item) ? known.find((other) => Json.isObject(other) && other["id"] === item["id"]) : item
  )
  return items.every((item) => item !== undefined) ? { ...body, input: items } : undefined
}

const itemsOf = (input: Json.Json | undefined): ReadonlyArray<Json.Json> =>
  typeof input === "string"
    ? [{ role: "user", content: input }]
    : Array.isArray(input)
      ? (input as ReadonlyArray<Json.Json>)
      : []
