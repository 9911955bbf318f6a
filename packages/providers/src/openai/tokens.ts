/**
 * Token counts of OpenAI's APIs and of those that imitate them.
 */
import { Json } from "@wield/core"
import { numberField } from "../internal/wireField.js"

/** A count inside an optional object of details. */
export const detail = (details: unknown, key: string): number | undefined =>
  Json.isObject(details) ? numberField(details, key) : undefined

/**
 * Output tokens with reasoning. OpenAI counts reasoning as output; xAI and
 * Google's OpenAI-compatible endpoint leave it out there, but not of the total.
 */
export const outputWithReasoning = (
  input: number | undefined,
  output: number | undefined,
  reasoning: number | undefined,
  total: number | undefined
): number | undefined => {
  if (input === undefined || output === undefined || total === undefined) return output
  const missing = total - input - output
  return missing > 0 && (reasoning === undefined || missing === reasoning) ? output + missing : output
}
