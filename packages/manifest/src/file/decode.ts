/** A part of a file by its schema, with all that is wrong. An unknown key warns: it may be a note. */
import * as Issue from "@wield/core/Issue"
import * as NearestNames from "@wield/core/NearestNames"
import * as SchemaTree from "@wield/core/SchemaTree"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import type { Fault, Path } from "../ManifestProblem.js"

export interface DecodedFault extends Fault {
  /** The message without what stands there, which may be a secret. */
  readonly expectation: string
  /** It is about the key that the path ends with, rather than its value. */
  readonly isOfKey: boolean
}

export const decode = <A, I>(schema: Schema.Schema<A, I>, input: unknown) => {
  const strict = SchemaTree.decodeNow(schema, { errors: "all", onExcessProperty: "error" })(input)
  if (Either.isRight(strict)) return { value: strict.right, faults: [] }
  const faults = faultsOf(strict.left)
  if (faults.some((fault) => fault.severity === "error")) return { value: undefined, faults }
  const lenient = SchemaTree.decodeNow(schema)(input)
  return { value: Either.getOrUndefined(lenient), faults }
}

export const faultsOf = (issue: SchemaTree.Problem): ReadonlyArray<DecodedFault> => walk(issue, [], [])

const walk = (issue: SchemaTree.Problem, path: Path, known: ReadonlyArray<string>): ReadonlyArray<DecodedFault> => {
  switch (issue._tag) {
    case "Pointer":
      return walk(issue.issue, [...path, ...SchemaTree.keysOf(issue)], known)
    case "Composite": {
      const inner = SchemaTree.partsOf(issue)
      if (issue.ast._tag === "Union") {
        // Of a union with `undefined`, and of one whose members a key tells apart, one member was meant.
        const [meant, ...others] = inner.filter((member) => !(member._tag === "Type" && isUndefined(member.ast)))
        return meant !== undefined && others.length === 0
          ? walk(meant, path, known)
          : [mistyped(path, expectationOf(issue.ast), issue.actual)]
      }
      return inner.flatMap((member) => walk(member, path, knownKeys(issue.ast)))
    }
    case "Refinement":
      return issue.kind === "From"
        ? walk(issue.issue, path, known)
        : [mistyped(path, expectationOf(issue.ast), issue.actual)]
    case "Transformation":
      return walk(issue.issue, path, known)
    case "Unexpected":
      return [unknownKey(path, known)]
    case "Missing": {
      const message = `${JSON.stringify(path.at(-1))} is missing; expected ${expectationOf(issue.ast.type)}`
      const place = { path: path.slice(0, -1), isOfKey: false }
      return [{ severity: "error", rule: "missing-key", message, expectation: message, ...place }]
    }
    case "Type":
    case "Forbidden":
      return [mistyped(path, expectationOf(issue.ast), issue.actual)]
  }
}

const mistyped = (path: Path, expectation: string, actual: unknown): DecodedFault => ({
  severity: "error",
  rule: "type",
  message: `${subject(path)} must be ${expectation}, but is ${isOneOfWords(expectation) ? Issue.show(actual) : kindOf(actual)}`,
  expectation: `${subject(path)} must be ${expectation}`,
  path,
  isOfKey: false
})

/** Where certain words are expected, what stands there instead is one, too. */
const isOneOfWords = (expectation: string): boolean => expectation.includes('"')

/** Any other value is not quoted: it may be a secret in the wrong place. */
const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  switch (typeof value) {
    case "string":
      return "a text"
    case "number":
    case "boolean":
      return String(value)
    default:
      return "an object"
  }
}

const subject = (path: Path): string => (path.length === 0 ? "This" : Issue.pathToText(path))

const unknownKey = (path: Path, known: ReadonlyArray<string>): DecodedFault => {
  const key = String(path.at(-1))
  const nearest = NearestNames.nearest(key, known)
  const keys = `keys here are ${known.join(", ")}`
  const advice = nearest === undefined ? `the ${keys}` : `did you mean ${JSON.stringify(nearest)}? The ${keys}`
  const about = `The key ${Issue.show(key)} means nothing here`
  // Without `context` the model would see, and set, what was to be hidden from it.
  const severity = nearest === "context" ? "error" : "warning"
  const message = `${about}${severity === "error" ? "" : " and is ignored"}; ${advice}`
  return { severity, rule: "unknown-key", message, expectation: `${about}; ${advice}`, path, isOfKey: true }
}

/** Annotation: what is expected, in words. A description says what it is for. */
export const Expected: unique symbol = Symbol.for("@wield/manifest/Expected")

const expectationOf = (ast: SchemaTree.Node): string =>
  SchemaTree.annotationOf<string>(ast, Expected) ?? fromStructure(ast)

const fromStructure = (ast: SchemaTree.Node): string => {
  switch (ast._tag) {
    case "StringKeyword":
      return "a text"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "true or false"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "TupleType":
      return "an array"
    case "TypeLiteral":
      return "an object"
    case "Union":
      // What may be absent may be `undefined`, which no file can say.
      return [...new Set(ast.types.filter((type) => !isUndefined(type)).map(expectationOf))].join(" or ")
    case "Refinement":
    case "Transformation":
      return expectationOf(ast.from)
    default:
      return "another value"
  }
}

const isUndefined = (ast: SchemaTree.Node): boolean => ast._tag === "UndefinedKeyword"

const knownKeys = (ast: SchemaTree.Node): ReadonlyArray<string> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.map(({ name }) => String(name))
    case "Refinement":
    case "Transformation":
      return knownKeys(ast.from)
    default:
      return []
  }
}
