/** Cohere's Chat API: its names, limits and tables. */
import type { Endpoint } from "../internal/contract.js"
import { type FormatTable, meanings } from "../internal/format.js"
import type { NameRule } from "../NameMap.js"
import { failIn } from "../internal/wireField.js"

export const formatName = "cohere-v2"

/** Cohere: letters, digits and underscores, "and must not begin with a digit"; it states no length. */
export const nameRule: NameRule = { pattern: /^[a-zA-Z_][a-zA-Z0-9_]*$/, maxLength: 128 }

/** Cohere makes ids of the tool's name and twelve characters; it states no rule. */
export const idRule: NameRule = { pattern: /^[\x20-\x7e]+$/, maxLength: 256 }

const endpoint: Endpoint = {
  url: "https://api.cohere.com",
  key: { header: "authorization", prefix: "Bearer ", variable: "CO_API_KEY" },
  headers: {},
  path: () => "/v2/chat",
  body: (model, isStreaming) => (isStreaming ? { model, stream: true } : { model })
}

export const table: FormatTable = {
  name: formatName,
  title: "Cohere Chat v2",
  api: "Cohere's API",
  historyKey: "messages",
  endpoint,
  nameRule,
  finish: meanings({
    stop: "COMPLETE STOP_SEQUENCE",
    calls: "TOOL_CALL",
    length: "MAX_TOKENS ERROR_LIMIT",
    filter: "ERROR_TOXIC",
    error: "ERROR TIMEOUT"
  }),
  usage: {
    // What the model read and wrote; `billed_units` leaves out Cohere's own prompt.
    input: ["tokens.input_tokens|billed_units.input_tokens"],
    output: ["tokens.output_tokens|billed_units.output_tokens"],
    cacheRead: ["cached_tokens"]
  },
  // `AUTO` is said by saying nothing.
  choice: { key: "tool_choice", none: "NONE", required: "REQUIRED", hasParallel: false },
  results: { images: "follow", files: "left out", hasErrorFlag: false },
  // "message must not be empty in a turn"
  takesEmptyTurn: false,
  errors: {
    // The model made no call that can be read: its request may have to be another.
    codes: meanings({ request: "invalid_tool_generation" }),
    hasWordsOnly: true,
    // Cohere's own number for a token that it does not accept.
    statuses: { 498: "credentials" },
    wordings: [
      // "too many tokens: max tokens must be …" is of the answer's length, not of the conversation's.
      {
        pattern: /^too many tokens(?!.*max tokens must be)/is,
        among: ["request", "rate", "unavailable", "credentials", "quota"],
        kind: "overflow"
      },
      // A trial key has calls a minute, which come back, and calls a month, which do not.
      { pattern: /\/ ?month|per month|monthly/i, among: ["rate"], kind: "quota" }
    ]
  }
}

export const fail = failIn(formatName)
