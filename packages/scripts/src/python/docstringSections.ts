/** Where the sections and fields of a docstring begin and end. */
import { indentOf } from "./docstringLines.js"

export interface Section {
  readonly kind: "parameters" | "result" | "text"
  readonly isUnderlined: boolean
  /** As Markdown writes it: `## Parameters`, or `**Args:**` in a line of its own. */
  readonly markup: "heading" | "bold" | undefined
}

export const sectionAt = (lines: ReadonlyArray<string>, index: number): Section | undefined => {
  const line = lines[index] ?? ""
  const isUnderlined = /^-{3,}$|^={3,}$/.test(lines[index + 1] ?? "")
  const heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1]
  const bold = /^(\*\*|__)([^*_]+)\1(:?)$/.exec(heading ?? line)
  const text = bold === null ? (heading ?? line) : `${bold[2] ?? ""}${bold[3] ?? ""}`
  const markup = heading !== undefined ? "heading" : bold !== null ? "bold" : undefined
  const isTitle = isUnderlined || markup !== undefined
  const title = (isTitle ? /^([A-Za-z ]+?):?$/ : /^([A-Za-z ]+):$/).exec(text)?.[1]?.toLowerCase()
  const kind = title === undefined ? undefined : titles.get(title)
  // A heading such as "Example:" is text wherever it stands.
  return kind === undefined ? undefined : { kind, isUnderlined, markup }
}

const titles: ReadonlyMap<string, Section["kind"]> = new Map([
  ...["args", "arguments", "parameters", "params", "keyword args", "keyword arguments", "other parameters"].map(
    (title) => [title, "parameters"] as const
  ),
  ...["attributes", "fields"].map((title) => [title, "parameters"] as const),
  ...["returns", "return", "yields", "yield", "receives", "raises", "raise", "exceptions", "warns"].map(
    (title) => [title, "result"] as const
  ),
  ...["note", "notes", "example", "examples", "warning", "warnings", "see also", "references", "todo"].map(
    (title) => [title, "text"] as const
  )
])

/** What begins an item of a list in Markdown. */
export const listMark = /^[-*+•]\s+/

/** What begins an item where items are not indented: of such a list, or `name -- text` as PEP 257 has it. */
const itemMark = /^(?:[-*+•]|\w+\s+--)\s/

/** A section of Google's style ends where a line is not indented; one of items that are not, at the first that is not one. */
export const endOfIndented = (lines: ReadonlyArray<string>, from: number): number => {
  const first = lines.slice(from).find((line) => line !== "") ?? ""
  const isList = itemMark.test(first)
  const end = lines.findIndex(
    (line, index) => index >= from && line !== "" && indentOf(line) === 0 && !(isList && itemMark.test(line))
  )
  return end === -1 ? lines.length : end
}

/** An entry that is not indented, as below a heading: `name: text`, `` `name` (type): text ``. */
const entryMark = /^(?:\*\*|__|`)?\w+(?:\*\*|__|`)?\s*(?:\([^()]*\))?\s*:/

/** A section with a title of Markdown's: of parameters, as long as there are entries; of others, up to the next heading or empty line. */
export const endOfMarked = (lines: ReadonlyArray<string>, from: number, { kind, markup }: Section): number => {
  const begin = lines.findIndex((line, index) => index >= from && line !== "")
  if (begin === -1) return lines.length
  const end = lines.findIndex((line, index) => {
    if (index < begin) return false
    if (line === "") return kind !== "parameters" && markup === "bold"
    if (indentOf(line) > 0) return false
    if (/^#{1,6}\s/.test(line) || sectionAt(lines, index) !== undefined) return true
    return kind === "parameters" && !itemMark.test(line) && !entryMark.test(line)
  })
  return end === -1 ? lines.length : end
}

/** A section of NumPy's style ends where the next begins, or a field of reST's. */
export const endOfUnderlined = (lines: ReadonlyArray<string>, from: number): number => {
  const end = lines.findIndex(
    (line, index) =>
      index >= from &&
      indentOf(line) === 0 &&
      (/^-{3,}$|^={3,}$/.test(lines[index + 1] ?? "") ||
        fieldPattern.test(line) ||
        sectionAt(lines, index) !== undefined)
  )
  return end === -1 ? lines.length : end
}

/** `:param int name: text`, `@param name: text`, `:type name: int`, `:returns: text`. */
export const fieldPattern = /^[:@](\w+)(?:\s+([^:]*?))?\s*:(?:\s+(.*))?$/

/** A field goes on while lines are indented. */
export const endOfField = (lines: ReadonlyArray<string>, from: number): number => {
  let end = from + 1
  while (
    end < lines.length &&
    (lines[end] === "" ? indentOf(lines[end + 1] ?? "") > 0 : indentOf(lines[end] ?? "") > 0)
  ) {
    end += 1
  }
  return end
}
