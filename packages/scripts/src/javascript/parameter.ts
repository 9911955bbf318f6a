/** One parameter as it will be shown: its type, what is said of it, and whether it may be left out. */
import type { Json } from "@wield/core"
import * as Option from "effect/Option"
import type ts from "typescript"
import { constantsOf } from "./constants.js"
import { documentationOf, type DocumentedValue } from "./jsdoc.js"
import { annotationsOf, asInteger, isInteger } from "./keywords.js"
import { literalOf } from "./literals.js"
import { documentedProperty } from "./objectType.js"
import { report } from "./reading.js"
import { type Bindings, type Resolution, makeUnknown } from "./resolution.js"
import {
  type Annotations,
  any,
  isNullable,
  nullType,
  property,
  type Property,
  type Type,
  union,
  dropUndefined
} from "./type.js"
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
  documented: DocumentedValue | undefined,
  bindings: Bindings
): Property => {
  const documentation = documented === undefined ? undefined : fromComment(resolution, declared, documented, bindings)
  // `run(/** Where. */ city: string)`
  const beside = documentationOf(resolution.reading, declared.node)
  const written =
    declared.type !== undefined
      ? described(resolution, resolution.resolve(resolution, declared.type, bindings), documented)
      : (documentation?.type ?? inferred(resolution, declared))
  const { hadUndefined, type } = dropUndefined(isInteger(beside) ? asInteger(written) : written)
  const fallback = declared.initializer === undefined ? Option.none() : defaultOf(resolution, declared.initializer)
  return property(
    Option.isSome(fallback) && fallback.value === null && type.kind !== "any" && !isNullable(type)
      ? union([type, nullType])
      : type,
    declared.isMarkedOptional ||
      declared.initializer !== undefined ||
      hadUndefined ||
      documentation?.isOptional === true,
    {
      ...annotationsOf(resolution.reading, beside, resolution.subject),
      ...documentation?.annotations,
      ...Option.match(fallback, { onNone: () => ({}), onSome: (value) => ({ default: value }) })
    }
  )
}

/** `T | null` may be left out, as Loki reads it: the function is then given null. */
export const optionalWhenNullable = (value: Property): Property =>
  value.isOptional || !isNullable(value.type) ? value : { ...value, isOptional: true }

/** In TypeScript the declaration has the type, and the comment the words only. */
const fromComment = (
  resolution: Resolution,
  declared: Declared,
  documented: DocumentedValue,
  bindings: Bindings
): Property => {
  const words: Annotations = documented.description === "" ? {} : { description: documented.description }
  if (declared.type !== undefined) return property(any, false, words)
  if (documented.type === undefined && documented.properties.length === 0) {
    return property(inferred(resolution, declared), documented.isOptional, words)
  }
  return resolution.reading.language === "javascript"
    ? documentedProperty(resolution, documented, bindings)
    : property(described(resolution, inferred(resolution, declared), documented), false, words)
}

/** The type of a default, or none. */
const inferred = (resolution: Resolution, { initializer, name, node }: Declared): Type => {
  if (initializer !== undefined) return typeOfExpression(resolution, initializer, false)
  const { language } = resolution.reading
  return makeUnknown(
    resolution,
    node,
    `${name} has no type: any value is accepted; ${language === "typescript" ? `write ${name}: string` : `document it: @param {string} ${name} - …`}`,
    "missing-type"
  )
}

const defaultOf = (resolution: Resolution, initializer: ts.Expression): Option.Option<Json.Json> => {
  const { reading, subject } = resolution
  const value = literalOf(reading.typescript, initializer, constantsOf(reading, resolution.declarations))
  const isUndefined = reading.typescript.isIdentifier(initializer) && initializer.text === "undefined"
  if (Option.isNone(value) && !isUndefined) {
    report(
      reading,
      "warning",
      "computed-default",
      initializer,
      subject,
      "the default is computed when the function is called, so the model is not shown it: write a literal, or say in the description what it is"
    )
  }
  return value
}

/** `{integer}` and descriptions of properties that the comment adds to a declared type. */
const described = (resolution: Resolution, type: Type, documented: DocumentedValue | undefined): Type => {
  if (documented === undefined) return type
  const written = documented.type?.getText(resolution.reading.sourceFile)
  const refined = /^(integer|int)(\[\])?$/i.test(written ?? "") ? asInteger(type) : type
  return documented.properties.length === 0 ? refined : withDescriptions(refined, documented.properties)
}

const withDescriptions = (type: Type, documented: ReadonlyArray<DocumentedValue>): Type => {
  if (type.kind === "array") return { ...type, items: withDescriptions(type.items, documented) }
  if (type.kind !== "object") return type
  const properties = new Map(
    [...type.properties].map(([name, before]) => {
      const found = documented.find((one) => one.name === name)
      if (found === undefined) return [name, before] as const
      const words: Annotations = found.description === "" ? {} : { description: found.description }
      return [
        name,
        {
          ...before,
          type: withDescriptions(before.type, found.properties),
          annotations: { ...words, ...before.annotations }
        }
      ] as const
    })
  )
  return { ...type, properties }
}
