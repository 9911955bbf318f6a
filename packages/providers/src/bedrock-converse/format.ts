/** Bedrock's Converse API: its names, limits and tables. */
import type { Endpoint } from "../internal/contract.js"
import { markBedrock } from "../internal/cache.js"
import { type FormatTable, meanings } from "../internal/format.js"
import type { NameRule } from "../NameMap.js"
import { failIn } from "../internal/wireField.js"

export const formatName = "bedrock-converse"

/** The API's model of `toolSpec.name` and of `toolUse.name`. */
export const nameRule: NameRule = { pattern: /^[a-zA-Z0-9_-]{1,64}$/, maxLength: 64 }

/** The API's model of `toolUseId`. Kimi's ids are such as `functions.now:0`. */
export const idRule: NameRule = { pattern: /^[a-zA-Z0-9_.:-]{1,64}$/, maxLength: 64 }

const endpoint: Endpoint = {
  // Each region has its own; a default would send data to a region that the user did not choose.
  url: undefined,
  key: { header: "authorization", prefix: "Bearer ", variable: "AWS_BEARER_TOKEN_BEDROCK" },
  headers: {},
  // The model may be an ARN, with colons and slashes.
  path: (model, isStreaming) => `/model/${encodeURIComponent(model)}/${isStreaming ? "converse-stream" : "converse"}`,
  body: () => ({})
}

/** China's regions have a domain of their own. */
export const regionUrl = (region: string): string =>
  `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`

export const table: FormatTable = {
  name: formatName,
  title: "Amazon Bedrock Converse",
  api: "The Converse API",
  historyKey: "messages",
  endpoint,
  nameRule,
  finish: meanings({
    stop: "end_turn stop_sequence",
    calls: "tool_use",
    length: "max_tokens model_context_window_exceeded",
    filter: "guardrail_intervened content_filtered",
    error: "malformed_model_output malformed_tool_use"
  }),
  usage: {
    // Bedrock counts cached tokens beside `inputTokens`, not among them.
    input: ["inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"],
    output: ["outputTokens"],
    cacheRead: ["cacheReadInputTokens"],
    cacheWrite: ["cacheWriteInputTokens"]
  },
  // It cannot forbid calls, and refuses a history with calls when no tools are offered.
  choice: {
    key: "toolChoice",
    auto: { auto: {} },
    required: { any: {} },
    one: (name) => ({ tool: { name } }),
    hasParallel: false
  },
  results: { images: "carried", files: "some types", hasErrorFlag: true },
  takesEmptyTurn: false,
  markCached: markBedrock,
  errors: {
    // Exceptions within a stream begin with a small letter.
    codes: meanings({
      rate: "throttlingexception toomanyrequestsexception",
      quota: "servicequotaexceededexception",
      credentials:
        "accessdeniedexception unrecognizedclientexception invalidsignatureexception expiredtokenexception " +
        "missingauthenticationtokenexception incompletesignatureexception notauthorizedexception",
      unavailable:
        // 429, but it is the model that is not loaded yet.
        "modelnotreadyexception " +
        // 424: the model failed, whatever the status.
        "modelerrorexception modelstreamerrorexception modeltimeoutexception " +
        "internalserverexception internalfailure serviceunavailableexception",
      request: "validationexception resourcenotfoundexception"
    }),
    genericCodes: "internalserverexception internalfailure",
    wordings: [
      // "Too many tokens per day, please wait before trying again."
      { pattern: /per day/i, among: ["rate"], kind: "quota" },
      // Bedrock passes on what the model says; Claude, Nova, Llama and Mistral each have words of their own.
      {
        pattern:
          /(input|prompt) is too long|too many input tokens|(exceed|longer than).*(context|maximum (input|prompt|model) (length|tokens))|maximum context length|input length and `max_tokens` exceed/i,
        among: ["request", "unavailable"],
        kind: "overflow"
      },
      { pattern: /content filter/i, among: ["request", "unavailable"], kind: "filter" }
    ]
  }
}

export const fail = failIn(formatName)
