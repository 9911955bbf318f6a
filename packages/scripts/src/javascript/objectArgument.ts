/** Functions with one object for all arguments: `run({ city, days = 3 })`, or `(args) => …` with `@property` tags. */
import * as Option from "effect/Option"
import type ts from "typescript"
import type { ExportedFunction } from "./exported.js"
import type { Documentation, DocumentedValue } from "./jsdoc.js"
import { nameOf } from "./literals.js"
import { documentedObject } from "./objectType.js"
import { parameterOf, type Declared } from "./parameter.js"
import { about, type Bindings, type Resolution, resolutionOf, structureOf } from "./resolution.js"
import type { Property } from "./type.js"

type Properties = ReadonlyArray<readonly [string, Property]>

/** The properties of the one argument; `undefined` where each argument is given on its own. */
export const objectArgument = (
  resolution: Resolution,
  { isCommonJs }: ExportedFunction,
  parameters: ReadonlyArray<ts.ParameterDeclaration>,
  documentation: Documentation,
  bindings: Bindings
): Properties | undefined => {
  const { language, typescript } = resolution.reading
  const [parameter] = parameters
  if (language !== "javascript" || parameter === undefined || parameters.length > 1) return undefined
  if (parameter.dotDotDotToken !== undefined) return undefined
  const { name } = parameter
  if (typescript.isObjectBindingPattern(name)) {
    const documented = ofWhole(resolution, documentation.parameters[0], bindings)
    return fromPattern(resolution, name, documented, documentation.parameters, bindings)
  }
  if (!typescript.isIdentifier(name)) return undefined
  const own = documentation.parameters.find((value) => value.name === name.text)
  const whole = ofWhole(resolution, own, bindings)
  if (whole !== undefined) return whole
  if (own !== undefined) return undefined
  if (documentation.parameters.length > 0) {
    return [...documentedObject(resolution, documentation.parameters, bindings).properties]
  }
  // One undocumented argument of a CommonJS function is the object itself, of which nothing is said.
  return isCommonJs && parameter.initializer === undefined ? [] : undefined
}

/** The properties that the comment gives the one argument. */
const ofWhole = (
  resolution: Resolution,
  documented: DocumentedValue | undefined,
  bindings: Bindings
): Properties | undefined => {
  if (documented === undefined) return undefined
  if (documented.isArray) return undefined
  if (documented.properties.length > 0) {
    return [...documentedObject(resolution, documented.properties, bindings).properties]
  }
  if (documented.type === undefined) return undefined
  // Looked at apart first: what is wrong in a type is reported where it is resolved for good.
  const { declarations, reading, resolve, subject } = resolution
  const trial = resolutionOf({ ...reading, problems: [] }, declarations, resolve, subject)
  const tried = structureOf(trial, resolve(trial, documented.type, bindings))
  if (tried.kind !== "object" || tried.properties.size === 0) return undefined
  const shape = structureOf(resolution, resolve(resolution, documented.type, bindings))
  return shape.kind === "object" ? [...shape.properties] : undefined
}

/** What the pattern names and the comment does not is a parameter, too. */
const fromPattern = (
  resolution: Resolution,
  pattern: ts.ObjectBindingPattern,
  whole: Properties | undefined,
  documented: ReadonlyArray<DocumentedValue>,
  bindings: Bindings
): Properties => {
  const { typescript } = resolution.reading
  const known = new Map(whole)
  const named = pattern.elements.flatMap((element): Properties => {
    const name = typescript.isIdentifier(element.name) ? element.name.text : undefined
    const own =
      element.propertyName === undefined ? Option.fromNullable(name) : nameOf(typescript, element.propertyName)
    if (element.dotDotDotToken !== undefined || Option.isNone(own)) return []
    const declared: Declared = {
      name: own.value,
      node: element,
      type: undefined,
      isMarkedOptional: false,
      initializer: element.initializer
    }
    const subject = about(resolution, `${resolution.subject}.${own.value}`)
    const before = known.get(own.value)
    if (before === undefined) {
      return [
        [
          own.value,
          parameterOf(
            subject,
            declared,
            documented.find((one) => one.name === own.value),
            bindings
          )
        ]
      ]
    }
    if (element.initializer === undefined) return [[own.value, before]]
    const fromCode = parameterOf(subject, declared, undefined, bindings)
    return [
      [own.value, { ...before, isOptional: true, annotations: { ...before.annotations, ...fromCode.annotations } }]
    ]
  })
  return [...new Map([...known, ...named])]
}
