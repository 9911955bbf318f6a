/**
 * Chat Completions as OpenAI speaks it.
 */
import { shortHash } from "../internal/shortHash.js"
import type { ChatDialect } from "../openai/chat/ChatDialect.js"
import { decodeUserPart, encodeUserPart } from "./content.js"
import { endpoint } from "./endpoint.js"

/** OpenAI: "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40". */
const maxIdLength = 40

export const dialect: ChatDialect = {
  name: "openai-chat",
  title: "OpenAI Chat Completions",
  endpoint,
  acceptedId: (id) => (id !== "" && id.length <= maxIdLength ? id : `call_${shortHash(id)}`),
  missingIds: new Set(),
  hasCallIndex: false,
  hasCallType: true,
  emptyContent: null,
  takesEmpty: true,
  hasRefusal: true,
  hasResultName: false,
  afterResults: undefined,
  decodeUserPart,
  encodeUserPart
}
