/** Gemini's API: its names, limits and tables. */
import type { Endpoint } from "../internal/contract.js"
import { type FormatTable, meanings } from "../internal/format.js"
import type { NameRule } from "../NameMap.js"
import { failIn } from "../internal/wireField.js"

export const formatName = "gemini"

/** Vertex AI's rule, which is the narrower one: the developer API also lets a digit come first. */
export const nameRule: NameRule = { pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, maxLength: 64 }

/** Which entry of `tools` offers the server-side tool that a `toolCall` part names by its type. */
export const serverTools: ReadonlyMap<string, string> = new Map([
  ["GOOGLE_SEARCH_WEB", "googleSearch"],
  ["GOOGLE_SEARCH_IMAGE", "googleSearch"],
  ["URL_CONTEXT", "urlContext"],
  ["GOOGLE_MAPS", "googleMaps"],
  ["FILE_SEARCH", "fileSearch"]
])

/**
 * Finish reasons as Vertex AI numbers them: with `$alt=json;enum-encoding=int`,
 * as Google's REST transport for Python asks, enums arrive as numbers.
 */
export const numberedFinishReasons: ReadonlyArray<string> = (
  "FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION OTHER BLOCKLIST PROHIBITED_CONTENT SPII " +
  "MALFORMED_FUNCTION_CALL MODEL_ARMOR IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION IMAGE_OTHER " +
  "UNEXPECTED_TOOL_CALL NO_IMAGE"
).split(" ")

const endpoint: Endpoint = {
  url: "https://generativelanguage.googleapis.com/v1beta",
  key: { header: "x-goog-api-key", prefix: "", variable: "GEMINI_API_KEY" },
  headers: {},
  path: (model, isStreaming) =>
    // Without `alt=sse` the API streams one JSON array.
    `/${resource(model)}:${isStreaming ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  // Model and streaming stand in the address.
  body: () => ({})
}

/** Google's lists name a model `models/…`, and one's own `tunedModels/…`. */
const resource = (model: string): string => {
  const [, collection, id] = /^(models|tunedModels)\/(.+)$/s.exec(model) ?? [undefined, "models", model]
  return `${collection}/${encodeURIComponent(id ?? model)}`
}

export const table: FormatTable = {
  name: formatName,
  title: "Google Gemini",
  api: "Gemini",
  historyKey: "contents",
  endpoint,
  nameRule,
  // STOP also where results are waited for.
  finish: meanings({
    stop: "STOP",
    length: "MAX_TOKENS",
    filter:
      "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII MODEL_ARMOR " +
      "IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION",
    error:
      "MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS MISSING_THOUGHT_SIGNATURE MALFORMED_RESPONSE"
  }),
  usage: {
    // The total is prompt + tool use + candidates + thoughts; what was read from a cache is among the prompt.
    input: ["promptTokenCount|prompt_token_count", "toolUsePromptTokenCount|tool_use_prompt_token_count"],
    output: ["candidatesTokenCount|candidates_token_count", "thoughtsTokenCount|thoughts_token_count"],
    reasoning: ["thoughtsTokenCount|thoughts_token_count"],
    cacheRead: ["cachedContentTokenCount|cached_content_token_count"]
  },
  choice: {
    key: "toolConfig",
    auto: { mode: "AUTO" },
    none: { mode: "NONE" },
    required: { mode: "ANY" },
    one: (name) => ({ mode: "ANY", allowedFunctionNames: [name] }),
    several: (names) => ({ mode: "ANY", allowedFunctionNames: names }),
    hasParallel: false
  },
  results: { images: "carried", files: "carried", hasErrorFlag: true },
  takesEmptyTurn: true,
  errors: {
    codes: meanings({
      // A wrong key is an INVALID_ARGUMENT with the reason API_KEY_INVALID.
      credentials: "api_key_invalid unauthenticated permission_denied",
      // The second is ours, for a quota that is not a matter of seconds.
      quota: "billing_disabled quota_used_up",
      request: "invalid_argument failed_precondition out_of_range not_found already_exists unimplemented",
      rate: "resource_exhausted",
      unavailable: "internal unavailable deadline_exceeded aborted cancelled unknown"
    }),
    genericCodes: "internal unknown invalid_argument failed_precondition",
    wordings: [
      {
        pattern:
          /(input )?token count.*exceeds|exceeds the maximum number of (input )?tokens|context (length|window)/is,
        among: ["request"],
        kind: "overflow"
      },
      {
        pattern: /responsible AI|safety (settings?|filters?)|prohibited (content|use)/i,
        among: ["request"],
        kind: "filter"
      }
    ]
  }
}

export const fail = failIn(formatName)
