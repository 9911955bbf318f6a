/** Short names for long ones: equal text gives the same hash in every process. Not for secrets. */

/** 32-bit FNV-1a over UTF-16 code units, from the end of the text where `isBackwards`. */
const numberOf = (text: string, isBackwards: boolean): number => {
  let value = 0x811c9dc5
  for (let index = 0, last = text.length - 1; index <= last; index++) {
    value = Math.imul(value ^ text.charCodeAt(isBackwards ? last - index : index), 0x01000193)
  }
  return value >>> 0
}

const hexadecimal = (value: number): string => value.toString(16).padStart(8, "0")

/** 32 bits as eight hexadecimal digits. */
export const hash = (text: string): string => hexadecimal(numberOf(text, false))

/** 64 bits as sixteen hexadecimal digits. */
export const shortHash = (text: string): string => hash(text) + hexadecimal(numberOf(text, true))

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Nine letters and digits. */
export const nineCharacters = (text: string): string =>
  inDigits(numberOf(text, false), 5) + inDigits(numberOf(text, true), 4)

const inDigits = (value: number, length: number): string => {
  let rest = value
  let out = ""
  for (let place = 0; place < length; place++) {
    out += digits.charAt(rest % digits.length)
    rest = Math.floor(rest / digits.length)
  }
  return out
}
