/** As many texts as fit, the first ones first. One that does not fit is left out, and a shorter one behind it taken. */

export const within = (
  texts: ReadonlyArray<string>,
  count: (text: string) => number,
  tokens: number
): ReadonlyArray<string> => {
  let left = tokens
  return texts.filter((text) => {
    const size = count(text)
    if (size > left) return false
    left -= size
    return true
  })
}
