/**
 * The command of a script's first line. The kernel hands over what follows the
 * interpreter as one argument; `env -S` takes it apart as a shell would, with
 * quotes. Both come to the same words where there are no quotes.
 */

/** Blanks separate, quotes and backslashes join; a quote that is not closed reaches to the end. */
const word = /(?:"(?:\\.|[^"\\])*(?:"|$)|'[^']*(?:'|$)|\\.|[^\s"'\\])+/gu

export const shebangOf = (text: string): ReadonlyArray<string> | undefined => {
  const line = /^#!([^\r\n]*)/.exec(text)?.[1]
  const words = line === undefined ? [] : Array.from(line.matchAll(word), ([found]) => unquoted(found))
  return words.length === 0 ? undefined : words
}

const unquoted = (found: string): string =>
  found.replaceAll(/"((?:\\.|[^"\\])*)"?|'([^']*)'?|\\(.)/gu, (_, double?: string, single?: string, escaped?: string) =>
    double === undefined ? (single ?? escaped ?? "") : double.replaceAll(/\\(["\\$`])/g, "$1")
  )
