/** Names of goals, memories and people. */

/** Postgres takes no more than 2,700 bytes of an index's entry, and some characters are stored as six bytes. */
export const longestName = 200

/** The same name, however it was typed: accents as one character or two, blanks around it. */
export const nameOf = (text: string): string => text.normalize("NFC").trim()

export const isName = (name: string): boolean => name !== "" && name.length <= longestName

/** A name as a model that has named nothing reads it again. */
export const shortenName = (text: string): string =>
  text.length <= longestName ? text : text.slice(0, longestName).replace(/[\uD800-\uDBFF]$/, "")
