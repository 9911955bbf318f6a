// JavaScript: JSDoc says what TypeScript would.

/**
 * Counts the days from one date to another.
 * @param {string} from The first date, such as 2026-02-27
 * @param {string} to The last date
 */
export function run(from, to) {
  const [first, last] = [Date.parse(from), Date.parse(to)]
  if (Number.isNaN(first) || Number.isNaN(last)) throw new RangeError("a date is written as 2026-02-27")
  return Math.round((last - first) / 86_400_000)
}
