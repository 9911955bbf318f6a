/** Lists of hidden fields. A name that ends in `?` is that of a field that may be absent from the call context. */

export const splitContext = (written: ReadonlyArray<string>) => ({
  context: written.map(nameOf),
  optionalContext: written.filter(isOptional).map(nameOf)
})

/** The parameters that a list names, in whatever case, each with the mark that it has in the list. */
export const hiddenAmong = (parameters: Iterable<string>, written: ReadonlyArray<string>): ReadonlyArray<string> => {
  const listed = new Map(written.map((name) => [nameOf(name).toLowerCase(), name]))
  return [...parameters].flatMap((parameter) => {
    const name = listed.get(parameter.toLowerCase())
    return name === undefined ? [] : [isOptional(name) ? `${parameter}?` : parameter]
  })
}

const isOptional = (written: string): boolean => written.endsWith("?")

const nameOf = (written: string): string => (isOptional(written) ? written.slice(0, -1) : written)
