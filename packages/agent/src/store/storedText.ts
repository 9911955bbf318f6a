/**
 * Ids and titles as a database can hold them. Postgres refuses the character
 * NUL, libsql ends a text there when it reads it, and neither can say half of a
 * surrogate pair. Those stand as `\u0000` in a column, and a backslash, so that
 * no two texts become one, as `\u005c`. Every other text stands as it is.
 */
// A control character is what this is about.
// oxlint-disable-next-line no-control-regex
const unspeakable = /[\0\\]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** Most texts have none of them, which this says in a third of the time. */
// oxlint-disable-next-line no-control-regex
const isSuspect = /[\0\\\uD800-\uDFFF]/

export const toStored = (text: string): string =>
  !isSuspect.test(text)
    ? text
    : text.replace(unspeakable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

export const fromStored = (text: string): string =>
  // In a damaged file any value may stand there.
  String(text).replace(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
