import { describe, expect, it } from "@effect/vitest"
import { makeCapture } from "./capture.js"
import { makeRedaction, noRedaction } from "./redaction.js"

const marker = "the-marker"

const bytes = (text: string) => Buffer.from(text)

const begun = (isKept = true) => {
  const capture = makeCapture()
  capture.begin(marker, isKept)
  return capture
}

describe("what a call printed", () => {
  it("ends at the marker, however the text before, in and behind it is cut into chunks", () => {
    const printed = `one\nthe-mark\n\nthe-marke two`
    const whole = bytes(`${printed}\n${marker}\nof the next call`)
    for (let size = 1; size <= whole.length; size++) {
      const capture = begun()
      const parts: Array<Buffer> = []
      // As a pipe is read: each read overwrites what was read before.
      const buffer = Buffer.alloc(size)
      for (let at = 0; at < whole.length; at += size) {
        const length = whole.copy(buffer, 0, at, at + size)
        parts.push(Buffer.from(capture.push(buffer.subarray(0, length))))
      }
      expect(capture.isMarked()).toBe(true)
      expect(Buffer.concat(parts).toString()).toBe(printed)
      expect(capture.all().toString()).toBe(printed)
      expect(capture.bytes()).toBe(printed.length)
      expect(capture.flush()).toHaveLength(0)
    }
  })

  it("includes what was held back for a marker that never came", () => {
    const capture = begun()
    expect(capture.push(bytes("done\nthe-mar")).toString()).toBe("done")
    expect(capture.isMarked()).toBe(false)
    expect(capture.flush().toString()).toBe("\nthe-mar")
    expect(capture.all().toString()).toBe("done\nthe-mar")
    expect(capture.flush()).toHaveLength(0)
  })

  it("is nothing of the call before, nor what that had held back", () => {
    const capture = begun()
    capture.push(bytes(`first\n${marker}\n`))
    capture.begin("another", true)
    expect(capture.isMarked()).toBe(false)
    capture.push(bytes("second\nanoth"))
    capture.begin("third", true)
    expect([capture.bytes(), capture.all().toString(), capture.tail(noRedaction)]).toEqual([0, "", ""])
    capture.push(bytes(`3\nthird\n`))
    expect(capture.all().toString()).toBe("3")
  })

  it("before any call is kept as its end, without a marker to wait for", () => {
    const capture = makeCapture()
    expect(capture.push(bytes("loading\n")).toString()).toBe("loading\n")
    expect(capture.tail(noRedaction)).toBe("loading")
    expect(capture.bytes()).toBe(8)
    for (let count = 0; count < 20; count++) capture.push(bytes("x".repeat(1000)))
    expect(capture.all().length).toBeLessThanOrEqual(2 * 4096)
  })
})

describe("the end of what was printed", () => {
  it("is its last 20 lines", () => {
    const capture = begun(false)
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`)
    capture.push(bytes(`${lines.join("\n")}\n`))
    expect(capture.tail(noRedaction)).toBe(lines.slice(10).join("\n"))
  })

  it("is its last 4 KiB, whatever the chunks and whether all is kept, without half of a character", () => {
    const text = "é".repeat(10_000)
    for (const isKept of [true, false]) {
      for (const size of [1, 7, 1000, 4095, 4096, 4097, 8000]) {
        const capture = begun(isKept)
        const whole = bytes(`${text}x`)
        for (let at = 0; at < whole.length; at += size) capture.push(whole.subarray(at, at + size))
        expect(capture.bytes()).toBe(20_001)
        expect(capture.tail(noRedaction)).toBe(`${"é".repeat(2047)}x`)
        // What is not kept is not held in memory either.
        expect(isKept ? capture.all().equals(whole) : capture.all().length <= 2 * 4096).toBe(true)
      }
    }
  })

  it("has neither a secret nor what is left of one that was cut through", () => {
    const secret = "abcdefghijkl"
    const redaction = makeRedaction({ A_KEY: secret }, undefined)
    for (let cut = 0; cut <= secret.length; cut++) {
      const capture = begun(false)
      const behind = `-${"x".repeat(4095 - cut)}`
      capture.push(bytes(`before ${secret}${behind}`))
      const tail = capture.tail(redaction)
      expect(tail.endsWith(behind.slice(1))).toBe(true)
      expect(tail.slice(0, -behind.length + 1)).toMatch(/^(?:<redacted>)?-?$/)
    }
    const whole = begun(false)
    whole.push(bytes(`l ${secret}`))
    // Nothing is cut off of what is there from its beginning on.
    expect(whole.tail(redaction)).toBe("l <redacted>")
  })
})
