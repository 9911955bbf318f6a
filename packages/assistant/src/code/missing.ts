/** What a model is told of a search that is not in the file. Nothing is guessed: it has to search again. */
import { occurrences } from "./occurrences.js"

export const whyMissing = (lines: ReadonlyArray<string>, search: ReadonlyArray<string>): string => {
  const alike = occurrences(lines.map(loosely), search.map(loosely), 1).starts[0]
  if (alike !== undefined) {
    const place = search.length === 1 ? `line ${alike + 1}` : `lines ${alike + 1} to ${alike + search.length}`
    return `its search is not in the file; ${place} would be, but for white space or the form of characters. Copy the lines exactly`
  }
  const present = new Set(lines)
  const absent = search.findIndex((line) => !present.has(line))
  return absent === -1
    ? "its search is not in the file: all of its lines are, but not one directly after the other"
    : `its search is not in the file: no line of the file is ${JSON.stringify(shorten(search[absent] ?? ""))}, which is line ${absent + 1} of the search. A line is compared as a whole`
}

const loosely = (line: string): string => line.normalize("NFKC").replaceAll(/\s+/g, "")

const shorten = (line: string): string => (line.length > 200 ? `${line.slice(0, 200)}…` : line)
