/* Words that say nothing, and beginnings instead of any part: a guide is found by what it is about. */
export const queryOf = (text) => {
  const idle = new Set(
    "a an and are as at by can do does for from how i in is it my of on or the to what when with".split(" ")
  )
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/[^\p{L}\p{N}_]/gu, ""))
  const kept = words.filter((word) => word !== "" && !idle.has(word))
  // "approve" and "approval" share their beginning.
  const begin = (word) => (word.length > 6 ? word.slice(0, -2) : word.length > 5 ? word.slice(0, -1) : word)
  return kept.map((word) => (kept.length === 1 ? `${word}^5 *${begin(word)}*` : `${word}^5 ${begin(word)}*`)).join(" ")
}
/* Names of the API have a capital or a dot within; everything else is a question, which a guide answers. */
export const orderOf = (text, results, rows) => {
  if (/[a-z][A-Z]|^[A-Z][a-z]+[.A-Z]|\./.test(text)) return results
  const document = 8388608
  const isGuide = ({ ref }) => rows[Number(ref)].kind === document
  return [...results.filter(isGuide).slice(0, 6), ...results.filter((result) => !isGuide(result))]
}
