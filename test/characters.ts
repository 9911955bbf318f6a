import { FastCheck } from "effect"

// No half of a surrogate pair.
const halves = 0xd8_00
const gap = 0x8_00

/**
 * Any character, for `FastCheck.string({ unit: character })`. `unit: "binary"` draws from the same ones, but lists the
 * million of them first: a second, and a hundred megabytes of the process.
 */
export const character = FastCheck.nat({ max: 0x10_ff_ff - gap }).map(
  (index) => String.fromCodePoint(index < halves ? index : index + gap),
  // Where its index is found again, texts may be some that are dangerous, such as `__proto__`.
  (text) => {
    if (typeof text !== "string" || !/^\P{Surrogate}$/u.test(text)) throw new Error(`${String(text)} is no character`)
    const point = text.codePointAt(0) ?? 0
    return point < halves ? point : point - gap
  }
)
