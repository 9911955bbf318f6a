/**
 * Token counts of a response.
 */
import { Json, Turn } from "@wield/core"
import { numberField } from "../internal/wireField.js"
import { detail, outputWithReasoning } from "../openai/tokens.js"

export const usageOf = (usage: unknown): Turn.Usage => {
  if (!Json.isObject(usage)) return Turn.unknownUsage
  const input = numberField(usage, "input_tokens")
  const reasoning = detail(usage["output_tokens_details"], "reasoning_tokens")
  return {
    input,
    output: outputWithReasoning(
      input,
      numberField(usage, "output_tokens"),
      reasoning,
      numberField(usage, "total_tokens")
    ),
    reasoning,
    cacheRead: detail(usage["input_tokens_details"], "cached_tokens"),
    cacheWrite: detail(usage["input_tokens_details"], "cache_write_tokens")
  }
}
