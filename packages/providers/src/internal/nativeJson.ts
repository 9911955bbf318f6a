/** A message as this format's own JSON, where it came from a body of this format. */
import type { Json, Message } from "@wield/core"

export const nativeJson = (message: Message.Message, format: string): ReadonlyArray<Json.Json> | undefined =>
  message.native !== undefined && message.native.format === format ? message.native.json : undefined
