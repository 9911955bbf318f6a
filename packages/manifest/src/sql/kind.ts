/**
 * What a statement does, as far as its words tell.
 */
import type { Dialect } from "./Dialect.js"
import type { Token } from "./tokenize.js"

/**
 * `select` gives rows and may be wrapped, `show` gives rows and may not,
 * `write` changes something, `forbidden` has no place in a call at all.
 */
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
 * The word that tells what a statement does: its first, or behind `WITH` and
 * its parentheses the first that is a verb, or one further on by which a
 * statement that begins as a reading one writes.
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
