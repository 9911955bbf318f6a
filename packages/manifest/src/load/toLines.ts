/**
 * One line for each item, up to a hundred, and how many more there are. People
 * read no more of them, and a file of megabytes may have a million.
 */
const most = 100

export const toLines = <A>(all: ReadonlyArray<A>, toLine: (one: A) => string): ReadonlyArray<string> => {
  const lines = all.slice(0, most).map(toLine)
  return all.length > most ? [...lines, `and ${all.length - most} more`] : lines
}
