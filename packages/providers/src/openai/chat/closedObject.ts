/**
 * Whether JSON text that comes in pieces has become a whole object. Every
 * piece is looked at once.
 */

export interface ClosedObject {
  readonly add: (piece: string) => void
  /** The object's braces are closed; text that is no JSON can look so too. */
  readonly isClosed: () => boolean
  /** It is closed and has something between its braces. */
  readonly hasContent: () => boolean
}

const quote = 0x22
const backslash = 0x5c

/** A space, tab or line end. */
const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

export const closedObject = (): ClosedObject => {
  let depth = 0
  let isInString = false
  let isEscaped = false
  let isBegun = false
  let isFilled = false
  const read = (code: number): void => {
    if (isInString) {
      if (isEscaped) isEscaped = false
      else if (code === backslash) isEscaped = true
      else if (code === quote) isInString = false
      return
    }
    if (isBlank(code)) return
    const isOpening = code === 0x7b || code === 0x5b
    const isClosing = code === 0x7d || code === 0x5d
    if (isOpening) depth++
    else if (isClosing) depth--
    else if (code === quote) isInString = true
    if (isBegun && !(isClosing && depth === 0)) isFilled = true
    isBegun = true
  }
  return {
    add: (piece) => {
      for (let index = 0; index < piece.length; index++) read(piece.charCodeAt(index))
    },
    isClosed: () => isBegun && depth <= 0 && !isInString,
    hasContent: () => isFilled
  }
}
