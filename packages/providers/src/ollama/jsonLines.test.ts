import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { jsonLines } from "./stream.js"

const framed = (bytes: Uint8Array, sizes: ReadonlyArray<number>): ReadonlyArray<string> => {
  const framer = jsonLines()
  const lines: Array<string> = []
  let at = 0
  for (const size of [...sizes, bytes.length]) {
    for (const frame of framer.push(bytes.subarray(at, at + size))) lines.push(frame.data)
    at += size
  }
  for (const frame of framer.end()) lines.push(frame.data)
  return lines
}

describe("jsonLines", () => {
  it("gives every line, wherever the body is cut, and leaves empty ones out", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.oneof(FastCheck.jsonValue(), FastCheck.string({ unit: "grapheme" }))),
        FastCheck.array(FastCheck.nat(20), { maxLength: 60 }),
        FastCheck.constantFrom("\n", "\r\n", "\n\n"),
        FastCheck.boolean(),
        (values, sizes, separator, isTerminated) => {
          const texts = values.map((value) => JSON.stringify(value))
          const bytes = new TextEncoder().encode(texts.join(separator) + (isTerminated ? separator : ""))
          expect(framed(bytes, sizes).map((line) => line.trim())).toEqual(texts)
        }
      )
    )
  })

  it("takes a long line in small pieces in time that grows with its length only", () => {
    const bytes = new TextEncoder().encode(`"${"x".repeat(4_000_000)}"\n`)
    expect(
      framed(
        bytes,
        Array.from({ length: 60_000 }, () => 64)
      )
    ).toHaveLength(1)
  })
})
