/** What share of the questions an order of answers is right for. */

/** The share of the wanted that is among the first `count`. */
export const recallAt = (count: number, found: ReadonlyArray<string>, wanted: ReadonlyArray<string>): number => {
  const first = new Set(found.slice(0, count))
  return wanted.filter((one) => first.has(one)).length / wanted.length
}

/** 1 where one of the wanted is among the first `count`: any of them answers the question. */
export const hitAt = (count: number, found: ReadonlyArray<string>, wanted: ReadonlyArray<string>): number =>
  found.slice(0, count).some((one) => wanted.includes(one)) ? 1 : 0

export const mean = (numbers: ReadonlyArray<number>): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length

export const share = (part: number): string => part.toFixed(3)
