/** Pieces of Markdown that can be read one by one: each ends where a block does. */

/** In code units. It takes some milliseconds; one of nothing but signs takes a hundred. */
const pieceSize = 8192

/** Where no block ends for so long, a piece ends with a line; where no line does, anywhere. */
const longestPiece = 4 * pieceSize

/** The parser takes time that grows with the square of the number of blank lines in a row. */
const mostBlanks = 16

interface Piece {
  readonly to: number
  /** The sign by which code was opened that is still open. */
  readonly fence: string | undefined
}

/** Behind blank lines, which the parser is slow at, and a byte order mark, which it does not count. */
export const startOfPiece = (text: string, from: number, fence: string | undefined): number => {
  if (fence !== undefined) return from
  let at = from
  for (let next = nextLine(text, at); next > at && isBlank(text.slice(at, next)); next = nextLine(text, at)) at = next
  return text.charAt(at) === "\uFEFF" ? at + 1 : at
}

export const endOfPiece = (text: string, from: number, opened: string | undefined): Piece => {
  let fence = opened
  let blanks = 0
  for (let at = from; at < text.length;) {
    const next = nextLine(text, at)
    if (next - from > longestPiece) return { to: at > from ? at : wholeCharacter(text, from + longestPiece), fence }
    const line = text.slice(at, next)
    if (fence === undefined) {
      const isLong = at - from >= pieceSize
      if (blanks > mostBlanks || (isLong && beginsBlock(line, blanks > 0))) return { to: at, fence }
    }
    fence = fenceAfter(line, fence)
    blanks = isBlank(line) ? blanks + 1 : 0
    at = next
  }
  return { to: text.length, fence: undefined }
}

/** Whether what stands before cannot go on in this line, or may as well end with it: an item of a list. */
const beginsBlock = (line: string, isAfterBlank: boolean): boolean =>
  isAfterBlank ? /^\S/.test(line) : /^[-+*] +\S/.test(line)

const fenceAfter = (line: string, fence: string | undefined): string | undefined => {
  const [, sign, rest = ""] = /^ {0,3}(`{3,}|~{3,})([^\n]*)/.exec(line) ?? []
  if (sign === undefined) return fence
  if (fence === undefined) return sign.startsWith("`") && rest.includes("`") ? undefined : sign
  return sign.startsWith(fence) && rest.trim() === "" ? undefined : fence
}

const nextLine = (text: string, at: number): number => {
  const newline = text.indexOf("\n", at)
  return newline === -1 ? text.length : newline + 1
}

const isBlank = (line: string): boolean => line.trim() === ""

/** Not between the two halves of a character. */
const wholeCharacter = (text: string, at: number): number => ((text.codePointAt(at - 1) ?? 0) > 0xffff ? at + 1 : at)
