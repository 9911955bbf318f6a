/**
 * Lines for people, and how many more there are: nobody reads more of them, and
 * a file of megabytes may have a million.
 */
const most = 100

export const listed = <A>(all: ReadonlyArray<A>, toLine: (one: A) => string): ReadonlyArray<string> => {
  const lines = all.slice(0, most).map(toLine)
  return all.length > most ? [...lines, `and ${all.length - most} more`] : lines
}
