/** Pieces of Markdown that can be read one by one: each ends where a block does. */

/** In code units. It takes a millisecond or two; one of nothing but signs takes ten. */
const pieceSize = 8192

/** Where no block ends for so long, a piece ends with a line; where no line does, anywhere. */
const longestPiece = 4 * pieceSize

interface Piece {
  readonly to: number
  /** The sign by which code was opened that is still open. */
  readonly fence: string | undefined
}

export const endOfPiece = (text: string, from: number, opened: string | undefined): Piece => {
  let fence = opened
  let isAfterBlank = false
  for (let at = from; at < text.length;) {
    const next = nextLine(text, at)
    if (next - from > longestPiece) return { to: at > from ? at : wholeCharacter(text, from + longestPiece), fence }
    const line = text.slice(at, next)
    if (fence === undefined && at - from >= pieceSize && beginsBlock(line, isAfterBlank)) return { to: at, fence }
    fence = fenceAfter(line, fence)
    isAfterBlank = line.trim() === ""
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

/** Not between the two halves of a character. */
const wholeCharacter = (text: string, at: number): number => ((text.codePointAt(at - 1) ?? 0) > 0xffff ? at + 1 : at)
