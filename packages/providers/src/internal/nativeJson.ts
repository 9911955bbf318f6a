/**
 * A message as this format's own JSON, where it came from a body of this
 * format. A turn in which the model said nothing may have none.
 */
import type { Json, Message } from "@wield/core"

export const nativeJson = (message: Message.Message, format: string): ReadonlyArray<Json.Json> | undefined =>
  message.native?.format !== format || isEmptyTurn(message) ? undefined : message.native.json

const isEmptyTurn = (message: Message.Message): boolean =>
  message._tag === "Assistant" && message.parts.length === 0 && message.native?.json.length === 0
