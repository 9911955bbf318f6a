/**
 * Token counts of a Chat Completions response.
 */
import { Json, Turn } from "@wield/core"
import { numberField } from "../../internal/wireField.js"
import { detail, outputWithReasoning } from "../tokens.js"

export const usageOf = (usage: unknown): Turn.Usage => {
  if (!Json.isObject(usage)) return Turn.unknownUsage
  const input = numberField(usage, "prompt_tokens")
  const reasoning = detail(usage["completion_tokens_details"], "reasoning_tokens")
  return {
    input,
    output: outputWithReasoning(
      input,
      numberField(usage, "completion_tokens"),
      reasoning,
      numberField(usage, "total_tokens")
    ),
    reasoning,
    // DeepSeek counts at the top level too, and at first did so only there.
    // Mistral did so under a name of its own.
    cacheRead:
      detail(usage["prompt_tokens_details"], "cached_tokens") ??
      numberField(usage, "prompt_cache_hit_tokens") ??
      numberField(usage, "num_cached_tokens"),
    // OpenRouter, for models of Anthropic.
    cacheWrite: detail(usage["prompt_tokens_details"], "cache_write_tokens")
  }
}
