/** Text as a model gets it: without what cannot be seen, and without runs of blanks. */

export const tidyText = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(unseen, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()

/** Controls, and the characters of Unicode that reverse or hide text. */
const unseen = /[^\P{Cc}\n\t]|[\u200B\u2060\u202A-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu

/** Where a text is read from, so that no character is cut in two. */
export const startAt = (text: string, start: number): number => (isSecondHalf(text, start) ? start + 1 : start)

/** So many units from a beginning, and one more where that would cut a character in two. */
export const sliceText = (text: string, start: number, length: number): string => {
  const end = start + length
  return text.slice(start, isSecondHalf(text, end) ? end + 1 : end)
}

const isSecondHalf = (text: string, index: number): boolean =>
  index > 0 &&
  index < text.length &&
  /[\uDC00-\uDFFF]/.test(text.charAt(index)) &&
  /[\uD800-\uDBFF]/.test(text.charAt(index - 1))
