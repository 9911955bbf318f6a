/**
 * Gemini's API: server-sent events with `alt=sse`, otherwise an array of
 * chunks. Which of them a body is shows in its first character.
 */
import type { Framer } from "../framing/frame.js"
import { jsonValues } from "../framing/jsonValues.js"
import { serverSentEvents } from "../framing/serverSentEvents.js"

export const streamFraming = (): Framer => {
  let framer: Framer | undefined
  return {
    push: (bytes) => {
      if (framer === undefined) {
        const first = bytes.find((byte) => byte > 0x20 && !byteOrderMark.has(byte))
        if (first === undefined) return []
        framer = first === openBracket || first === openBrace ? jsonValues() : serverSentEvents()
      }
      return framer.push(bytes)
    },
    end: () => framer?.end() ?? []
  }
}

/** Its bytes begin no body in another place. */
const byteOrderMark: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf])

const openBracket = 0x5b
const openBrace = 0x7b
