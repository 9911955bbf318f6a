/** The last bytes of a stream, in bounded memory. */
import { aLimit, check } from "./internal/check.js"

/** @category models */
export interface Tail {
  /** Takes the next bytes, and copies what it keeps. */
  readonly push: (chunk: Buffer) => void
  /** Bytes that were pushed. */
  readonly bytes: () => number
  /** The last bytes as text, without half of a character at their beginning. */
  readonly text: () => string
}

/**
 * Keeps the last `limit` bytes.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Tail } from "@wield/process"
 *
 * const tail = Tail.make(5)
 * tail.push(Buffer.from("the é"))
 * tail.push(Buffer.from("nd"))
 *
 * assert.strictEqual(tail.text(), " énd")
 * assert.strictEqual(tail.bytes(), 8)
 * ```
 *
 * @category constructors
 */
export const make = (limit: number): Tail => {
  check("The limit of Tail", aLimit, limit)
  let chunks: Array<Buffer> = []
  let kept = 0
  let bytes = 0
  return {
    push: (chunk) => {
      if (chunk.length === 0) return
      bytes += chunk.length
      const part = Buffer.from(chunk.subarray(Math.max(0, chunk.length - limit)))
      chunks.push(part)
      kept += part.length
      // Twice the limit, so that many small chunks are not put together each time.
      if (kept < 2 * limit) return
      const end = Buffer.concat(chunks)
      chunks = [Buffer.from(end.subarray(end.length - limit))]
      kept = limit
    },
    bytes: () => bytes,
    text: () => {
      const all = Buffer.concat(chunks)
      const end = all.subarray(Math.max(0, all.length - limit))
      return (end.length < bytes ? fromCharacter(end) : end).toString("utf8")
    }
  }
}

/** The bytes from the first whole character on. */
const fromCharacter = (bytes: Buffer): Buffer => {
  let start = 0
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}
