/** The table of contents of a document, short enough for a model to read. */

interface Place {
  readonly index: number
  readonly headings: ReadonlyArray<string>
}

const most = 100

const levels = [6, 5, 4, 3, 2, 1]

/** Where excerpts come under another heading: down to the level at which there are at most a hundred. */
export const contentsOf = (
  places: ReadonlyArray<Place>
): ReadonlyArray<{ readonly index: number; readonly heading: string }> => {
  for (const level of levels) {
    const found = changes(places, level)
    if (found.length <= most || level === 1) return found.slice(0, most)
  }
  return []
}

const changes = (places: ReadonlyArray<Place>, level: number) => {
  const found: Array<{ readonly index: number; readonly heading: string }> = []
  let before = ""
  for (const { headings, index } of places) {
    const heading = headings.slice(0, level).join(" › ")
    if (heading !== before && heading !== "") found.push({ index, heading })
    before = heading
  }
  return found
}
