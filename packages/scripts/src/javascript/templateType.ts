/** Template literal types, as patterns: `` `v${number}` ``. */
import type ts from "typescript"
import { type Bindings, type Resolution, unknown } from "./resolution.js"
import { membersOf, simple, type Type } from "./type.js"

export const templateType = (resolution: Resolution, node: ts.TemplateLiteralTypeNode, bindings: Bindings): Type => {
  const parts = node.templateSpans.map(({ literal, type }) => {
    const part = partOf(resolution.resolve(resolution, type, bindings))
    return part === undefined ? undefined : part + escaped(literal.text)
  })
  const isPattern = parts.every((part) => part !== undefined)
  const isShort = parts.reduce((length, part) => length + (part?.length ?? 0), 0) <= longestPattern
  if (isPattern && isShort) {
    return simple("string", { pattern: `^${escaped(node.head.text)}${parts.join("")}$` })
  }
  unknown(
    resolution,
    node,
    isPattern
      ? `this template literal type is a pattern of more than ${longestPattern} characters: any text is accepted; use fewer literals in it`
      : "this template literal type holds a type that is no pattern: any text is accepted; use string, number and literals in it",
    "unsupported-type"
  )
  return simple("string")
}

/** Of templates within templates, each of which holds another twice, it would fill the memory. */
const longestPattern = 10_000

const partOf = (type: Type): string | undefined => {
  const parts = membersOf(type).map((member) => {
    if (member.kind === "literal") return escaped(String(member.value))
    if (member.kind === "any") return anything
    if (member.kind !== "simple") return undefined
    switch (member.type) {
      case "string":
        return innerPattern(member.keywords["pattern"])
      case "number":
        return "-?\\d+(?:\\.\\d+)?"
      case "integer":
        return "-?\\d+"
      case "boolean":
        return "(?:true|false)"
    }
  })
  return parts.every((part) => part !== undefined)
    ? parts.length === 1
      ? parts[0]
      : `(?:${parts.join("|")})`
    : undefined
}

/** A line break is text, too. */
const anything = "[\\s\\S]*"

const innerPattern = (pattern: unknown): string =>
  typeof pattern === "string" ? `(?:${pattern.slice(1, -1)})` : anything

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
