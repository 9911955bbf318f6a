/**
 * Lines and columns, from 1, of offsets in a text. A column counts UTF-16 units,
 * as editors do.
 */
import type { Place } from "../ManifestEntry.js"

export const placesOf = (text: string, file: string | undefined): ((offset: number) => Place) => {
  const starts = [0]
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1)) starts.push(index + 1)
  return (offset) => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return { file, line: low + 1, column: offset - starts[low]! + 1 }
  }
}
