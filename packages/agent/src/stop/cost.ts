/**
 * What usage costs.
 */
import type { Turn } from "@wield/core"
import type { Price, Prices } from "../Stop.js"

/** What is known of the cost, and why something is not. */
export interface Cost {
  readonly cost: number
  readonly unknown: string | undefined
}

export const costOf = (
  usageByModel: ReadonlyMap<string, Turn.Usage>,
  prices: Prices,
  other: Price | undefined
): Cost => {
  let cost = 0
  let unknown: string | undefined
  for (const [model, usage] of usageByModel) {
    const price = priceOf(model, prices) ?? other
    if (price === undefined) {
      unknown ??= `the model ${model} has no price: add it to the prices, or give the price of other models`
    } else if (usage.input === undefined && usage.output === undefined) {
      unknown ??= `the model ${model} does not say how many tokens it uses: ask the API for usage, or stop by steps`
    } else cost += times(usage, price)
  }
  return { cost, unknown }
}

const times = (usage: Turn.Usage, price: Price): number => {
  const read = usage.cacheRead ?? 0
  const written = usage.cacheWrite ?? 0
  // `input` includes both; an API that says otherwise must not lower the cost.
  const fresh = Math.max(0, (usage.input ?? 0) - read - written)
  return (
    (fresh * price.input +
      read * (price.cacheRead ?? price.input) +
      written * (price.cacheWrite ?? price.input) +
      (usage.output ?? 0) * price.output) /
    1_000_000
  )
}

/** `-20250805`, `-2025-08-07`, `@20250805`: no other ending, since `claude-opus-4-1` is not `claude-opus-4`. */
const date = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/

const priceOf = (model: string, prices: Prices): Price | undefined =>
  Object.hasOwn(prices, model) ? prices[model] : withoutDate(model.replace(date, ""), prices)

const withoutDate = (model: string, prices: Prices): Price | undefined =>
  Object.hasOwn(prices, model) ? prices[model] : undefined
