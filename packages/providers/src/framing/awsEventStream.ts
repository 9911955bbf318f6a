/**
 * AWS event streams (binary frames with checksums), by AWS's own codec.
 */
import { EventStreamCodec } from "@smithy/eventstream-codec"
import type { Frame, Framer } from "./frame.js"

/** Length and its checksum, before which the size of a frame is not known. */
const preludeBytes = 12

export const awsEventStream = (): Framer => {
  const decoder = new TextDecoder()
  const codec = new EventStreamCodec(
    (bytes) => (typeof bytes === "string" ? bytes : decoder.decode(bytes)),
    (text) => new TextEncoder().encode(text)
  )
  let rest = new Uint8Array(0)
  return {
    push: (bytes) => {
      rest = joined(rest, bytes)
      const frames: Array<Frame> = []
      while (rest.length >= preludeBytes) {
        const length = new DataView(rest.buffer, rest.byteOffset, rest.byteLength).getUint32(0)
        if (length < preludeBytes || length > maxFrameBytes) return [...frames, corrupt("a frame of impossible length")]
        if (rest.length < length) break
        frames.push(frameOf(codec, rest.subarray(0, length), decoder))
        rest = rest.subarray(length)
      }
      return frames
    },
    end: () => (rest.length === 0 ? [] : [corrupt("a frame that was cut off")])
  }
}

/** AWS bounds a frame at 24 MiB. */
const maxFrameBytes = 24 * 1024 * 1024

const joined = (left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> => {
  const both = new Uint8Array(left.length + right.length)
  both.set(left)
  both.set(right, left.length)
  return both
}

const frameOf = (codec: EventStreamCodec, bytes: Uint8Array, decoder: TextDecoder): Frame => {
  // The codec reports a wrong checksum by throwing; no effect is involved.
  try {
    const { body, headers } = codec.decode(bytes)
    const header = (name: string): string | undefined => {
      const value = headers[name]?.value
      return typeof value === "string" ? value : undefined
    }
    const isError = header(":message-type") !== "event"
    return {
      event: header(":event-type") ?? header(":exception-type") ?? header(":error-code"),
      data: decoder.decode(body),
      isError
    }
  } catch (error) {
    return corrupt(error instanceof Error ? error.message : "a frame that cannot be read")
  }
}

const corrupt = (reason: string): Frame => ({
  event: "corrupt",
  data: JSON.stringify({ message: reason }),
  isError: true
})
