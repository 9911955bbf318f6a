/**
 * What one stream of a call holds: bounded, and told apart from what the next
 * call prints by a marker on a line of its own.
 */
import type { Redaction } from "./redaction.js"

/** The last lines of a stream that a failure tells. */
const tailLines = 20
const tailBytes = 4096

export interface Capture {
  /** Begins a call: `marker` ends it, and `isKept` keeps all that it prints. */
  readonly begin: (marker: string, isKept: boolean) => void
  /** Takes what was read; gives the part that belongs to the call. */
  readonly push: (chunk: Buffer) => Buffer
  /** Gives what was held back since it could have begun the marker: none comes any more. */
  readonly flush: () => Buffer
  /** Bytes that the call has printed. */
  readonly bytes: () => number
  readonly isMarked: () => boolean
  /** The last 20 lines, at most 4 KiB, without secrets; what is not UTF-8 replaced. */
  readonly tail: (redaction: Redaction) => string
  /** All that was printed, where it is kept. */
  readonly all: () => Buffer
}

const nothing = Buffer.alloc(0)

/** How many bytes at the end of `data` may be the beginning of `marker`. */
const beginning = (data: Buffer, marker: Buffer): number => {
  for (let length = Math.min(data.length, marker.length - 1); length > 0; length--) {
    if (data.compare(marker, 0, length, data.length - length) === 0) return length
  }
  return 0
}

/** Without the bytes of a character whose beginning was cut off. */
const fromCharacter = (bytes: Buffer): Buffer => {
  let start = 0
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}

export const makeCapture = (): Capture => {
  /** None until a call begins: what is printed before belongs to the loading. */
  let text: string | undefined
  /** Made when there is something to be searched for it. */
  let marker: Buffer | undefined
  let held = nothing
  let chunks: Array<Buffer> = []
  let chunksBytes = 0
  let isKept = false
  let isMarked = false
  let bytes = 0

  const keep = (part: Buffer) => {
    if (part.length === 0) return
    bytes += part.length
    // The buffer that is read into is used again, so what is kept is copied.
    const copy = Buffer.from(isKept || part.length <= tailBytes ? part : part.subarray(part.length - tailBytes))
    chunks.push(copy)
    chunksBytes += copy.length
    while (!isKept && chunks.length > 1 && chunksBytes - (chunks[0]?.length ?? 0) >= tailBytes) {
      chunksBytes -= chunks.shift()?.length ?? 0
    }
  }

  return {
    begin: (given, keepsAll) => {
      text = given
      marker = undefined
      held = nothing
      chunks = []
      chunksBytes = 0
      isKept = keepsAll
      isMarked = false
      bytes = 0
    },
    push: (chunk) => {
      if (isMarked) return nothing
      if (text === undefined) {
        keep(chunk)
        return chunk
      }
      marker ??= Buffer.from(`\n${text}\n`)
      const data = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      held = nothing
      const at = data.indexOf(marker)
      isMarked = at !== -1
      const length = isMarked ? at : data.length - beginning(data, marker)
      if (!isMarked && length < data.length) held = Buffer.from(data.subarray(length))
      const part = data.subarray(0, length)
      keep(part)
      return part
    },
    flush: () => {
      const part = held
      held = nothing
      keep(part)
      return part
    },
    bytes: () => bytes,
    isMarked: () => isMarked,
    tail: (redaction) => {
      if (chunks.length === 0) return ""
      const all = Buffer.concat(chunks)
      const end = all.subarray(Math.max(0, all.length - tailBytes))
      // What was let go before may have ended within a character, too.
      const last = end.length < bytes ? fromCharacter(end) : end
      const text = last.toString("utf8")
      // What is left of a secret that was cut through is still some of it.
      const whole = last.length < bytes ? text.slice(redaction.ending(text)) : text
      return redaction.text(whole).trimEnd().split("\n").slice(-tailLines).join("\n")
    },
    all: () => Buffer.concat(chunks)
  }
}
