/** How far the value of a name goes that stands before it, in whatever notation. Each takes time in proportion to it. */

/** Characters of a value, from behind the `=` or `:` on. `indent` is that of the line which the name stands in. */
export const extentOf = (rest: string, indent: number, isHeader: boolean): number =>
  Math.max(
    // Values of headers have spaces in them.
    (isHeader ? /^\s{0,4}.*/ : untilSpace).exec(rest)?.[0].length ?? 0,
    quoted(rest),
    bracketed(rest),
    block(rest, indent)
  )

/** Also what stands in three quotes, as in TOML. */
const untilSpace = /^\s{0,4}(?:"""(?:(?!""")[\s\S])*|'''(?:(?!''')[\s\S])*|\S*)/

/** A quote and the backslashes before it: the more, the deeper JSON stands in JSON. */
interface Quote {
  readonly sign: string
  readonly escapes: number
}

const quoteOf = (text: string): Quote => ({ sign: text.slice(-1), escapes: text.length - 1 })

const closes = (opened: Quote, { escapes, sign }: Quote): boolean =>
  sign === opened.sign && escapes % ((opened.escapes + 1) * 2) === opened.escapes

/** In quotes. Without an end it goes to the end. */
const quoted = (rest: string): number => {
  const [opening, quote] = /^\s{0,4}(\\{0,31}["'`])/.exec(rest) ?? []
  if (opening === undefined || quote === undefined) return 0
  for (const { index, 0: sign } of rest.slice(opening.length).matchAll(/\\*["'`]/g)) {
    if (closes(quoteOf(quote), quoteOf(sign))) return opening.length + index
  }
  return rest.length
}

/** Columns of a line up to its first word, the dashes of lists in YAML among them. */
export const indentOf = (before: string): number =>
  /^[ \t]*(?:-[ \t]+)*/.exec(before.split(lineEnd).at(-1) ?? "")?.[0].length ?? 0

/** As it is, or as it stands in a string of JSON. */
const lineEnd = /\r?\n|(?:\\r)?\\n/

/** An object or a list with all that is in it: `{ "user": "ada", "value": "a b" }`. One without an end goes to the end. */
const bracketed = (rest: string): number => {
  if (!/^\s*[{[]/.test(rest)) return 0
  let depth = 0
  let opened: Quote | undefined
  for (const { index, 0: sign } of rest.matchAll(/\\*["'`]|[{}[\]]/g)) {
    if (opened !== undefined) {
      if (closes(opened, quoteOf(sign))) opened = undefined
    } else if (/["'`]/.test(sign)) opened = quoteOf(sign)
    else depth += sign === "{" || sign === "[" ? 1 : -1
    if (depth === 0) return index + 1 + (/^\S*/.exec(rest.slice(index + 1))?.[0].length ?? 0)
  }
  return rest.length
}

/** What YAML puts below a name: a text behind `|` or `>`, an object, a list, which may stand as far left as the name. */
const block = (rest: string, indent: number): number => {
  const head = /^[ \t]*(?:[|>][-+\d]{0,2}[ \t]*)?(?:#[^\r\n\\]*)?(?:\r?\n|(?:\\r)?\\n)/.exec(rest)?.[0].length
  if (head === undefined) return 0
  let end = head
  for (const { index, 0: line, 1: blanks = "", 2: said = "" } of rest.slice(head).matchAll(lines)) {
    if (said !== "" && blanks.length <= indent && !(blanks.length === indent && /^-\s/.test(said))) break
    if (said !== "") end = head + index + blanks.length + said.length
    if (line === "") break
  }
  return end
}

const lines = /([ \t]*)((?:(?!\r?\n|(?:\\r)?\\n)[\s\S])*)(?:\r?\n|(?:\\r)?\\n)?/g
