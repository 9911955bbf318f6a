/** Newline-delimited JSON, as Ollama streams it. */
import type { Frame, Framer } from "./frame.js"

export const jsonLines = (): Framer => {
  const decoder = new TextDecoder()
  // The line that is not finished yet, in pieces: joined once, so that a long
  // line in many small pieces is not searched and copied again with each.
  let pieces: Array<string> = []
  const frameOf = (line: string): ReadonlyArray<Frame> =>
    line.trim() === "" ? [] : [{ event: undefined, data: line, isError: false }]
  const finished = (end: string): string => {
    const line = pieces.join("") + end
    pieces = []
    return line
  }
  return {
    push: (bytes) => {
      const [first = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n")
      const rest = others.pop()
      if (rest === undefined) {
        pieces.push(first)
        return []
      }
      const lines = [finished(first), ...others]
      pieces.push(rest)
      return lines.flatMap(frameOf)
    },
    end: () => frameOf(finished(decoder.decode()))
  }
}
