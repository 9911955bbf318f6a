/** Reads the text of a tag from left to right. */
import * as Either from "effect/Either"

/** Where in the text it is malformed, and what was expected there. */
export interface Malformed {
  readonly at: number
  readonly message: string
}

export const scan = (text: string, from: number) => {
  let at = from
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text) ?? undefined
    if (found !== undefined) at = pattern.lastIndex
    return found
  }
  const fail = (message: string, where = at): Either.Either<never, Malformed> => Either.left({ at: where, message })
  return {
    /** What matches here, which is read over, or undefined. The pattern has the flag `y`. */
    take,
    /** The same, where nothing else may stand. */
    expect: (pattern: RegExp, expected: string): Either.Either<RegExpExecArray, Malformed> => {
      const found = take(pattern)
      return found === undefined ? fail(`Expected ${expected}, found ${shown(text.slice(at))}`) : Either.right(found)
    },
    skip: (length: number) => {
      at += length
    },
    fail,
    position: () => at,
    rest: () => text.slice(at)
  }
}

export type Scanner = ReturnType<typeof scan>

const shown = (text: string): string => {
  const word = /^\S+/.exec(text)?.[0]
  if (word !== undefined) return `\`${word}\``
  return text.trim() === "" ? "the end of the line" : "a space"
}
