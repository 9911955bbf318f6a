/** The tokens of a response's output, as its body states them under the API's own key. */
import { Json } from "@wield/core"
import type { Exchange } from "../exchanges.js"

/** Undefined where it streams, or states none. */
export const statedOutput = ({ body, stream }: Exchange): number | undefined => {
  if (stream !== undefined) return undefined
  const usage = within(body, "usage") ?? within(body, "usageMetadata") ?? {}
  const { candidatesTokenCount, output_tokens, outputTokens, prompt_tokens, thoughtsTokenCount, total_tokens } = usage
  const cohere = within(usage, "tokens")?.["output_tokens"]
  // Google's own Chat Completions leave the reasoning out of `completion_tokens`, not out of the total.
  const completion =
    typeof total_tokens === "number" && typeof prompt_tokens === "number" ? total_tokens - prompt_tokens : undefined
  const stated = completion ?? cohere ?? output_tokens ?? outputTokens ?? candidatesTokenCount
  if (typeof stated !== "number") return undefined
  // Gemini counts its thoughts apart.
  return stated + (typeof thoughtsTokenCount === "number" ? thoughtsTokenCount : 0)
}

const within = (value: unknown, key: string): { readonly [key: string]: unknown } | undefined => {
  const inner = Json.isObject(value) ? value[key] : undefined
  return Json.isObject(inner) ? inner : undefined
}
