/** What a statement does, as far as its words tell. */
import type { Dialect, Token } from "./tokenize.js"

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

export const kindOf = (verb: Token | undefined): Kind => {
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
export const verbOf = (tokens: ReadonlyArray<Token>, dialect: Dialect): Token | undefined => {
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
export const outsideCallOf = (tokens: ReadonlyArray<Token>): Token | undefined =>
  tokens.find((token, index) => {
    if (token.kind !== "word" && token.kind !== "name") return false
    const [opening, before] = [tokens[index + 1], tokens[index - 1]]
    if (opening?.kind !== "symbol" || opening.text !== "(") return false
    // `U&"\0070g_read_file"` of Postgres.
    const isEscaped = token.kind === "name" && before?.text === "&" && tokens[index - 2]?.text === "U"
    return isEscaped || outside.test(token.kind === "name" ? token.text.slice(1, -1) : token.text)
  })
