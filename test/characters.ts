import { FastCheck } from "effect"

/**
 * Any character, for `FastCheck.string({ unit: character })`. `unit: "binary"` draws from the same ones, but lists the
 * million of them first: a second, and a hundred megabytes of the process.
 */
export const character = FastCheck.nat({ max: 0x10_ff_ff - 0x8_00 }).map((index) =>
  // No half of a surrogate pair.
  String.fromCodePoint(index < 0xd8_00 ? index : index + 0x8_00)
)
