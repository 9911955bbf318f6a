/** The bytes of a recorded stream, as they went over the wire. */
import { EventStreamCodec } from "@smithy/eventstream-codec"
import type { RecordedResponse } from "./exchanges.js"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === "string" ? bytes : decoder.decode(bytes)),
  (text) => encoder.encode(text)
)

/** Undefined where the response does not stream. */
export const streamBytes = (response: RecordedResponse): Uint8Array | undefined => {
  const text = response.sse ?? response.ndjson
  if (text !== undefined) return encoder.encode(text)
  if (response.raw_base64 !== undefined) return Uint8Array.from(Buffer.from(response.raw_base64, "base64"))
  if (response.lines === undefined) return undefined
  return Uint8Array.from(Buffer.concat(response.lines.map(framed)))
}

/** A line of `{[event type]: payload}` as the frame of an AWS event stream that it stood for. */
const framed = (line: string): Uint8Array => {
  const [event] = Object.entries(JSON.parse(line) as object)
  if (event === undefined) throw new Error(`no event in the line ${line}`)
  const header = (value: string) => ({ type: "string" as const, value })
  return codec.encode({
    headers: {
      ":event-type": header(event[0]),
      ":content-type": header("application/json"),
      ":message-type": header("event")
    },
    body: encoder.encode(JSON.stringify(event[1]))
  })
}
