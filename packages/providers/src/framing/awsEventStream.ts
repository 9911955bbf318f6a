/**
 * AWS event streams (binary frames with checksums), by AWS's own codec.
 */
import { EventStreamCodec } from "@smithy/eventstream-codec"
import type { Frame, Framer } from "./frame.js"

/** Both lengths and their checksum, before which the size of a frame is not known. */
const preludeBytes = 12

/** A prelude, no headers, no payload, and the checksum of it all. */
const minFrameBytes = 16

/** AWS bounds a frame at 24 MiB. */
const maxFrameBytes = 24 * 1024 * 1024

export const awsEventStream = (): Framer => {
  const decoder = new TextDecoder()
  const codec = new EventStreamCodec(
    (bytes) => (typeof bytes === "string" ? bytes : decoder.decode(bytes)),
    (text) => new TextEncoder().encode(text)
  )
  // What has arrived of a frame stays in pieces until all of it is here, so
  // that a large frame in many small pieces is copied once, not once a piece.
  let pieces: Array<Uint8Array> = []
  let held = 0
  let needed = preludeBytes
  let isCorrupt = false
  return {
    push: (bytes) => {
      // Frames have no mark by which the next one could be found again.
      if (isCorrupt) return []
      held += bytes.length
      if (held < needed) {
        // A copy: the reader of the body may use its buffer again.
        if (bytes.length > 0) pieces.push(bytes.slice())
        return []
      }
      let rest = joined(pieces, bytes, held)
      const frames: Array<Frame> = []
      needed = preludeBytes
      while (rest.length >= preludeBytes) {
        const length = new DataView(rest.buffer, rest.byteOffset, rest.byteLength).getUint32(0)
        if (length < minFrameBytes || length > maxFrameBytes) {
          isCorrupt = true
          frames.push(corrupt("a frame of impossible length"))
          return frames
        }
        if (rest.length < length) {
          needed = length
          break
        }
        const frame = frameOf(codec, rest.subarray(0, length), decoder)
        frames.push(frame)
        if (frame.event === corruptEvent && frame.isError) {
          // Its length may be what is wrong.
          isCorrupt = true
          return frames
        }
        rest = rest.subarray(length)
      }
      held = rest.length
      pieces = held === 0 ? [] : [rest.slice()]
      return frames
    },
    end: () => (held === 0 || isCorrupt ? [] : [corrupt("a frame that was cut off")])
  }
}

const joined = (pieces: ReadonlyArray<Uint8Array>, last: Uint8Array, length: number): Uint8Array => {
  if (pieces.length === 0) return last
  const all = new Uint8Array(length)
  let at = 0
  for (const piece of [...pieces, last]) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

const frameOf = (codec: EventStreamCodec, bytes: Uint8Array, decoder: TextDecoder): Frame => {
  // The codec reports a wrong checksum by throwing; no effect is involved.
  try {
    const { body, headers } = codec.decode(bytes)
    const header = (name: string): string | undefined => {
      const value = Object.hasOwn(headers, name) ? headers[name]?.value : undefined
      return typeof value === "string" ? value : undefined
    }
    const event = header(":event-type") ?? header(":exception-type") ?? header(":error-code")
    const data = decoder.decode(body)
    // `:message-type` is `event`, `exception` (its payload says more) or `error` (a header says more).
    if (header(":message-type") === "event") return { event, data, isError: false }
    return {
      event,
      data: data === "" ? JSON.stringify({ message: header(":error-message") ?? "" }) : data,
      isError: true
    }
  } catch (error) {
    return corrupt(error instanceof Error ? error.message : "a frame that cannot be read")
  }
}

/** The event of a frame that could not be read; no exception of AWS has this name. */
export const corruptEvent = "corrupt"

const corrupt = (reason: string): Frame => ({
  event: corruptEvent,
  data: JSON.stringify({ message: reason }),
  isError: true
})
