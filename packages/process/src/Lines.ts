/** Lines of text out of chunks of bytes. */
import { aFunction, check } from "./internal/check.js"

/** @category models */
export interface Lines {
  /** Takes the next bytes. The chunk must not be overwritten while a line is incomplete. */
  readonly push: (chunk: Buffer) => void
  /** Bytes of the line that is not complete yet. */
  readonly bytes: () => number
  /** Forgets the beginning of the line that is not complete yet. */
  readonly drop: () => void
}

/**
 * Calls `onLine` with each line, without its end, and with its length in bytes.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Lines } from "@wield/process"
 *
 * const lines: Array<string> = []
 * const { bytes, push } = Lines.make((line) => lines.push(line))
 * push(Buffer.from("one\ntw"))
 * push(Buffer.from("o\nthr"))
 *
 * assert.deepStrictEqual(lines, ["one", "two"])
 * assert.strictEqual(bytes(), 3)
 * ```
 *
 * @category constructors
 */
export const make = (onLine: (line: string, bytes: number) => void): Lines => {
  check("What Lines calls", aFunction, onLine)
  let parts: Array<Buffer> = []
  let bytes = 0
  return {
    push: (chunk) => {
      let start = 0
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        const last = chunk.subarray(start, end)
        const line = parts.length === 0 ? last : Buffer.concat([...parts, last])
        parts = []
        bytes = 0
        start = end + 1
        onLine(line.toString("utf8"), line.length)
      }
      if (start < chunk.length) {
        parts.push(chunk.subarray(start))
        bytes += chunk.length - start
      }
    },
    bytes: () => bytes,
    drop: () => {
      parts = []
      bytes = 0
    }
  }
}
