/** Sets or removes one key of a JSON text's root object, and leaves every other character. */
import type { Json } from "@wield/core"
import * as Jsonc from "jsonc-parser"

export const edit = (text: string, key: string, value: Json.JsonObject | undefined): string => {
  const root = Jsonc.parseTree(text)
  // A file that is empty has no object yet.
  if (root === undefined) return edit("{}\n", key, value)
  const properties = root.children ?? []
  const at = properties.findIndex(({ children }) => children?.[0]?.value === key)
  if (value === undefined) return remove(text, properties, at)
  const lines = linesOf(text)
  const write = (isInline: boolean, { offset }: Jsonc.Node): string =>
    isInline ? inline(value, text) : lines(value, indentAt(text, offset))
  const found = properties[at]
  if (found !== undefined) {
    const old = found.children?.[1] ?? found
    return splice(text, old.offset, endOf(old), write(isOneLine(textOf(text, old)), found))
  }
  const last = properties.at(-1)
  if (last === undefined) {
    return splice(text, root.offset, endOf(root), lines({ [key]: value }, indentAt(text, root.offset)))
  }
  const space = /\s*$/.exec(text.slice(0, last.offset))?.[0] ?? ""
  const other = last.children?.[1]
  const isInline = isOneLine(space) || (other?.type === "object" && isOneLine(textOf(text, other)))
  const colon = isTight(text) ? ":" : ": "
  return splice(text, endOf(last), endOf(last), `,${space}${JSON.stringify(key)}${colon}${write(isInline, last)}`)
}

const isOneLine = (text: string): boolean => !/[\r\n]/.test(text)

const remove = (text: string, properties: ReadonlyArray<Jsonc.Node>, at: number): string => {
  const [before, gone, after] = [properties[at - 1], properties[at], properties[at + 1]]
  if (gone === undefined) return text
  if (before !== undefined) return splice(text, endOf(before), endOf(gone), "")
  return splice(text, gone.offset, after?.offset ?? endOf(gone), "")
}

const splice = (text: string, start: number, end: number, inserted: string): string =>
  text.slice(0, start) + inserted + text.slice(end)

const endOf = ({ length, offset }: Jsonc.Node): number => offset + length

const textOf = (text: string, node: Jsonc.Node): string => text.slice(node.offset, endOf(node))

/** Whether it is written without spaces, as programs do. */
const isTight = (text: string): boolean => /^\s*\{\s*"(?:[^"\\]|\\.)*":\S/.test(text)

/** A break of a line within a text is an escape. */
const inline = (value: Json.JsonObject, text: string): string =>
  isTight(text) ? JSON.stringify(value) : JSON.stringify(value, null, 1).replace(/\n */g, " ")

/** As the text has its lines. */
const linesOf = (text: string) => {
  const eol = text.includes("\r\n") ? "\r\n" : "\n"
  const unit = /^\t/m.test(text) ? "\t" : (/^( +)\S/m.exec(text)?.[1] ?? "  ")
  return (value: Json.JsonObject, indent: string): string =>
    JSON.stringify(value, null, unit).replaceAll("\n", eol + indent)
}

const indentAt = (text: string, offset: number): string => {
  const line =
    text
      .slice(0, offset)
      .split(/\r\n|\r|\n/)
      .at(-1) ?? ""
  return /^[ \t]*/.exec(line)?.[0] ?? ""
}
