/**
 * Where in a quoted text a character of its value is written.
 */

/**
 * The offset in `text` of the unit `offset` of the value whose first unit is
 * written at `from`: an escape is several characters for one or two units.
 */
export const offsetInQuoted = (text: string, from: number, offset: number): number => {
  let position = from
  for (let unit = 0; unit < offset && position < text.length;) {
    if (text[position] !== "\\") {
      position++
      unit++
      continue
    }
    const escape = text[position + 1] ?? ""
    const digits = hexDigits[escape] ?? 0
    // `\U` of YAML writes a character of two units as one.
    unit += digits === 8 && Number.parseInt(text.slice(position + 2, position + 10), 16) > 0xff_ff ? 2 : 1
    position += 2 + digits
  }
  return position
}

const hexDigits: { readonly [escape: string]: number } = { u: 4, x: 2, U: 8 }
