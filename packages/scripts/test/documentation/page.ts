/**
 * What a page of the documentation claims that can be tried: rows of tables, and
 * scripts with what they give.
 */
import { readFileSync } from "node:fs"

export interface Block {
  readonly language: string
  readonly text: string
}

/** A script of the page. `sent` and `given` are JSON texts, where it says what a call gives. */
export interface Example extends Block {
  readonly file: string
  readonly sent: string | undefined
  readonly given: string | undefined
}

/** What a row says of a code in its first cell. */
export interface Claim {
  readonly written: string
  /** The first cell, whole. */
  readonly first: string
  readonly cells: ReadonlyArray<string>
}

export interface Page {
  readonly examples: ReadonlyArray<Example>
  /** Blocks of a language that are no script, but declare what a table names. */
  readonly declarations: (language: string) => string
  /** The rows of the tables whose first headings are these; one for each code of the first cell. */
  readonly claims: (first: string, second: string) => ReadonlyArray<Claim>
}

export const readPage = (name: string): Page => {
  const text = readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8")
  const blocks = [...text.matchAll(/^```(\w+)[^\n]*\n(.*?)^```\n\n?([^\n]*)/gms)].map(
    ([, language = "", code = "", following = ""]) => ({ language, text: code, following })
  )
  return {
    examples: blocks.flatMap(({ following, ...block }) => {
      const file = /^(?:#!.*\n)?(?:#|\/\/) (tools\/[\w.]+)$/m.exec(block.text)?.[1]
      const [, sent, given] = /^With `(.*)` it gives `(.*)`\.$/.exec(following) ?? []
      return file === undefined ? [] : [{ ...block, file, sent, given }]
    }),
    declarations: (language) =>
      blocks.find((block) => block.language === language && /^(?:#|\/\/) the types/.test(block.text))?.text ?? "",
    claims: (first, second) =>
      tablesOf(text)
        .filter(([heading]) => heading?.[0] === first && heading[1] === second)
        .flatMap((rows) => rows.slice(2))
        .flatMap(([cell = "", ...cells]) => codesOf(cell).map((written) => ({ written, first: cell, cells })))
  }
}

const tablesOf = (text: string): ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>> =>
  (text.match(/(?:^\|.*\n)+/gm) ?? []).map((table) => table.trim().split("\n").map(cellsOf))

const cellsOf = (row: string): ReadonlyArray<string> =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("\\|", "|").trim())

/** What stands between backticks, one or two. */
export const codesOf = (cell: string): ReadonlyArray<string> =>
  [...cell.matchAll(/(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)].map(([, , code = ""]) => code.trim())
