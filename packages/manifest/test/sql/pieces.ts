/**
 * Random pieces of SQL that hold colons, quotes and comment marks wherever
 * these are no syntax, each with the value that a database reads of it.
 */
import { FastCheck } from "effect"

export interface Piece {
  readonly text: string
  readonly value: string
}

const content = FastCheck.string({
  unit: FastCheck.constantFrom(
    ":",
    "a",
    "p",
    ":p",
    "'",
    '"',
    "\\",
    "-",
    "--",
    "/",
    "*",
    ";",
    " ",
    "\n",
    "?",
    "`",
    "[",
    "]",
    "#",
    "("
  )
})
/** Nothing that ends or opens a comment. */
const remark = content.map((text) => text.replace(/[*/\n]/g, ""))

const quoted = content.map((text): Piece => ({ text: `'${text.replaceAll("'", "''")}'`, value: text }))
const escaping = content.map((text): Piece => ({
  text: `E'${text.replace(/[\\']/g, (character) => `\\${character}`)}'`,
  value: text
}))
const dollars = FastCheck.tuple(content, FastCheck.constantFrom("$$", "$p$")).map(([text, mark]): Piece => ({
  text: `${mark}${text}${mark}`,
  value: text
}))
const parameter: FastCheck.Arbitrary<Piece> = FastCheck.constant({ text: ":p", value: "the value" })

const comment = remark.map((text) => `/* ${text} */`)
const nested = FastCheck.tuple(remark, remark).map(([outer, inner]) => `/* ${outer} /* ${inner} */ ${outer} */`)
const line = remark.map((text) => `-- ${text}\n`)
const gap = { postgres: FastCheck.oneof(comment, nested, line), sqlite: FastCheck.oneof(comment, line) }
const value = {
  postgres: FastCheck.oneof(quoted, escaping, dollars, parameter),
  sqlite: FastCheck.oneof(quoted, parameter)
}
/** Names of columns are quoted; a `"` in them would be doubled in the answer's name, so there is none. */
const alias = content.map((text) => text.replace(/["`]/g, "").slice(0, 40))

export const pieces = (dialect: "postgres" | "sqlite") =>
  FastCheck.array(FastCheck.tuple(gap[dialect], value[dialect], gap[dialect], alias), {
    minLength: 1,
    maxLength: 6
  }).map((all) => ({
    query: `SELECT ${all.map(([before, piece, after, name], index) => `${before} ${piece.text}${after} AS "${index}${name}"`).join(", ")}`,
    row: Object.fromEntries(all.map(([, piece, , name], index) => [`${index}${name}`, piece.value]))
  }))
