/** Tags of a documentation comment that are keywords of JSON Schema: `@minimum 1`. */
import type { Json } from "@wield/core"
import * as Option from "effect/Option"
import type ts from "typescript"
import type { Documentation } from "./jsdoc.js"
import { type Reading, report, type TypeScript } from "./reading.js"
import { literalOf } from "./literals.js"
import { type Annotations, membersOf, simple, type Type, union } from "./type.js"

type Reader = (typescript: TypeScript, text: string) => Json.Json | undefined

const number: Reader = (_, text) => {
  const value = Number(text)
  return text !== "" && Number.isFinite(value) ? value : undefined
}

const positive: Reader = (typescript, text) => {
  const value = number(typescript, text)
  return typeof value === "number" && value > 0 ? value : undefined
}

const count: Reader = (_, text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)

const pattern: Reader = (_, text) => {
  try {
    return text === "" ? undefined : new RegExp(text, "u").source
  } catch {
    return undefined
  }
}

const word: Reader = (_, text) => (text === "" ? undefined : text)

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["minimum", number],
  ["maximum", number],
  ["exclusiveMinimum", number],
  ["exclusiveMaximum", number],
  ["multipleOf", positive],
  ["minLength", count],
  ["maxLength", count],
  ["minItems", count],
  ["maxItems", count],
  ["minProperties", count],
  ["maxProperties", count],
  ["pattern", pattern],
  ["format", word],
  ["title", word],
  ["uniqueItems", () => true],
  ["deprecated", () => true],
  ["default", (typescript, text) => valueOf(typescript, text)]
])

/** The description and the keywords of a property, a type or a parameter. */
export const annotationsOf = (reading: Reading, documentation: Documentation, subject: string): Annotations => {
  const keywords: Array<readonly [string, Json.Json]> = []
  const examples: Array<Json.Json> = []
  for (const { name, node, text } of documentation.tags) {
    if (name === "example" && text !== "") examples.push(valueOf(reading.typescript, text))
    const read = readers.get(name)
    if (read === undefined) continue
    const value = read(reading.typescript, text)
    if (value === undefined) reportTag(reading, node, subject, name, text)
    else keywords.push([name, value])
  }
  return {
    ...(documentation.description === "" ? {} : { description: documentation.description }),
    ...Object.fromEntries(keywords),
    ...(examples.length === 0 ? {} : { examples })
  }
}

const reportTag = (reading: Reading, node: ts.Node, subject: string, name: string, text: string): void =>
  report(
    reading,
    "warning",
    "invalid-tag",
    node,
    subject,
    `@${name} ${text} is left out: it is no value that \`${name}\` can have`
  )

/** A text in a comment: the literal that it is, or else itself. */
export const valueOf = (typescript: TypeScript, text: string): Json.Json => {
  const file = typescript.createSourceFile("value.ts", `(${text}\n)`, typescript.ScriptTarget.Latest)
  const [statement, ...more] = file.statements
  return statement !== undefined && more.length === 0 && typescript.isExpressionStatement(statement)
    ? Option.getOrElse(literalOf(typescript, statement.expression), () => text)
    : text
}

/** `@integer`, or `@param {integer} count`, of what is a `number` to TypeScript. */
export const asInteger = (type: Type): Type =>
  type.kind === "array"
    ? { ...type, items: asInteger(type.items) }
    : union(
        membersOf(type).map((member) =>
          member.kind === "simple" && member.type === "number"
            ? { ...simple("integer", member.keywords), annotations: member.annotations }
            : member
        )
      )

export const isInteger = ({ tags }: Documentation): boolean =>
  tags.some(({ name, text }) => name === "integer" || name === "int" || (name === "type" && text === "{integer}"))
