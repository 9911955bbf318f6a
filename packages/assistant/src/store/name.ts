/** Names of goals, memories and people. */

/** Postgres takes no more than 2,700 bytes of an index's entry, and some characters are stored as six bytes. */
export const longestName = 200

/**
 * The same name, however it was typed: models write accented letters as one
 * character, files of macOS as two, and a blank at the end is seen by no one.
 */
export const nameOf = (text: string): string => text.normalize("NFC").trim()

export const isName = (name: string): boolean => name !== "" && name.length <= longestName

/** A name as a model that has named nothing reads it again. */
export const shortenName = (text: string): string =>
  text.length <= longestName ? text : text.slice(0, longestName).replace(/[\uD800-\uDBFF]$/, "")
