/** Text that is broken into lines where it is too long: people read and compare what is generated. */
export type Doc = string | ReadonlyArray<Doc> | Group

/** Items between brackets: in one line if they fit, else each in its own. */
export interface Group {
  readonly open: string
  readonly items: ReadonlyArray<Doc>
  readonly close: string
  readonly separator: "," | ";"
  readonly isSpaced: boolean
}

const width = 110

export const list = (open: string, items: ReadonlyArray<Doc>, close: string): Group => ({
  open,
  items,
  close,
  separator: ",",
  isSpaced: open === "{"
})

export const members = (items: ReadonlyArray<Doc>): Doc =>
  items.length === 0 ? "{}" : { open: "{", items, close: "}", separator: ";", isSpaced: true }

/** A call: the brackets of its only argument stand with its own. */
export const call = (name: Doc, ...args: ReadonlyArray<Doc>): Doc =>
  args.length === 1 ? [name, "(", args[0] ?? "", ")"] : [name, list("(", args, ")")]

export const print = (doc: Doc, indent = 0): string => render(doc, indent, indent, 0).text

interface Rendered {
  readonly text: string
  readonly column: number
}

/** `after`: how much has to fit behind it in its last line. */
const render = (doc: Doc, indent: number, column: number, after: number): Rendered => {
  if (typeof doc === "string") return { text: doc, column: column + doc.length }
  if (isGroup(doc)) {
    const flat = flatten(doc, width - column - after)
    if (flat !== undefined) return { text: flat, column: column + flat.length }
    const inner = indent + 2
    const lines = doc.items.map((item) => " ".repeat(inner) + render(item, inner, inner, 1).text)
    return {
      text: `${doc.open}\n${lines.join(doc.separator === "," ? ",\n" : "\n")}\n${" ".repeat(indent)}${doc.close}`,
      column: indent + 1
    }
  }
  let text = ""
  let at = column
  for (const [index, part] of doc.entries()) {
    const rest = doc.slice(index + 1)
    const rendered = render(part, indent, at, rest.every((one) => typeof one === "string") ? lengthOf(rest) + after : 1)
    text += rendered.text
    at = rendered.column
  }
  return { text, column: at }
}

const lengthOf = (parts: ReadonlyArray<Doc>): number =>
  parts.reduce<number>((sum, part) => sum + String(part).length, 0)

const flatten = (doc: Doc, room: number): string | undefined => {
  if (room < 0) return undefined
  if (typeof doc === "string") return doc.includes("\n") || doc.length > room ? undefined : doc
  if (!isGroup(doc)) {
    let text = ""
    for (const part of doc) {
      const flat = flatten(part, room - text.length)
      if (flat === undefined) return undefined
      text += flat
    }
    return text
  }
  const space = doc.isSpaced && doc.items.length > 0 ? " " : ""
  let text = doc.open + space
  for (const [index, item] of doc.items.entries()) {
    const flat = flatten(item, room - text.length - 1)
    if (flat === undefined) return undefined
    text += (index === 0 ? "" : `${doc.separator} `) + flat
  }
  text += space + doc.close
  return text.length > room ? undefined : text
}

const isGroup = (doc: Exclude<Doc, string>): doc is Group => "open" in doc
