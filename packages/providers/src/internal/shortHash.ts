/**
 * Short names for long ones: equal text gives the same hash in every process.
 * Not for secrets.
 */

/** Two hashes of 32 bits, of the text read forwards and backwards. */
const hashes = (text: string): readonly [number, number] => {
  let forwards = 0x811c9dc5
  let backwards = 0x811c9dc5
  for (let index = 0, last = text.length - 1; index <= last; index++) {
    forwards = Math.imul(forwards ^ text.charCodeAt(index), 0x01000193)
    backwards = Math.imul(backwards ^ text.charCodeAt(last - index), 0x01000193)
  }
  return [forwards >>> 0, backwards >>> 0]
}

/** 64 bits as sixteen hexadecimal digits. */
export const shortHash = (text: string): string =>
  hashes(text)
    .map((part) => part.toString(16).padStart(8, "0"))
    .join("")

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Nine letters and digits. */
export const nineCharacters = (text: string): string => {
  const [forwards, backwards] = hashes(text)
  return inDigits(forwards, 5) + inDigits(backwards, 4)
}

const inDigits = (value: number, length: number): string => {
  let rest = value
  let out = ""
  for (let place = 0; place < length; place++) {
    out += digits.charAt(rest % digits.length)
    rest = Math.floor(rest / digits.length)
  }
  return out
}
