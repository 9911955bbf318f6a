/** What a docstring says: Google, NumPy and reST styles, also mixed. */
import * as Either from "effect/Either"
import { field, itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { cleanLines, indentOf, joinLines, paragraphs } from "./docstringLines.js"
import {
  endOfField,
  endOfIndented,
  endOfMarked,
  endOfUnderlined,
  fieldPattern,
  listMark,
  sectionAt
} from "./docstringSections.js"
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
