/** Makes a result of a text that a script returned, wrote or printed. */
import * as Json from "@wield/core/Json"

/**
 * The JSON value that a text is, where the model reads the same text of the
 * value as of the script; otherwise the text itself. JSON.parse changes values
 * without a word: it rounds numbers, moves keys, and drops all but the last of
 * those that are equal. So the value is written again, and has to come to the
 * same characters but for how a string is escaped, and for one space after a
 * comma or a colon. A string in quotes stays as it is printed.
 */
export const interpretText = (text: string): Json.Json => {
  if (!beginsValue.test(text)) return text
  const value = parse(text)
  if (value === undefined) return text
  const written = write(value)
  return written !== undefined && isSame(text, written) ? value : text
}

/** An object, a list, a number (no longer than JavaScript writes one), true, false or null. */
const beginsValue = /^(?:[{[]|-?\d.{0,31}$|true$|false$|null$)/

const parse = (text: string): Json.Json | undefined => {
  try {
    return Json.parse(text, { numbers: "rounded" })
  } catch {
    return undefined
  }
}

/** Nothing where the value nests too deeply: JSON.parse goes deeper than JSON.stringify. */
const write = (value: Json.Json): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** Those who walk through a value call themselves for each level. */
const deepest = 500

const quote = 34
const comma = 44
const colon = 58
const space = 32
const backslash = 92

/** Whether two JSON texts, of which the second has no spaces, say the same in the same order. */
const isSame = (text: string, written: string): boolean => {
  let at = 0
  let depth = 0
  let index = 0
  for (; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === written.charCodeAt(at)) {
      at++
      if (unit === quote) {
        const ends = stringEnds(text, index + 1, written, at)
        if (ends === undefined) return false
        // Assigned to an object, this key would be its prototype.
        if (ends[1] - at === 10 && written.startsWith("__proto__", at)) return false
        index = ends[0] - 1
        at = ends[1]
      } else if (unit === 123 || unit === 91) {
        if (++depth > deepest) return false
      } else if (unit === 125 || unit === 93) depth--
    } else if (unit !== space || !isSeparator(text.charCodeAt(index - 1))) return false
  }
  return at === written.length
}

const isSeparator = (unit: number): boolean => unit === comma || unit === colon

/** Where two strings end that begin at these places; nothing where they differ or hold half of a surrogate pair. */
const stringEnds = (
  text: string,
  index: number,
  written: string,
  at: number
): readonly [number, number] | undefined => {
  for (;;) {
    const unit = text.charCodeAt(index)
    const other = written.charCodeAt(at)
    if (unit === backslash || other === backslash) {
      // Half of a pair is written as an escape, and would not survive in UTF-8.
      if (isHalf(written, at)) return undefined
      const [character, length] = unescape(text, index)
      const [same, otherLength] = unescape(written, at)
      if (character !== same) return undefined
      index += length
      at += otherLength
    } else {
      if (unit !== other) return undefined
      index++
      at++
      if (unit === quote) return [index, at]
    }
  }
}

const isHalf = (written: string, at: number): boolean =>
  written.startsWith("\\ud", at) && written.charCodeAt(at + 3) >= 56

const escapes: { readonly [letter: string]: number } = { b: 8, f: 12, n: 10, r: 13, t: 9 }

/** The unit that stands at a place of a JSON string, and how many it takes to write it. */
const unescape = (text: string, index: number): readonly [number, number] => {
  const unit = text.charCodeAt(index)
  if (unit !== backslash) return [unit, 1]
  const letter = text[index + 1] ?? ""
  if (letter === "u") return [Number.parseInt(text.slice(index + 2, index + 6), 16), 6]
  return [escapes[letter] ?? letter.charCodeAt(0), 2]
}
