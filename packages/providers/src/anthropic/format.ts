/** Anthropic's Messages API: its names, limits and tables. */
import * as ToolDefinition from "@wield/core/ToolDefinition"
import type { Endpoint } from "../internal/contract.js"
import { markAnthropic } from "../internal/cache.js"
import { type FormatTable, meanings } from "../internal/format.js"
import type { NameRule } from "../NameMap.js"
import { failIn } from "../internal/wireField.js"

export const formatName = "anthropic"

/** The API's own error message states this pattern; its guide still says 64 characters. */
export const nameRule: NameRule = { pattern: /^[a-zA-Z0-9_-]{1,128}$/, maxLength: 128 }

/** The API's own error message states this pattern, and no length. */
export const idRule: NameRule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 }

/** The API refuses a request without a limit. All of its models take this one; newer ones take far more. */
const maxTokens = 4096

const endpoint: Endpoint = {
  url: "https://api.anthropic.com",
  key: { header: "x-api-key", prefix: "", variable: "ANTHROPIC_API_KEY" },
  headers: { "anthropic-version": "2023-06-01" },
  path: () => "/v1/messages",
  body: (model, isStreaming) => ({ model, max_tokens: maxTokens, ...(isStreaming ? { stream: true } : {}) })
}

export const table: FormatTable = {
  name: formatName,
  title: "Anthropic Messages",
  api: "Anthropic's API",
  historyKey: "messages",
  endpoint,
  nameRule,
  search: {
    tool: (definition) => definition,
    hosted: ToolDefinition.make({
      name: "tool_search_tool_bm25",
      provider: {
        id: "anthropic.tool_search_tool_bm25_20251119",
        name: "tool_search_tool_bm25",
        settings: {}
      }
    }),
    isKnown: ({ host = "api.anthropic.com", model = "" }) => {
      // The order of the words was another one before.
      const [, major, minor = "0"] = /^claude-[a-z]+-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(model) ?? []
      const isMaker = /(^|\.)anthropic\.com(:\d+)?$/.test(host)
      return isMaker && (Number(major) > 4 || (major === "4" && Number(minor) >= 5))
    }
  },
  finish: meanings({
    stop: "end_turn stop_sequence",
    // After tools that Anthropic ran itself, too: those wait for nothing.
    calls: "tool_use",
    length: "max_tokens model_context_window_exceeded",
    filter: "refusal",
    // After a compaction the API asks to go on with what it has written.
    paused: "pause_turn compaction"
  }),
  usage: {
    // Anthropic counts cached tokens beside `input_tokens`, not among them.
    input: ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
    output: ["output_tokens"],
    reasoning: ["output_tokens_details.thinking_tokens"],
    cacheRead: ["cache_read_input_tokens"],
    cacheWrite: ["cache_creation_input_tokens"]
  },
  choice: {
    key: "tool_choice",
    auto: { type: "auto" },
    none: { type: "none" },
    required: { type: "any" },
    one: (name) => ({ type: "tool", name }),
    hasParallel: true
  },
  results: { images: "some types", files: "some types", hasErrorFlag: true },
  // "messages must have non-empty content"
  takesEmptyTurn: false,
  markCached: markAnthropic,
  errors: {
    codes: meanings({
      quota: "billing_error",
      credentials: "authentication_error permission_error",
      rate: "rate_limit_error",
      unavailable: "api_error overloaded_error timeout_error conflict_error",
      request: "invalid_request_error not_found_error request_too_large"
    }),
    genericCodes: "api_error invalid_request_error",
    wordings: [
      { pattern: /request too large/i, among: ["rate"], kind: "overflow" },
      // A credit that is used up is an `invalid_request_error`, a spend limit a `rate_limit_error`.
      {
        pattern: /credit balance|API usage limits?|spend(ing)? limit|spend_limit|monthly limit/i,
        among: ["request", "rate", "credentials"],
        kind: "quota"
      },
      {
        pattern:
          /prompt is too long|input is too long|exceeds? (the )?context (limit|window)|context window|too many (input )?tokens/i,
        among: ["request"],
        kind: "overflow"
      },
      { pattern: /content filter/i, among: ["request"], kind: "filter" }
    ]
  }
}

export const fail = failIn(formatName)
