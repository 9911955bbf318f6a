/** Server-sent events, by the parser that the field uses. */
import { createParser } from "eventsource-parser"
import type { Frame, Framer } from "./frame.js"

export const serverSentEvents = (): Framer => {
  const decoder = new TextDecoder()
  let frames: Array<Frame> = []
  const parser = createParser({
    onEvent: ({ data, event }) => {
      frames.push({ event, data, isError: false })
    }
  })
  const taken = (): ReadonlyArray<Frame> => {
    const given = frames
    frames = []
    return given
  }
  return {
    push: (bytes) => {
      parser.feed(decoder.decode(bytes, { stream: true }))
      return taken()
    },
    end: () => {
      // Some servers leave out the blank line after the last event.
      parser.feed(`${decoder.decode()}\n\n`)
      return taken()
    }
  }
}
