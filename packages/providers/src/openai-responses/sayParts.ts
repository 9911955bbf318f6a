/** A turn of another format as items of the Responses API. */
import type { Json, Loss, Turn } from "@wield/core"
import type { CallPairs } from "../internal/callPairs.js"
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
  /** Whether this call may be said: it has a result. */
  isPaired: (id: string) => boolean,
  subject: string,
  { callers, losses, offered, pairs }: Writing
): ReadonlyArray<Json.JsonObject> =>
  parts.flatMap((part, index): ReadonlyArray<Json.JsonObject> => {
    const lose = (keyword: string, reason: string): ReadonlyArray<never> => {
      losses.push({ subject, path: [index], keyword, reason })
      return []
    }
    switch (part._tag) {
      case "Text":
        return part.text === "" ? [] : [{ role: "assistant", content: part.text }]
      case "Refusal":
        return [{ role: "assistant", content: [{ type: "refusal", refusal: part.text }] }]
      case "Reasoning":
        return lose("reasoning", "The API takes back only reasoning of its own; it is left out.")
      case "Call": {
        const { call, executedBy } = part
        if (executedBy === "provider") {
          return lose("providerCall", `The provider ran ${call.name} itself; the call and its result are left out.`)
        }
        if (!isPaired(call.id)) {
          return lose("call", `The call ${call.id} of ${call.name} has no result; it is left out.`)
        }
        const id = pairs.call(call.id)
        const item = encodeCall(call, id, offered)
        callers.set(id, item)
        return [item]
      }
    }
  })
