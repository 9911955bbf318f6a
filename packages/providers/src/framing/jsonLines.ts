/**
 * Newline-delimited JSON, as Ollama streams it.
 */
import type { Frame, Framer } from "./frame.js"

export const jsonLines = (): Framer => {
  const decoder = new TextDecoder()
  let rest = ""
  const frameOf = (line: string): ReadonlyArray<Frame> =>
    line.trim() === "" ? [] : [{ event: undefined, data: line, isError: false }]
  return {
    push: (bytes) => {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      return lines.flatMap(frameOf)
    },
    end: () => {
      const last = rest + decoder.decode()
      rest = ""
      return frameOf(last)
    }
  }
}
