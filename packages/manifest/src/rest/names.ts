/** Names as the loosest servers compare them: in any case, and as PHP has spaces and dots. */
export const wireName = (name: string): string =>
  name.normalize("NFKC").toUpperCase().toLowerCase().trimStart().replace(/[ .]/g, "_")

/**
 * The names that a server may read a value into: `filter[a][b]` is also of `filter`, and of `filter[a]`. A zero byte ends
 * a name, too.
 */
export const wireNames = (name: string): ReadonlyArray<string> => {
  const whole = wireName(name)
  return [...Array.from(whole.matchAll(/[[\0]/g), ({ index }) => whole.slice(0, index)), whole]
}

export const isHeaderName = (name: string): boolean => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)

/** A line break would begin another header. */
export const isHeaderValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

/** Headers that belong to the connection, or decide who is asked. */
export const isConnectionHeader = (name: string): boolean =>
  /^(connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i.test(name)
