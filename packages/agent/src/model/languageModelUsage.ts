/** What a response of @effect/ai cost, and why it ended. */
import type { Response } from "@effect/ai"
import { Json, type Turn } from "@wield/core"

export const usageOf = ({ metadata, usage }: Response.FinishPart): Turn.Usage => {
  const cache = anthropicCache(metadata)
  return {
    // The Anthropic package counts what was neither read from nor written to a cache; the others count all.
    input: usage.inputTokens === undefined ? undefined : usage.inputTokens + (cache?.read ?? 0) + (cache?.write ?? 0),
    output: usage.outputTokens,
    reasoning: usage.reasoningTokens,
    cacheRead: usage.cachedInputTokens ?? cache?.read,
    cacheWrite: cache?.write
  }
}

/** Anthropic's own counts, which its package keeps beside. */
const anthropicCache = (
  metadata: Response.ProviderMetadata
): { readonly read: number | undefined; readonly write: number | undefined } | undefined => {
  const counts = metadata["anthropic"]?.["usage"]
  return Json.isObject(counts)
    ? { read: count(counts["cache_read_input_tokens"]), write: count(counts["cache_creation_input_tokens"]) }
    : undefined
}

const count = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

export const finishOf = (reason: Response.FinishReason): Turn.Finish => {
  switch (reason) {
    case "tool-calls":
      return "calls"
    case "content-filter":
      return "filter"
    case "pause":
      return "paused"
    case "unknown":
      return "other"
    default:
      return reason
  }
}
