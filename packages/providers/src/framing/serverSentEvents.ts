/** Server-sent events, by the parser that the field uses. */
import { createParser } from "eventsource-parser"
import type { Frame, Framer } from "./frame.js"

export const serverSentEvents = (): Framer => {
  const decoder = new TextDecoder()
  const frames: Array<Frame> = []
  const parser = createParser({
    onEvent: ({ data, event }) => {
      for (const message of messagesIn(data)) frames.push({ event, data: message, isError: false })
    },
    // llama.cpp says `error: {…}` in place of `data: …`, which is a field that the standard does not know.
    onError: ({ field, type, value }) => {
      if (type === "unknown-field" && field === "error" && value !== undefined) {
        frames.push({ event: "error", data: value, isError: false })
      }
    }
  })
  // The line that is not finished yet: the parser would search and copy a long one again with each small piece.
  let pieces: Array<string> = []
  return {
    push: (bytes) => {
      const text = decoder.decode(bytes, { stream: true })
      const end = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1
      if (end > 0) {
        parser.feed(pieces.join("") + text.slice(0, end))
        pieces = []
      }
      pieces.push(text.slice(end))
      return frames.splice(0)
    },
    end: () => {
      // Some servers leave out the blank line after the last event.
      parser.feed(`${pieces.join("")}${decoder.decode()}\n\n`)
      return frames.splice(0)
    }
  }
}

/** Some servers leave out the blank lines between events, so that all would be the lines of one. */
const messagesIn = (data: string): ReadonlyArray<string> => {
  const lines = data.includes("\n") ? data.split("\n") : []
  return lines.length > 0 && lines.every((line) => wholeMessage.test(line)) ? lines : [data]
}

const wholeMessage = /^\s*(?:\{.*\}|\[done\])\s*$/i
