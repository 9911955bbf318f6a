/** One SQL statement, and what is known of it without a database: its parameters and whether it writes. */
import { type Kind, kindOf, outsideCallOf, verbOf } from "./kind.js"
import { type Dialect, type Token, tokenize } from "./tokenize.js"

/** `list` is the whole of `IN (:ids)`, `array` where Postgres takes an array, `test` stands before `IS`. */
export type Use = "value" | "list" | "array" | "test"

export interface Placeholder {
  readonly name: string
  readonly use: Use
  /** What is replaced: the parameter, and for `list` the parentheses with what stands before them. */
  readonly start: number
  readonly end: number
  readonly isNegated: boolean
  /** One of several in an `IN (…)`, where no array can be expanded. */
  readonly isInList: boolean
}

export interface Statement {
  readonly text: string
  readonly dialect: Dialect
  /** Where the statement ends: before its semicolon and what follows it. */
  readonly end: number
  readonly start: number
  readonly kind: Kind
  /** The word that tells the kind, where there is one. */
  readonly verb: Token | undefined
  readonly outsideCall: Token | undefined
  readonly placeholders: ReadonlyArray<Placeholder>
  /** What the database or the reader of placeholders would trip over. */
  readonly obstacles: ReadonlyArray<Token>
  readonly second: Token | undefined
}

export const parse = (text: string, dialect: Dialect): Statement => {
  const all = tokenize(text, dialect)
  const semicolon = all.findIndex((token) => token.kind === "symbol" && token.text === ";")
  const tokens = semicolon < 0 ? all : all.slice(0, semicolon)
  const second =
    semicolon < 0 ? undefined : all.slice(semicolon).find((token) => !(token.kind === "symbol" && token.text === ";"))
  const verb = verbOf(tokens, dialect)
  return {
    text,
    dialect,
    start: tokens[0]?.start ?? 0,
    end: tokens.at(-1)?.end ?? 0,
    kind: tokens.length === 0 ? "empty" : kindOf(verb),
    verb,
    outsideCall: outsideCallOf(tokens),
    placeholders: placeholdersOf(tokens, dialect),
    obstacles: tokens.filter(({ kind }) => kind === "unterminated" || kind === "positional" || kind === "executable"),
    second
  }
}

const isSymbol = (token: Token | undefined, text: string): boolean => token?.kind === "symbol" && token.text === text
const isWord = (token: Token | undefined, pattern: RegExp): boolean =>
  token?.kind === "word" && pattern.test(token.text)

const placeholdersOf = (tokens: ReadonlyArray<Token>, dialect: Dialect): ReadonlyArray<Placeholder> => {
  const lists = inLists(tokens)
  return tokens.flatMap((token, index): ReadonlyArray<Placeholder> => {
    if (token.kind !== "parameter") return []
    const [before, next] = [tokens[index - 1], tokens[index + 1]]
    const isInList = lists.has(index)
    const placeholder = {
      name: token.text,
      start: token.start,
      end: token.end,
      isNegated: false,
      isInList
    }
    if (isInList && isSymbol(before, "(") && isSymbol(next, ")")) {
      const isNegated = isWord(tokens[index - 3], /^NOT$/)
      const first = tokens[index - (isNegated ? 3 : 2)]
      return [
        {
          ...placeholder,
          use: "list",
          isNegated,
          isInList: false,
          start: first?.start ?? token.start,
          end: next?.end ?? token.end
        }
      ]
    }
    if (dialect === "postgres") {
      if (isSymbol(before, "(") && isWord(tokens[index - 2], /^(?:ANY|ALL|SOME)$/) && isSymbol(next, ")"))
        return [{ ...placeholder, use: "array" }]
      if (isSymbol(next, "::") && castsToArray(tokens, index + 2)) return [{ ...placeholder, use: "array" }]
      if (isTested(tokens, index)) return [{ ...placeholder, use: "test" }]
    }
    return [{ ...placeholder, use: "value" }]
  })
}

/** `:x IS NULL`, where `:x` is no part of a longer expression. */
const isTested = (tokens: ReadonlyArray<Token>, index: number): boolean => {
  const before = tokens[index - 1]
  const isAlone =
    before === undefined ||
    isSymbol(before, "(") ||
    isSymbol(before, ",") ||
    isWord(before, /^(?:AND|OR|NOT|WHERE|ON|HAVING|WHEN|SELECT|THEN|ELSE)$/)
  const [next, second, third] = tokens.slice(index + 1)
  return (
    isAlone &&
    (isWord(next, /^(?:ISNULL|NOTNULL)$/) ||
      (isWord(next, /^IS$/) && (isWord(second, /^NULL$/) || (isWord(second, /^NOT$/) && isWord(third, /^NULL$/)))))
  )
}

/** `::int[]`, `::numeric(10, 2)[]`, `::schema.type[]`. */
const castsToArray = (tokens: ReadonlyArray<Token>, at: number): boolean => {
  let index = at
  while (isWord(tokens[index], /./) || isSymbol(tokens[index], ".") || tokens[index]?.kind === "name") index++
  if (isSymbol(tokens[index], "(")) {
    while (index < tokens.length && !isSymbol(tokens[index], ")")) index++
    index++
  }
  return isSymbol(tokens[index], "[") || isWord(tokens[index - 1], /^ARRAY$/)
}

const inLists = (tokens: ReadonlyArray<Token>): ReadonlySet<number> => {
  const found = new Set<number>()
  const open: Array<boolean> = []
  for (const [index, token] of tokens.entries()) {
    if (isSymbol(token, "(")) open.push(isWord(tokens[index - 1], /^IN$/))
    else if (isSymbol(token, ")")) open.pop()
    else if (open.at(-1) === true) found.add(index)
  }
  return found
}
