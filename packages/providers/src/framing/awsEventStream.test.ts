import { crc32 } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { EventStreamCodec, Int64 } from "@smithy/eventstream-codec"
import { FastCheck } from "effect"
import { awsEventStream } from "./awsEventStream.js"
import type { Frame } from "./frame.js"

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes)),
  (text) => new TextEncoder().encode(text)
)

const encoded = (headers: Readonly<Record<string, string>>, payload: string): Uint8Array =>
  codec.encode({
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { type: "string", value }])),
    body: new TextEncoder().encode(payload)
  })

const event = (type: string, payload: string) => encoded({ ":event-type": type, ":message-type": "event" }, payload)

const body = (frames: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(frames.flatMap((frame) => [...frame]))

/** All frames of a body that arrives in pieces of these sizes, then in one piece. */
const framed = (bytes: Uint8Array, sizes: ReadonlyArray<number>): ReadonlyArray<Frame> => {
  const framer = awsEventStream()
  const frames: Array<Frame> = []
  // One buffer for all pieces, as a reader that uses its buffer again hands them out.
  const buffer = new Uint8Array(bytes.length)
  let at = 0
  for (const size of [...sizes, bytes.length]) {
    const piece = bytes.subarray(at, at + size)
    buffer.set(piece)
    frames.push(...framer.push(buffer.subarray(0, piece.length)))
    buffer.fill(255)
    at += piece.length
  }
  return [...frames, ...framer.end()]
}

const text = FastCheck.string({ unit: "grapheme", maxLength: 20 })
const payloads = FastCheck.array(FastCheck.tuple(text, text), { maxLength: 6 })

/** Headers of every type, as AWS's own codec writes them. */
const header = FastCheck.oneof(
  FastCheck.record({ type: FastCheck.constant("boolean" as const), value: FastCheck.boolean() }),
  FastCheck.record({ type: FastCheck.constant("byte" as const), value: FastCheck.integer({ min: -128, max: 127 }) }),
  FastCheck.record({ type: FastCheck.constant("short" as const), value: FastCheck.integer({ min: -1, max: 300 }) }),
  FastCheck.record({ type: FastCheck.constant("integer" as const), value: FastCheck.integer() }),
  FastCheck.record({ type: FastCheck.constant("binary" as const), value: FastCheck.uint8Array({ maxLength: 20 }) }),
  FastCheck.record({ type: FastCheck.constant("string" as const), value: text }),
  FastCheck.record({ type: FastCheck.constant("timestamp" as const), value: FastCheck.date({ noInvalidDate: true }) }),
  FastCheck.record({ type: FastCheck.constant("uuid" as const), value: FastCheck.uuid() }),
  FastCheck.nat().map((n) => ({ type: "long" as const, value: Int64.fromNumber(n) }))
)

describe("awsEventStream", () => {
  it("reads past headers of any type", () => {
    const others = FastCheck.dictionary(FastCheck.string({ maxLength: 9 }), header)
    FastCheck.assert(
      FastCheck.property(others, others, (before, after) => {
        const type = { ":event-type": { type: "string" as const, value: "messageStop" } }
        const kind = { ":message-type": { type: "string" as const, value: "event" } }
        const bytes = codec.encode({ headers: { ...before, ...type, ...after, ...kind }, body: new Uint8Array() })
        expect(framed(bytes, [])).toEqual([{ event: "messageStop", data: "", isError: false }])
      })
    )
  })

  it("reports headers that are none, though the checksums are right", () => {
    const headers = codec.encode({ headers: { a: { type: "string", value: "b" } }, body: new Uint8Array(0) })
    for (const [at, value] of [
      [12, 200], // the name is longer than the headers
      [14, 99], // no such type
      [16, 200], // the value is longer than the headers
      [7, 200] // the headers are longer than the frame
    ] as const) {
      const changed = headers.slice()
      changed[at] = value
      const view = new DataView(changed.buffer)
      view.setUint32(8, crc32(changed.subarray(0, 8)))
      view.setUint32(changed.length - 4, crc32(changed.subarray(0, -4)))
      expect(framed(changed, [])).toMatchObject([{ event: "corrupt", data: expect.stringContaining("headers") }])
    }
  })

  it("gives every event's type and payload, wherever the body is cut", () => {
    FastCheck.assert(
      FastCheck.property(payloads, FastCheck.array(FastCheck.nat(40), { maxLength: 60 }), (all, sizes) => {
        const bytes = body(all.map(([type, payload]) => event(type, payload)))
        expect(framed(bytes, sizes)).toEqual(all.map(([type, data]) => ({ event: type, data, isError: false })))
      })
    )
  })

  it("cuts byte by byte as it does in one piece", () => {
    const bytes = body([event("messageStart", '{"role":"assistant"}'), event("contentBlockDelta", '{"text":"ü€🎈"}')])
    expect(
      framed(
        bytes,
        Array.from(bytes, () => 1)
      )
    ).toEqual(framed(bytes, []))
    expect(framed(bytes, [])).toHaveLength(2)
  })

  it("says which exception a frame carries", () => {
    const bytes = encoded(
      { ":message-type": "exception", ":exception-type": "throttlingException" },
      '{"message":"Too many requests"}'
    )
    expect(framed(bytes, [])).toEqual([
      { event: "throttlingException", data: '{"message":"Too many requests"}', isError: true }
    ])
  })

  it("shows what an error frame says in its headers, since it has no payload", () => {
    const bytes = encoded(
      { ":message-type": "error", ":error-code": "InternalError", ":error-message": "An internal error occurred" },
      ""
    )
    expect(framed(bytes, [])).toEqual([
      { event: "InternalError", data: '{"message":"An internal error occurred"}', isError: true }
    ])
  })

  it("does not take a frame with a wrong checksum for a message", () => {
    const bytes = event("messageStart", '{"role":"assistant"}')
    FastCheck.assert(
      FastCheck.property(FastCheck.nat(bytes.length - 1), FastCheck.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = bytes.slice()
        changed[at] = (changed[at] ?? 0) ^ change
        const frames = framed(changed, [])
        expect(frames.map((frame) => frame.isError)).toEqual([true])
      })
    )
  })

  it("gives no frame that was cut off", () => {
    const bytes = event("messageStart", '{"role":"assistant"}')
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: 1, max: bytes.length - 1 }), (length) => {
        expect(framed(bytes.subarray(0, length), [])).toEqual([])
      })
    )
  })

  it("reads nothing more once a frame's length makes no sense", () => {
    const framer = awsEventStream()
    expect(framer.push(new Uint8Array(20))).toHaveLength(1)
    expect(framer.push(event("messageStop", "{}"))).toEqual([])
    expect(framer.end()).toEqual([])
  })

  it("takes a large frame in small pieces in time that grows with its size only", () => {
    const large = event("contentBlockDelta", `{"text":"${"x".repeat(4_000_000)}"}`)
    const framer = awsEventStream()
    const frames: Array<Frame> = []
    for (let at = 0; at < large.length; at += 64) frames.push(...framer.push(large.subarray(at, at + 64)))
    expect(frames).toHaveLength(1)
    // Copying what is held at every piece would move 120 GB.
  })
})
