/**
 * The tokens of SQL as far as parameters need it. No library knows their positions in all dialects:
 * `docs/decisions/manifest.md` has what was tried.
 */

export interface Token {
  /**
   * `word`: a keyword or name without quotes. `parameter`: `:name`.
   * `positional`: a placeholder of the database's own, such as `?` or `$1`.
   * `executable`: a comment of MySQL's that it executes.
   */
  readonly kind:
    | "word"
    | "number"
    | "text"
    | "name"
    | "parameter"
    | "positional"
    | "symbol"
    | "executable"
    | "unterminated"
  readonly start: number
  readonly end: number
  /** As written; words in upper case, parameters without the colon. */
  readonly text: string
}

// A space that is not ASCII is part of a name; SQLite alone passes over a byte order mark.
const space: Record<Dialect, RegExp> = {
  postgres: /[ \t\n\r\f\v]+/y,
  sqlite: /[ \t\n\r\f\v\uFEFF]+/y,
  mysql: /[ \t\n\r\f\v]+/y
}
// Databases look at bytes: whatever is not ASCII is a letter to them.
const word = /[A-Za-z_\u0080-\u{10FFFF}][A-Za-z0-9_$\u0080-\u{10FFFF}]*/uy
const number = /(?:0[xX][\da-fA-F_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?)/y
const parameter = /:([\p{L}_][\p{L}\p{N}_]*)/uy
const dollarQuote = /\$(?:[A-Za-z_\u0080-\u{10FFFF}][A-Za-z0-9_\u0080-\u{10FFFF}]*)?\$/uy
const dollarPlaceholder: Record<Dialect, RegExp> = { postgres: /\$\d+/y, sqlite: /\$[\p{L}\p{N}_]+/uy, mysql: /(?!)/y }
const sqlitePlaceholder = /\?\d*|@[\p{L}\p{N}_]+|:\d[\p{L}\p{N}_]*/uy
const lineComment: Record<Dialect, RegExp> = {
  postgres: /--[^\n\r]*/y,
  sqlite: /--[^\n]*/y,
  // MySQL reads `a--1` as a minus of a minus.
  mysql: /(?:--(?=[\s]|$)|#)[^\n]*/y
}

const matched = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Where the quoted text that begins at `at` ends; undefined where it does not. */
const closing = (text: string, at: number, quote: string, hasBackslashes: boolean): number | undefined => {
  let index = at + 1
  while (index < text.length) {
    if (hasBackslashes && text[index] === "\\") index += 2
    else if (text[index] !== quote) index++
    else if (text[index + 1] === quote && quote !== "]") index += 2
    else return index + 1
  }
  return undefined
}

const closingComment = (text: string, at: number, isNesting: boolean): number | undefined => {
  let depth = 1
  let index = at + 2
  while (index < text.length) {
    if (text.startsWith("*/", index)) {
      index += 2
      if (--depth === 0) return index
    } else if (isNesting && text.startsWith("/*", index)) {
      index += 2
      depth++
    } else index++
  }
  return undefined
}

/** After one of these a value is complete: a colon that follows it, within `[]`, parts a slice. */
const isOperand = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.kind === "symbol"
    ? token.text === ")" || token.text === "]"
    : !(token.kind === "word" && opens.test(token.text)))

const opens = /^(?:AND|OR|NOT|CASE|WHEN|THEN|ELSE|IN|IS|LIKE|ILIKE|BETWEEN|FROM)$/

export const tokenize = (text: string, dialect: Dialect): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  const brackets: Array<string> = []
  let at = 0
  // Postgres: `E'…'` goes on in a text on a later line, with its backslashes.
  let continuesEscapes = false

  const push = (kind: Token["kind"], end: number, value = text.slice(at, end)) => {
    tokens.push({ kind, start: at, end, text: value })
    at = end
  }
  const pushQuoted = (kind: "text" | "name", end: number | undefined) =>
    end === undefined ? push("unterminated", text.length) : push(kind, end)

  while (at < text.length) {
    const gap = matched(space[dialect], text, at)
    if (gap !== null) {
      at += gap[0].length
      continue
    }
    const comment = matched(lineComment[dialect], text, at)
    if (comment !== null) {
      at += comment[0].length
      continue
    }
    const character = text[at] ?? ""
    const next = text[at + 1]
    if (character === "/" && next === "*") {
      const end = closingComment(text, at, dialect === "postgres")
      if (dialect === "mysql" && (text[at + 2] === "!" || text.startsWith("/*M!", at))) {
        push("executable", end ?? text.length)
      } else if (end !== undefined) at = end
      else if (dialect === "sqlite") at = text.length
      else push("unterminated", text.length)
      continue
    }
    const previous: Token | undefined = tokens.at(-1)
    if (character === "'") {
      const isEscaping: boolean =
        dialect === "mysql" ||
        (dialect === "postgres" &&
          continuesEscapes &&
          previous?.kind === "text" &&
          /[\n\r]/.test(text.slice(previous.end, at)))
      continuesEscapes = isEscaping
      pushQuoted("text", closing(text, at, "'", isEscaping))
      continue
    }
    if (character === '"' || character === "`") {
      const isText = dialect === "mysql" && character === '"'
      if (character === "`" && dialect === "postgres") push("symbol", at + 1)
      else pushQuoted(isText ? "text" : "name", closing(text, at, character, isText))
      continue
    }
    if (character === "[" && dialect === "sqlite") {
      pushQuoted("name", closing(text, at, "]", false))
      continue
    }
    if (character === "$" && dialect === "postgres") {
      const quote = matched(dollarQuote, text, at)?.[0]
      if (quote !== undefined) {
        const end = text.indexOf(quote, at + quote.length)
        pushQuoted("text", end < 0 ? undefined : end + quote.length)
        continue
      }
    }
    const placeholder =
      matched(dollarPlaceholder[dialect], text, at) ??
      (dialect === "sqlite" ? matched(sqlitePlaceholder, text, at) : null) ??
      (dialect === "mysql" && character === "?" ? ["?"] : null)
    if (placeholder !== null) {
      push("positional", at + placeholder[0].length)
      continue
    }
    const found = matched(word, text, at)?.[0]
    if (found !== undefined) {
      const isPrefix = text[at + found.length] === "'" && dialect === "postgres"
      if (isPrefix && /^e$/i.test(found)) {
        pushQuoted("text", closing(text, at + 1, "'", true))
        continuesEscapes = true
      } else push("word", at + found.length, found.toUpperCase())
      continue
    }
    const digits = matched(number, text, at)
    if (digits !== null) {
      push("number", at + digits[0].length)
      continue
    }
    if (character === ":") {
      // `::` casts, `:=` assigns.
      if (next === ":" || next === "=") {
        push("symbol", at + 2)
        continue
      }
      const name = matched(parameter, text, at)
      const isSlice = brackets.at(-1) === "[" && isOperand(previous)
      if (name !== null && !isSlice) push("parameter", at + name[0].length, name[1])
      else push("symbol", at + 1)
      continue
    }
    if (character === "(" || character === "[") brackets.push(character)
    if (character === ")" || character === "]") brackets.pop()
    push("symbol", at + 1)
  }
  return tokens
}

export type Dialect = "postgres" | "sqlite" | "mysql"

export const dialects: ReadonlyArray<Dialect> = ["postgres", "sqlite", "mysql"]
