/**
 * Whether a number is a multiple of another, as decimals: 19.99 is one of 0.01,
 * though 19.99 / 0.01 is no whole number in JavaScript.
 */
export const isMultipleOf = (value: number, divisor: number): boolean => {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const one = decimalOf(value)
  const other = decimalOf(divisor)
  if (one === undefined || other === undefined) return false
  const exponent = Math.min(one.exponent, other.exponent)
  const scale = (decimal: Decimal): bigint => decimal.digits * 10n ** BigInt(decimal.exponent - exponent)
  return scale(one) % scale(other) === 0n
}

interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

/** Of the digits that JavaScript writes; `undefined` for what is not finite. */
const decimalOf = (value: number): Decimal | undefined => {
  const [, whole, fraction = "", exponent = "0"] = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  return whole === undefined
    ? undefined
    : { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}
