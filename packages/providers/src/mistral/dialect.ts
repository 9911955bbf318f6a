/**
 * Chat Completions as Mistral speaks it.
 *
 * @see https://docs.mistral.ai/api
 */
import { nineCharacters } from "../internal/shortHash.js"
import type { ChatDialect } from "../openai/chat/ChatDialect.js"
import { decodeUserPart, encodeUserPart } from "./content.js"
import { endpoint } from "./endpoint.js"

export const dialect: ChatDialect = {
  name: "mistral",
  title: "Mistral Chat Completions",
  endpoint,
  // Mistral: "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9" (code 3280).
  acceptedId: (id) => (/^[a-zA-Z0-9]{9}$/.test(id) ? id : nineCharacters(id)),
  // The default of `id` in the API's own description.
  missingIds: new Set(["null"]),
  hasCallIndex: true,
  hasCallType: false,
  emptyContent: "",
  // "Assistant message must have either content or tool_calls, but not none." (code 3240)
  takesEmpty: false,
  hasRefusal: false,
  hasResultName: true,
  afterResults: { role: "assistant", content: "OK" },
  decodeUserPart,
  encodeUserPart
}
