/** Tags of a documentation comment that are keywords of JSON Schema: `@minimum 1`. */
import type { Json } from "@wield/core"
import * as Option from "effect/Option"
import { ts } from "./compiler.js"
import type { Documentation } from "./jsdoc.js"
import { literalOf } from "./literals.js"
import { at, type Reading } from "./reading.js"
import { type Annotations, membersOf, simple, type Type, union } from "./type.js"
import { namesTo } from "../syntax/names.js"

type Reader = (text: string) => Json.Json | undefined

const number = (text: string): number | undefined =>
  text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined

const positive: Reader = (text) => (Number(text) > 0 ? number(text) : undefined)

const count: Reader = (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)

const pattern: Reader = (text) => {
  try {
    return text === "" ? undefined : new RegExp(text, "u").source
  } catch {
    return undefined
  }
}

const word: Reader = (text) => text || undefined

/** A text in a comment: the literal that it is, or else itself. */
export const valueOf = (text: string): Json.Json => {
  const file = ts.createSourceFile("value.ts", `(${text}\n)`, ts.ScriptTarget.Latest)
  const [statement, ...more] = file.statements
  return statement !== undefined && more.length === 0 && ts.isExpressionStatement(statement)
    ? Option.getOrElse(literalOf(statement.expression), () => text)
    : text
}

const readers = namesTo<Reader>(
  ["minimum maximum exclusiveMinimum exclusiveMaximum", number],
  ["multipleOf", positive],
  ["minLength maxLength minItems maxItems minProperties maxProperties", count],
  ["pattern", pattern],
  ["format title", word],
  ["uniqueItems deprecated", () => true],
  ["default", valueOf]
)

/** The description and the keywords of a property, a type or a parameter. */
export const annotationsOf = ({ report }: Reading, documentation: Documentation, subject: string): Annotations => {
  const keywords: Array<readonly [string, Json.Json]> = []
  const examples: Array<Json.Json> = []
  for (const { name, node, text } of documentation.tags) {
    if (name === "example" && text !== "") examples.push(valueOf(text))
    const read = readers.get(name)
    if (read === undefined) continue
    const value = read(text)
    const message = `@${name} ${text} is left out: it is no value that \`${name}\` can have`
    if (value === undefined) report.warning("invalid-tag", message, at(node, subject))
    else keywords.push([name, value])
  }
  return {
    ...(documentation.description === "" ? {} : { description: documentation.description }),
    ...Object.fromEntries(keywords),
    ...(examples.length === 0 ? {} : { examples })
  }
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
