/** JSON objects one after the other, in an array or bare, as Google's APIs stream them without `alt=sse`. */
import type { Frame, Framer } from "./frame.js"

export const jsonValues = (): Framer => {
  const decoder = new TextDecoder()
  let pieces: Array<string> = []
  /** Open braces and brackets of the object that is being read; none between objects. */
  let depth = 0
  let isInString = false
  let isEscaped = false
  const read = (text: string): ReadonlyArray<Frame> => {
    const frames: Array<Frame> = []
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const character = text[at]
      if (isEscaped) isEscaped = false
      else if (isInString) {
        if (character === "\\") isEscaped = true
        else if (character === '"') isInString = false
      } else if (character === '"') isInString = depth > 0
      else if (character === "{" || (character === "[" && depth > 0)) {
        if (depth === 0) from = at
        depth++
      } else if ((character === "}" || character === "]") && depth > 0) {
        depth--
        if (depth > 0) continue
        pieces.push(text.slice(from, at + 1))
        frames.push({ event: undefined, data: pieces.join(""), isError: false })
        pieces = []
      }
    }
    if (depth > 0) pieces.push(text.slice(from))
    return frames
  }
  return {
    push: (bytes) => read(decoder.decode(bytes, { stream: true })),
    // What is left is no whole object.
    end: () => read(decoder.decode())
  }
}
