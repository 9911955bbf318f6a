/** The attributes that tell how to read an element; links made absolute. */

const names = ["alt", "class", "id", "role", "itemprop", "lang", "dir", "datetime", "start"] as const

/** A longer one is not a name or a word that anybody needs. */
const maxLength = 200

const maxLink = 2000

export const readableAttributes = (attributes: Record<string, string>, base: URL): Record<string, string> => {
  const kept: Record<string, string> = {}
  for (const name of names) {
    const value = attributes[name]
    if (value !== undefined && value !== "") kept[name] = value.slice(0, maxLength)
  }
  const link = linkOf(attributes["href"], base)
  if (link !== undefined) kept["href"] = link
  // Of a picture its words are read; Readability leaves out one that has no source.
  if (attributes["alt"] !== undefined) kept["src"] = "about:blank"
  return kept
}

/** Those of scripts and of data go nowhere that could be read. */
const linkOf = (target: string | undefined, base: URL): string | undefined => {
  if (target === undefined || target.length > maxLink || !URL.canParse(target, base)) return undefined
  const { href, protocol } = new URL(target, base)
  return /^(https?|mailto):$/.test(protocol) && href.length <= maxLink ? href : undefined
}
