/** Functions with one object for all arguments: `run({ city, days = 3 })`, or `(args) => …` with `@property` tags. */
import * as Option from "effect/Option"
import ts from "typescript"
import { Report } from "../folder/problem.js"
import type { ExportedFunction } from "./exports.js"
import type { Documentation, DocumentedValue } from "./jsdoc.js"
import { nameOf } from "./literals.js"
import { documentedObject } from "./objectType.js"
import { parameterOf, type Declared } from "./parameter.js"
import { about, type Resolution, resolutionOf, resolve, structureOf, under } from "./resolution.js"
import type { Property } from "./type.js"

type Properties = ReadonlyArray<readonly [string, Property]>

/** The properties of the one argument; `undefined` where each argument is given on its own. */
export const objectArgument = (
  resolution: Resolution,
  { isCommonJs }: ExportedFunction,
  [parameter, ...others]: ReadonlyArray<ts.ParameterDeclaration>,
  { parameters: documented }: Documentation
): Properties | undefined => {
  if (resolution.reading.language !== "javascript" || parameter === undefined || others.length > 0) return undefined
  if (parameter.dotDotDotToken !== undefined) return undefined
  const { name } = parameter
  if (ts.isObjectBindingPattern(name)) {
    return fromPattern(resolution, name, ofWhole(resolution, documented[0]), documented)
  }
  if (!ts.isIdentifier(name)) return undefined
  const own = documented.find((value) => value.name === name.text)
  if (own !== undefined) return ofWhole(resolution, own)
  if (documented.length > 0) return [...documentedObject(resolution, documented).properties]
  // One undocumented argument of a CommonJS function is the object itself, of which nothing is said.
  return isCommonJs && parameter.initializer === undefined ? [] : undefined
}

/** The properties that the comment gives the one argument. */
const ofWhole = (resolution: Resolution, documented: DocumentedValue | undefined): Properties | undefined => {
  if (documented === undefined || documented.isArray) return undefined
  const { properties, type } = documented
  if (properties.length > 0) return [...documentedObject(resolution, properties).properties]
  if (type === undefined) return undefined
  // Looked at apart first: what is wrong in a type is reported where it is resolved for good.
  const { reading, subject } = resolution
  const apart = resolutionOf({ ...reading, report: new Report(reading.source.file) }, resolution.resolve, subject)
  const trial = under(apart, resolution.bindings)
  const tried = structureOf(trial, resolve(trial, type))
  if (tried.kind !== "object" || tried.properties.size === 0) return undefined
  const shape = structureOf(resolution, resolve(resolution, type))
  return shape.kind === "object" ? [...shape.properties] : undefined
}

/** What the pattern names and the comment does not is a parameter, too. */
const fromPattern = (
  resolution: Resolution,
  pattern: ts.ObjectBindingPattern,
  whole: Properties | undefined,
  documented: ReadonlyArray<DocumentedValue>
): Properties => {
  const known = new Map(whole)
  const named = pattern.elements.flatMap((element): Properties => {
    const { dotDotDotToken, initializer, name: bound, propertyName } = element
    const own = propertyName ?? (ts.isIdentifier(bound) ? bound : undefined)
    const name = own && Option.getOrUndefined(nameOf(own))
    if (dotDotDotToken !== undefined || name === undefined) return []
    const declared: Declared = { name, node: element, type: undefined, isMarkedOptional: false, initializer }
    const within = about(resolution, `${resolution.subject}.${name}`)
    const before = known.get(name)
    if (before === undefined) {
      const comment = documented.find((one) => one.name === name)
      return [[name, parameterOf(within, declared, comment)]]
    }
    if (initializer === undefined) return [[name, before]]
    const { annotations } = parameterOf(within, declared, undefined)
    return [[name, { ...before, isOptional: true, annotations: { ...before.annotations, ...annotations } }]]
  })
  return [...new Map([...known, ...named])]
}
