/**
 * Makes a result of a text that a script returned, wrote or printed.
 */
import type { Json } from "@wield/core"

/** What stands for itself in a text of this length is not looked at: it is no number. */
const longestScalar = 32

const parse = (text: string): Json.Json | undefined => {
  try {
    // What JSON.parse gives is JSON.
    return JSON.parse(text) as Json.Json
  } catch {
    return undefined
  }
}

/**
 * JSON where nothing is lost by reading it so, otherwise the text. Objects and
 * lists are always read; a scalar only where it is printed as it stood: `5` is
 * a number and `5.0`, `007` and a number of 30 digits stay texts.
 */
export const interpretText = (text: string): Json.Json => {
  const trimmed = text.trim()
  const first = trimmed[0]
  if (first === undefined) return text
  if (first === "{" || first === "[") return parse(trimmed) ?? text
  if (first !== '"' && trimmed.length > longestScalar) return text
  const value = parse(trimmed)
  return value !== undefined && JSON.stringify(value) === trimmed ? value : text
}
