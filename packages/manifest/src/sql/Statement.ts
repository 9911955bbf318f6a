/** One SQL statement, and what is known of it without a database: its parameters and whether it writes. */
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

/** `select` gives rows and may be wrapped, `show` may not; `forbidden` has no place in a call at all. */
export type Kind = "select" | "show" | "write" | "forbidden" | "empty"

const reads = new Set(["SELECT", "VALUES", "TABLE"])
const shows = new Set(["SHOW", "EXPLAIN", "DESCRIBE", "DESC"])
const writes = new Set(
  [
    "INSERT UPDATE DELETE REPLACE MERGE TRUNCATE",
    "CREATE ALTER DROP RENAME COMMENT REINDEX REFRESH ANALYZE CLUSTER",
    "GRANT REVOKE CALL DO NOTIFY INTO FOR"
  ].flatMap((line) => line.split(" "))
)

const kindOf = (verb: Token | undefined): Kind => {
  if (verb === undefined) return "forbidden"
  if (reads.has(verb.text)) return "select"
  if (shows.has(verb.text)) return "show"
  return writes.has(verb.text) ? "write" : "forbidden"
}

const changes = /^(?:INSERT|UPDATE|DELETE|MERGE)$/

/**
 * The word that tells what a statement does: its first, behind `WITH` the first verb, or a later one by which it
 * writes.
 */
const verbOf = (tokens: ReadonlyArray<Token>, dialect: Dialect): Token | undefined => {
  let depth = 0
  let verb: Token | undefined
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "symbol") {
      if (token.text === "(") depth++
      if (token.text === ")") depth--
      continue
    }
    if (token.kind !== "word") continue
    const next = tokens[index + 1]
    const before = tokens[index - 1]
    // `( SELECT … ) UNION …` begins in parentheses.
    const isFirst = verb === undefined && tokens.slice(0, index).every(({ text }) => text === "(")
    if (isFirst && token.text !== "WITH") verb = token
    else if (verb === undefined && depth === 0 && (reads.has(token.text) || changes.test(token.text))) {
      verb = token
    } else if (verb === undefined && depth === 0 && token.text === "REPLACE" && next?.text === "INTO") {
      // Without `INTO` it is a function.
      verb = token
    }

    if (verb !== undefined && (reads.has(verb.text) || shows.has(verb.text))) {
      if (depth === 0 && shows.has(verb.text) && changes.test(token.text)) return token
      // MySQL writes files by these, whatever the entry may write.
      if (token.text === "INTO" && /^(?:OUT|DUMP)FILE$/.test(next?.text ?? "")) return next
      if (dialect !== "sqlite" && token.text === "INTO" && before?.text !== "INSERT") return token
      if (dialect !== "sqlite" && token.text === "FOR" && /^(?:UPDATE|SHARE|NO|KEY)$/.test(next?.text ?? ""))
        return token
    }
    // Postgres: what a `WITH` changes, it changes also in a statement that selects.
    if (dialect === "postgres" && before?.text === "(" && changes.test(token.text) && next?.kind !== "symbol")
      return token
  }
  return verb
}

/** Functions that reach files, programs or servers, hold a lock of the session, or run a text. */
const outside = new RegExp(
  `^(?:${[
    // SQLite and its extensions
    "load_extension readfile writefile lsdir lsmode fsdir zipfile fileio_\\w+ fts3_tokenizer",
    // MySQL and its extensions
    "load_file sys_(?:exec|eval|get|set) get_lock",
    // Postgres and its extensions
    "pg_read_(?:binary_)?file pg_ls_\\w+ pg_stat_file pg_file_\\w+ lo_import lo_export",
    "dblink\\w* http_(?:get|post|put|patch|delete|head)",
    "pg_(?:try_)?advisory_lock(?:_shared)? pg_(?:terminate|cancel)_backend pg_reload_conf pg_rotate_logfile pg_promote",
    "query_to_xml\\w* ts_stat"
  ]
    .join(" ")
    .replaceAll(" ", "|")})$`,
  "i"
)

/** The first call of a function that no tool may call, or of one whose name is written in escapes. */
const outsideCallOf = (tokens: ReadonlyArray<Token>): Token | undefined =>
  tokens.find((token, index) => {
    if (token.kind !== "word" && token.kind !== "name") return false
    const [opening, before] = [tokens[index + 1], tokens[index - 1]]
    if (opening?.kind !== "symbol" || opening.text !== "(") return false
    // `U&"\0070g_read_file"` of Postgres.
    const isEscaped = token.kind === "name" && before?.text === "&" && tokens[index - 2]?.text === "U"
    return isEscaped || outside.test(token.kind === "name" ? token.text.slice(1, -1) : token.text)
  })
