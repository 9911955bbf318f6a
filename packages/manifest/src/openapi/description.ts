/** Descriptions within a budget of characters: whole sentences, where one fits. */

export const shorten = (text: string, limit: number): string => {
  const trimmed = text.trim()
  if (trimmed.length <= limit) return trimmed
  let taken = ""
  // Sentences beyond the budget need not be found.
  for (const { segment } of sentences.segment(trimmed.slice(0, limit + 1))) {
    if (taken.length + segment.length > limit) break
    taken += segment
  }
  const whole = taken.trimEnd()
  if (whole !== "") return whole
  const words = trimmed.slice(0, Math.max(0, limit - 1))
  const end = words.search(/\s\S*$/)
  return `${(end > 0 ? words.slice(0, end) : words).trimEnd()}…`
}

const sentences = new Intl.Segmenter("en", { granularity: "sentence" })
