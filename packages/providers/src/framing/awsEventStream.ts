/**
 * AWS event streams: binary frames with checksums. A frame is its length, the
 * length of its headers, the checksum of both, headers, payload, and the
 * checksum of all before it; numbers are big-endian.
 */
import type { Frame, Framer } from "./frame.js"

/** Both lengths and their checksum, before which the size of a frame is not known. */
const preludeBytes = 12

const checksumBytes = 4

/** A prelude, no headers, no payload, and the checksum of it all. */
const minFrameBytes = preludeBytes + checksumBytes

/** AWS bounds a frame at 24 MiB. */
const maxFrameBytes = 24 * 1024 * 1024

export const awsEventStream = (): Framer => {
  const decoder = new TextDecoder()
  const headersOf = rememberHeaders(decoder)
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
        const view = viewOf(rest)
        const length = view.getUint32(0)
        const isSound = view.getUint32(8) === checksumOf(rest.subarray(0, 8))
        if (length < minFrameBytes || length > maxFrameBytes || !isSound) {
          isCorrupt = true
          frames.push(corrupt("a frame of impossible length"))
          return frames
        }
        if (rest.length < length) {
          needed = length
          break
        }
        const frame = frameOf(rest.subarray(0, length), decoder, headersOf)
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
    // What is left is no whole frame.
    end: () => []
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

const frameOf = (bytes: Uint8Array, decoder: TextDecoder, headersOf: ReturnType<typeof rememberHeaders>): Frame => {
  const view = viewOf(bytes)
  const end = bytes.length - checksumBytes
  const bodyAt = preludeBytes + view.getUint32(4)
  if (view.getUint32(end) !== checksumOf(bytes.subarray(0, end))) return corrupt("a frame whose checksum is wrong")
  const headers = bodyAt <= end ? headersOf(bytes.subarray(preludeBytes, bodyAt)) : undefined
  if (headers === undefined) return corrupt("a frame whose headers cannot be read")
  const event = headers.get(":event-type") ?? headers.get(":exception-type") ?? headers.get(":error-code")
  const data = decoder.decode(bytes.subarray(bodyAt, end))
  // `:message-type` is `event`, `exception` (its payload says more) or `error` (a header says more).
  if (headers.get(":message-type") === "event") return { event, data, isError: false }
  return {
    event,
    data: data === "" ? JSON.stringify({ message: headers.get(":error-message") ?? "" }) : data,
    isError: true
  }
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Bytes of a header's value by its type: true, false, and numbers of 8 to 64 bits; a time; a UUID. */
const sizes: { readonly [type: number]: number } = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }
const binary = 6
const text = 7

/** Most frames of a stream have the headers of the frame before. */
const rememberHeaders = (decoder: TextDecoder) => {
  let last = new Uint8Array()
  let headers: ReadonlyMap<string, string> | undefined = new Map()
  return (bytes: Uint8Array): ReadonlyMap<string, string> | undefined => {
    if (!areEqual(bytes, last)) {
      last = bytes.slice()
      headers = textHeadersOf(bytes, decoder)
    }
    return headers
  }
}

const areEqual = (left: Uint8Array, right: Uint8Array): boolean => {
  if (left.length !== right.length) return false
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false
  return true
}

/** The headers that are texts; `undefined` where the bytes are no headers. */
const textHeadersOf = (bytes: Uint8Array, decoder: TextDecoder): ReadonlyMap<string, string> | undefined => {
  const view = viewOf(bytes)
  const headers = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const typeAt = at + 1 + view.getUint8(at)
    if (typeAt >= bytes.length) return undefined
    const name = decoder.decode(bytes.subarray(at + 1, typeAt))
    const type = view.getUint8(typeAt)
    at = typeAt + 1
    let size = sizes[type]
    if (type === binary || type === text) {
      if (at + 2 > bytes.length) return undefined
      size = view.getUint16(at)
      at += 2
    }
    if (size === undefined || at + size > bytes.length) return undefined
    if (type === text) headers.set(name, decoder.decode(bytes.subarray(at, at + size)))
    at += size
  }
  return headers
}

/** CRC-32 of each byte alone. */
const checksums = Uint32Array.from({ length: 256 }, (_, byte) => {
  let checksum = byte
  for (let bit = 0; bit < 8; bit++) checksum = (checksum >>> 1) ^ ((checksum & 1) * 0xedb88320)
  return checksum
})

const checksumOf = (bytes: Uint8Array): number => {
  let checksum = 0xffffffff
  // A typed array's iterator takes several times as long. Each index is within its array.
  for (let at = 0; at < bytes.length; at++) {
    checksum = (checksum >>> 8) ^ checksums[(checksum ^ bytes[at]!) & 0xff]!
  }
  return ~checksum >>> 0
}

/** The event of a frame that could not be read; no exception of AWS has this name. */
export const corruptEvent = "corrupt"

const corrupt = (reason: string): Frame => ({
  event: corruptEvent,
  data: JSON.stringify({ message: reason }),
  isError: true
})
