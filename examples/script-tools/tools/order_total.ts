// TypeScript: the types of the file become JSON Schema, and types are no more when it runs.
interface Position {
  /** What is bought. */
  readonly name: string
  /** What one costs, in units of the currency. */
  readonly price: number
  readonly quantity?: number
}

/**
 * Adds up what an order costs.
 * @param positions What is bought
 * @param currency The currency of the prices and of the sum
 */
export async function run(positions: ReadonlyArray<Position>, currency: "EUR" | "CHF" = "EUR") {
  const total = positions.reduce((sum, { price, quantity = 1 }) => sum + price * quantity, 0)
  return { total: `${total.toFixed(2)} ${currency}`, positions: positions.length }
}
