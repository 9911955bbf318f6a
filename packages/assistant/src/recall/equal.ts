/** Memories that say the same, letter by letter: small or capital letters and spaces make no difference. */
import * as Array from "effect/Array"
import type { Memory } from "../Memory.js"

/** Groups of two and more, in each the newest first. Texts that are merely alike may differ in the one word that matters. */
export const equalAmong = (memories: ReadonlyArray<Memory>): ReadonlyArray<ReadonlyArray<Memory>> =>
  Object.values(Array.groupBy(memories, said))
    .filter(({ length }) => length > 1)
    .map((same) => same.toSorted((left, right) => right.changed - left.changed || right.number - left.number))

const said = ({ name, text }: Memory): string => `${plain(name)}\n${plain(text)}`

const plain = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim()
