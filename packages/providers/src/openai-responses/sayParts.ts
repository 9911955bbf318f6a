/** A turn of another format as items of the Responses API. */
import type { Json, Loss, Turn } from "@wield/core"
import { Json as JsonGuards } from "@wield/core"
import type { CallPairs } from "../internal/callPairs.js"
import type { Saying } from "../internal/sayable.js"
import { isEmptyTurn, sayable } from "../internal/sayable.js"
import type { Fields } from "../internal/wireField.js"
import type { Offered } from "./encodeCall.js"
import { encodeCall } from "./encodeCall.js"

/** What is known of the conversation while it is written. */
export interface Writing {
  readonly offered: Offered
  readonly pairs: CallPairs
  /** The items that called, by the ids that their results name. */
  readonly callers: Map<string, Fields>
  /** The API holds what was said before: results may answer calls that are not here. */
  readonly isContinued: boolean
  readonly losses: Array<Loss.Loss>
}

/** The API refuses a longer `call_id`. */
export const idRule = { pattern: /^.+$/s, maxLength: 64 }

export const sayParts = (
  parts: ReadonlyArray<Turn.Part>,
  saying: Pick<Saying, "format" | "isPaired" | "subject">,
  { callers, losses, offered, pairs }: Writing
): ReadonlyArray<Json.Json> => {
  const items = sayable(parts, { ...saying, losses }).flatMap((part): ReadonlyArray<Json.Json> => {
    if (part._tag === "Kept") return part.json
    if (part._tag === "Text") return part.text === "" ? [] : [{ role: "assistant", content: part.text }]
    if (part._tag === "Refusal") {
      return [{ role: "assistant", content: [{ type: "refusal", refusal: part.text }] }]
    }
    const id = pairs.call(part)
    const item = encodeCall(part.call, id, offered)
    callers.set(id, item)
    return [item]
  })
  const sent = withoutLooseReasoning(items)
  return sent.length === 0 && isEmptyTurn(parts) ? [emptyMessage] : sent
}

export const emptyMessage: Json.JsonObject = { role: "assistant", content: "" }

/** The API refuses reasoning that is not followed by the item that it led to. */
export const withoutLooseReasoning = (items: ReadonlyArray<Json.Json>): ReadonlyArray<Json.Json> => {
  const last = items.findLastIndex((item) => JsonGuards.isObject(item) && item["type"] !== "reasoning")
  return items.slice(0, last + 1)
}
