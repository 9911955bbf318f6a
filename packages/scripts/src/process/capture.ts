/** What one stream of a call holds, up to the marker on a line of its own. */
import * as Tail from "@wield/process/Tail"
import type { Redaction } from "./redaction.js"

/** The last lines of a stream that a failure shows. */
const tailLines = 20
const tailBytes = 4096

const nothing = Buffer.alloc(0)

/** How many bytes at the end of `data` may be the beginning of `marker`. */
const beginning = (data: Buffer, marker: Buffer): number => {
  for (let length = Math.min(data.length, marker.length - 1); length > 0; length--) {
    if (data.compare(marker, 0, length, data.length - length) === 0) return length
  }
  return 0
}

export const makeCapture = () => {
  /** None until a call begins: what is printed before belongs to the loading. */
  let text: string | undefined
  /** Made when there is something to be searched for it. */
  let marker: Buffer | undefined
  let held = nothing
  let end = Tail.make(tailBytes)
  let chunks: Array<Buffer> = []
  let isKept = false
  let isMarked = false

  const keep = (part: Buffer) => {
    end.push(part)
    // The buffer that is read into is used again, so what is kept is copied.
    if (isKept && part.length > 0) chunks.push(Buffer.from(part))
  }

  return {
    /** Begins a call: `given` is the marker that ends it, and `keepsAll` keeps all that it prints. */
    begin: (given: string, keepsAll: boolean) => {
      text = given
      marker = undefined
      held = nothing
      end = Tail.make(tailBytes)
      chunks = []
      isKept = keepsAll
      isMarked = false
    },
    /** Takes what was read; gives the part that belongs to the call. */
    push: (chunk: Buffer): Buffer => {
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
    /** Gives what was held back since it could have begun the marker: none comes any more. */
    flush: () => {
      const part = held
      held = nothing
      keep(part)
      return part
    },
    /** Bytes that the call has printed. */
    bytes: () => end.bytes(),
    isMarked: () => isMarked,
    /** The last 20 lines, at most 4 KiB, without secrets; what is not UTF-8 replaced. */
    tail: (redaction: Redaction) => {
      const text = end.text()
      // What is left of a secret that was cut through is still some of it.
      const whole = end.bytes() > tailBytes ? text.slice(redaction.ending(text)) : text
      return redaction.text(whole).trimEnd().split("\n").slice(-tailLines).join("\n")
    },
    /** All that was printed, where it is kept. */
    all: () => Buffer.concat(chunks)
  }
}
