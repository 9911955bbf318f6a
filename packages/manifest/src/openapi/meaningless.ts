/** Keywords that no value could meet, or no validator could read: generators of specifications write them. */

import * as Either from "effect/Either"

/** What is wrong with a keyword, if it cannot be meant. */
export const meaningless = (keyword: string, stated: unknown): string | undefined => {
  if (Array.isArray(stated)) return stated.length === 0 && lists.has(keyword) ? `\`${keyword}\` is empty` : undefined
  return keyword === "pattern" && typeof stated === "string" && !isRegExp(stated)
    ? `the pattern ${JSON.stringify(stated.slice(0, 100))} is no regular expression of ECMA-262`
    : undefined
}

const lists = new Set(["allOf", "anyOf", "enum", "oneOf", "prefixItems", "type"])

/** Python's spelling is read when the schema is compiled. */
const isRegExp = (pattern: string): boolean => {
  const source = pattern.replaceAll("(?P<", "(?<").replaceAll("(?P=", "(?:")
  return ["u", ""].some((flags) => Either.isRight(Either.try(() => new RegExp(source, flags))))
}
