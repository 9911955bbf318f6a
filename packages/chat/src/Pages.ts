/** Pages of either protocol, at one address. */
import * as JsonValue from "@wield/core/Json"
import type * as Effect from "effect/Effect"
import * as AgUi from "./AgUi.js"
import type { Chat } from "./Chat.js"
import type { Refused } from "./ChatError.js"
import { serve } from "./internal/http.js"
import * as UiMessages from "./UiMessages.js"

/**
 * Answers requests of both protocols: one whose body has a `threadId` is of AG-UI, every other of the AI SDK.
 *
 * @category handlers
 */
export const handler = (
  chat: Chat,
  options: Pick<UiMessages.EncodeOptions, "version"> = {}
): ((request: Request) => Promise<Response>) => {
  const ofAgUi = AgUi.responder(chat)
  const ofUiMessages = UiMessages.responder(chat, options)
  const respondTo = (request: Request, body: unknown): Effect.Effect<Response, Refused> =>
    JsonValue.isObject(body) && body["threadId"] !== undefined ? ofAgUi(request, body) : ofUiMessages(request, body)
  return serve(chat, respondTo)
}
