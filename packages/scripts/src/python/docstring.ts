/** What a docstring says: Google, NumPy and reST styles, also mixed. */
import * as Either from "effect/Either"
import { field, itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { literalOf } from "./literal.js"

export interface Docstring {
  /** Without the sections of parameters, results and errors. */
  readonly description: string
  readonly parameters: ReadonlyMap<string, DocumentedParameter>
}

export interface DocumentedParameter {
  readonly description: string
  /** As it is written: `int`, `list of str`. */
  readonly type: string | undefined
  readonly isOptional: boolean
}

export const docstringOf = (text: string): Docstring => {
  const found = new Found()
  const lines = cleanLines(text)
  let index = 0
  while (index < lines.length) {
    const section = sectionAt(lines, index)
    if (section === undefined) {
      const field = fieldPattern.exec(lines[index] ?? "")
      if (field === null) {
        found.text.push(lines[index] ?? "")
        index += 1
        continue
      }
      const end = endOfField(lines, index)
      found.addField(field, lines.slice(index + 1, end))
      index = end
      continue
    }
    const end = section.isUnderlined
      ? endOfUnderlined(lines, index + 2)
      : section.markup !== undefined && section.kind !== "text"
        ? endOfMarked(lines, index + 1, section)
        : endOfIndented(lines, index + 1)
    const body = lines.slice(index + (section.isUnderlined ? 2 : 1), end)
    if (section.kind === "parameters") found.addEntries(body, section.isUnderlined)
    if (section.kind === "text") found.text.push(...lines.slice(index, end))
    index = end
  }
  return { description: paragraphs(found.text), parameters: found.parameters() }
}

export interface Documentation {
  readonly text: string
  readonly node: Node
}

/** The docstring at the beginning of a function or class. To Python, an f-string is not one. */
export const documentationOf = (definition: Node): Documentation | undefined =>
  textOf(itemsOf(field(definition, "body"))[0])

/** The text of a statement that is nothing but a text. */
export const textOf = (statement: Node | undefined): Documentation | undefined => {
  const node = statement?.type === "expression_statement" ? itemsOf(statement)[0] : undefined
  if (node === undefined || /^[a-z]*f[a-z]*["']/i.test(node.text)) return undefined
  const value = Either.getOrUndefined(literalOf(node))
  return typeof value === "string" ? { text: value, node } : undefined
}

const parameterFields: ReadonlySet<string> = new Set(
  "param parameter arg argument key keyword kwarg var ivar cvar attribute".split(" ")
)

const resultFields: ReadonlySet<string> = new Set(
  "return returns rtype raise raises except exception yield yields ytype".split(" ")
)

/** What has been found so far. */
class Found {
  readonly text: Array<string> = []
  readonly #parameters = new Map<string, DocumentedParameter>()
  readonly #types = new Map<string, string>()

  addField([line, field = "", subject = "", first = ""]: RegExpExecArray, continuation: ReadonlyArray<string>): void {
    const description = joinLines([first, ...continuation.map((one) => one.trim())])
    const words = subject.trim().split(/\s+/)
    const name = bare(words.at(-1) ?? "")
    if (parameterFields.has(field) && name !== "") {
      this.#add(name, words.slice(0, -1).join(" "), description)
    } else if (field === "type" && name !== "") {
      this.#types.set(name, description)
    } else if (!resultFields.has(field)) {
      this.text.push(line, ...continuation)
    }
  }

  /** Each entry begins where the first does; its further lines are indented more. */
  addEntries(body: ReadonlyArray<string>, isUnderlined: boolean): void {
    const margin = indentOf(body.find((line) => line !== "") ?? "")
    let entry: ReadonlyArray<string> = []
    const end = (): void => {
      const [head, ...continuation] = entry
      if (head !== undefined) this.#addEntry(head, continuation, isUnderlined)
    }
    for (const line of body) {
      if (line !== "" && indentOf(line) <= margin && (isUnderlined || entryOf(line) !== undefined)) {
        end()
        entry = [line.trim()]
      } else if (entry.length > 0) {
        entry = [...entry, line.trim()]
      }
    }
    end()
  }

  parameters(): ReadonlyMap<string, DocumentedParameter> {
    for (const [name, type] of this.#types) {
      const known = this.#parameters.get(name)
      this.#add(name, type, known?.description ?? "")
    }
    return this.#parameters
  }

  #addEntry(head: string, continuation: ReadonlyArray<string>, isUnderlined: boolean): void {
    if (isUnderlined) {
      const colon = head.indexOf(" :")
      const names = colon === -1 ? head.replace(/:$/, "") : head.slice(0, colon)
      const type = colon === -1 ? "" : head.slice(colon + 2).trim()
      for (const name of names.split(",")) this.#add(bare(name), type, joinLines(continuation))
      return
    }
    const [, name = "", type = "", first = ""] = entryOf(head) ?? []
    this.#add(bare(name), type, joinLines([first, ...continuation]))
  }

  #add(name: string, written: string, description: string): void {
    const isOptional = /(^|,\s*)optional\b/.test(written)
    const type = written
      .replace(/(^|,\s*)(?:optional|default\b.*|defaults to\b.*|required|keyword-only)(?=,|$)/g, "")
      .replace(/(^|,\s*)default\b.*$/, "")
      .trim()
    this.#parameters.set(name, { description, type: type === "" ? undefined : type, isOptional })
  }
}

/** `name: text`, `name (type, optional): text`, `**name: text`, and `name -- text` as PEP 257 has it. */
const entryPattern = /^(\\?\*{0,2}[\p{L}_][\p{L}\p{N}_]*)(?:\s*\((.*?)\))?(?:\s*:|\s+(?:--|[-–—])(?=\s))(?:\s+(.*))?$/u

/** Also as Markdown has it: in a list, or with the name in bold or as code. */
const entryOf = (line: string): RegExpExecArray | undefined =>
  entryPattern.exec(
    line
      .trim()
      .replace(listMark, "")
      .replace(/^(\*\*|__|`)([\p{L}_][\p{L}\p{N}_]*?)(:?)\1/u, "$2$3")
  ) ?? undefined

const bare = (name: string): string =>
  name
    .trim()
    .replace(/^[\\*]+/, "")
    .replace(/[`']/g, "")

interface Section {
  readonly kind: "parameters" | "result" | "text"
  readonly isUnderlined: boolean
  /** As Markdown writes it: `## Parameters`, or `**Args:**` in a line of its own. */
  readonly markup: "heading" | "bold" | undefined
}

const sectionAt = (lines: ReadonlyArray<string>, index: number): Section | undefined => {
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
const listMark = /^[-*+•]\s+/

/** What begins an item where items are not indented: of such a list, or `name -- text` as PEP 257 has it. */
const itemMark = /^(?:[-*+•]|\w+\s+--)\s/

/** A section of Google's style ends where a line is not indented; one of items that are not, at the first that is not one. */
const endOfIndented = (lines: ReadonlyArray<string>, from: number): number => {
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
const endOfMarked = (lines: ReadonlyArray<string>, from: number, { kind, markup }: Section): number => {
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
const endOfUnderlined = (lines: ReadonlyArray<string>, from: number): number => {
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
const fieldPattern = /^[:@](\w+)(?:\s+([^:]*?))?\s*:(?:\s+(.*))?$/

/** A field goes on while lines are indented. */
const endOfField = (lines: ReadonlyArray<string>, from: number): number => {
  let end = from + 1
  while (
    end < lines.length &&
    (lines[end] === "" ? indentOf(lines[end + 1] ?? "") > 0 : indentOf(lines[end] ?? "") > 0)
  ) {
    end += 1
  }
  return end
}

/** The lines of a docstring, and texts made of them. */

/** As `inspect.cleandoc` does: the first line apart, the others without what all of them are indented. */
const cleanLines = (text: string): ReadonlyArray<string> => {
  const [first = "", ...others] = text.replaceAll("\t", "        ").split("\n")
  const margins = others.filter((line) => line.trim() !== "").map(indentOf)
  const margin = margins.length === 0 ? 0 : Math.min(...margins)
  const lines = [first.trimStart(), ...others.map((line) => line.slice(margin))].map((line) => line.trimEnd())
  const begin = lines.findIndex((line) => line !== "")
  return begin === -1 ? [] : lines.slice(begin, lines.findLastIndex((line) => line !== "") + 1)
}

const indentOf = (line: string): number => line.length - line.trimStart().length

const paragraphs = (lines: ReadonlyArray<string>): string =>
  lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()

/** One paragraph a line of text; items of a list stay lines. */
const joinLines = (lines: ReadonlyArray<string>): string => {
  let text = ""
  for (const line of lines) {
    if (line === "") text = text === "" || text.endsWith("\n\n") ? text : `${text}\n\n`
    else if (text === "" || text.endsWith("\n")) text += line
    else text += /^(?:[-*+•]|\d+[.)])\s/.test(line) ? `\n${line}` : ` ${line}`
  }
  return text.trim()
}
