/** One parameter as it will be shown: its type, what is said of it, and whether it may be left out. */
import type { Json } from "@wield/core"
import * as Option from "effect/Option"
import ts from "typescript"
import { constantsOf } from "./constants.js"
import { documentationOf, type DocumentedValue } from "./jsdoc.js"
import { annotationsOf, asInteger, isInteger } from "./keywords.js"
import { literalOf } from "./literals.js"
import { documentedProperty } from "./objectType.js"
import { makeUnknown, type Resolution, resolve, warn } from "./resolution.js"
import * as Types from "./type.js"
import { type Annotations, isNullable, property, type Property, type Type } from "./type.js"
import { typeOfExpression } from "./valueType.js"

export interface Declared {
  readonly name: string
  readonly node: ts.Node
  readonly type: ts.TypeNode | undefined
  readonly isMarkedOptional: boolean
  readonly initializer: ts.Expression | undefined
}

/** What the code and the comment together say of a parameter, or of a property of the one argument. */
export const parameterOf = (
  resolution: Resolution,
  declared: Declared,
  documented: DocumentedValue | undefined
): Property => {
  const documentation = documented && fromComment(resolution, declared, documented)
  // `run(/** Where. */ city: string)`
  const beside = documentationOf(declared.node)
  const written =
    declared.type === undefined
      ? (documentation?.type ?? infer(resolution, declared))
      : described(resolve(resolution, declared.type), documented)
  const { hadUndefined, type } = Types.dropUndefined(isInteger(beside) ? asInteger(written) : written)
  const fallback = declared.initializer === undefined ? Option.none() : defaultOf(resolution, declared.initializer)
  const isNullByDefault = Option.isSome(fallback) && fallback.value === null && type.kind !== "any"
  const isOptional =
    declared.isMarkedOptional ||
    declared.initializer !== undefined ||
    hadUndefined ||
    documentation?.isOptional === true
  return property(isNullByDefault && !isNullable(type) ? Types.union([type, Types.nullType]) : type, isOptional, {
    ...annotationsOf(resolution.reading, beside, resolution.subject),
    ...documentation?.annotations,
    ...Option.match(fallback, { onNone: () => ({}), onSome: (value) => ({ default: value }) })
  })
}

/** `T | null` may be left out, as Loki reads it: the function is then given null. */
export const optionalWhenNullable = (value: Property): Property =>
  value.isOptional || !isNullable(value.type) ? value : { ...value, isOptional: true }

const wordsOf = ({ description }: DocumentedValue): Annotations => (description === "" ? {} : { description })

/** In TypeScript the declaration has the type, and the comment the words only. */
const fromComment = (resolution: Resolution, declared: Declared, documented: DocumentedValue): Property => {
  const words = wordsOf(documented)
  if (declared.type !== undefined) return property(Types.any, false, words)
  if (documented.type === undefined && documented.properties.length === 0) {
    return property(infer(resolution, declared), documented.isOptional, words)
  }
  return resolution.reading.language === "javascript"
    ? documentedProperty(resolution, documented)
    : property(described(infer(resolution, declared), documented), false, words)
}

/** The type of a default, or none. */
const infer = (resolution: Resolution, { initializer, name, node }: Declared): Type => {
  if (initializer !== undefined) return typeOfExpression(resolution, initializer, false)
  const isTyped = resolution.reading.language === "typescript"
  const advice = isTyped ? `write ${name}: string` : `document it: @param {string} ${name} - …`
  return makeUnknown(resolution, node, `${name} has no type: any value is accepted; ${advice}`, "missing-type")
}

const defaultOf = (resolution: Resolution, initializer: ts.Expression): Option.Option<Json.Json> => {
  const value = literalOf(initializer, constantsOf(resolution.reading))
  const isUndefined = ts.isIdentifier(initializer) && initializer.text === "undefined"
  if (Option.isNone(value) && !isUndefined) {
    const message =
      "the default is computed when the function is called, so the model is not shown it: write a literal, or say in the description what it is"
    warn(resolution, "computed-default", initializer, message)
  }
  return value
}

/** `{integer}` and descriptions of properties that the comment adds to a declared type. */
const described = (type: Type, documented: DocumentedValue | undefined): Type => {
  if (documented === undefined) return type
  const refined = /^(integer|int)(\[\])?$/i.test(documented.type?.getText() ?? "") ? asInteger(type) : type
  return documented.properties.length === 0 ? refined : withDescriptions(refined, documented.properties)
}

const withDescriptions = (type: Type, documented: ReadonlyArray<DocumentedValue>): Type => {
  if (type.kind === "array") return { ...type, items: withDescriptions(type.items, documented) }
  if (type.kind !== "object") return type
  const properties = [...type.properties].map(([name, before]): readonly [string, Property] => {
    const found = documented.find((one) => one.name === name)
    if (found === undefined) return [name, before]
    const annotations = { ...wordsOf(found), ...before.annotations }
    return [name, { ...before, type: withDescriptions(before.type, found.properties), annotations }]
  })
  return { ...type, properties: new Map(properties) }
}
