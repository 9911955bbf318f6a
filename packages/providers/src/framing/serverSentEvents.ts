/** Server-sent events, by the parser that the field uses. */
import { createParser } from "eventsource-parser"
import type { Frame, Framer } from "./frame.js"

export const serverSentEvents = (): Framer => {
  const decoder = new TextDecoder()
  const frames: Array<Frame> = []
  const parser = createParser({
    onEvent: ({ data, event }) => void frames.push({ event, data, isError: false }),
    // llama.cpp says `error: {…}` in place of `data: …`, which is a field that the standard does not know.
    onError: ({ field, type, value }) => {
      if (type === "unknown-field" && field === "error" && value !== undefined) {
        frames.push({ event: "error", data: value, isError: false })
      }
    }
  })
  return {
    push: (bytes) => {
      parser.feed(decoder.decode(bytes, { stream: true }))
      return frames.splice(0)
    },
    end: () => {
      // Some servers leave out the blank line after the last event.
      parser.feed(`${decoder.decode()}\n\n`)
      return frames.splice(0)
    }
  }
}
