/** Reads the text of a tag from left to right. */
import * as Either from "effect/Either"

/** Where in the text it is malformed, and what was expected there. */
export interface Malformed {
  readonly at: number
  readonly message: string
}

export interface Scanner {
  /** What matches here, which is read over, or undefined. The pattern has the flag `y`. */
  readonly take: (pattern: RegExp) => RegExpExecArray | undefined
  /** The same, where nothing else may stand. */
  readonly expect: (pattern: RegExp, expected: string) => Either.Either<RegExpExecArray, Malformed>
  readonly skip: (length: number) => void
  readonly fail: (message: string, at?: number) => Either.Either<never, Malformed>
  readonly position: () => number
  readonly rest: () => string
}

export const scan = (text: string, from: number): Scanner => {
  let at = from
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text) ?? undefined
    if (found !== undefined) at = pattern.lastIndex
    return found
  }
  const fail: Scanner["fail"] = (message, where = at) => Either.left({ at: where, message })
  return {
    take,
    expect: (pattern, expected) => {
      const found = take(pattern)
      return found === undefined ? fail(`Expected ${expected}, found ${shown(text.slice(at))}`) : Either.right(found)
    },
    skip: (length) => {
      at += length
    },
    fail,
    position: () => at,
    rest: () => text.slice(at)
  }
}

const shown = (text: string): string => {
  const word = /^\S+/.exec(text)?.[0]
  if (word !== undefined) return `\`${word}\``
  return text.trim() === "" ? "the end of the line" : "a space"
}
