/**
 * The hidden fields of one tool: which keys of a model's arguments are dropped,
 * how the values of the call context are decoded, how both become parameters.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Schema from "effect/Schema"
import * as SchemaTree from "../SchemaTree.js"
import type { Values } from "../CallContext.js"
import type { Facts } from "../Facts.js"
import { type Convert, decoder, failed, type LazyIssues } from "../internal/codec.js"
import { fold } from "../internal/folded.js"
import type { Issue } from "../Issue.js"
import { InvalidTool } from "../ToolsetError.js"

export interface HiddenCodec {
  /** The names of the fields, as the call context has them. */
  readonly keys: ReadonlyArray<string>
  /** The keys that a model must not set, as `folded` has them. */
  readonly foldedKeys: ReadonlySet<string>
  /** The values of the call context that belong to hidden fields. */
  readonly given: (values: Values) => Values
  /** What the values of the call context lack of what the hidden fields need; nothing where only an effect can tell. */
  readonly issuesOf: (values: Values) => ReadonlyArray<Issue>
  /** The visible parameters with the hidden ones added. */
  readonly inject: (parameters: unknown, values: Values) => Effect.Effect<unknown, LazyIssues>
}

type Fields = Schema.Struct.Fields

/** The parameters that are left to the model. */
export const visibleFields = (fields: Fields, hidden: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !hidden.includes(name)))

export const hiddenCodec = (
  tool: string,
  schema: Schema.Schema.Any & { readonly fields?: Fields },
  hidden: ReadonlyArray<string>
): Either.Either<HiddenCodec, InvalidTool> => {
  const fields = schema.fields
  if (fields === undefined) {
    return invalid(tool, "hidden fields need parameters that are a struct or class; move filters onto its fields")
  }
  const missing = hidden.filter((name) => !Object.hasOwn(fields, name))
  if (missing.length > 0) {
    return invalid(tool, `the hidden fields ${missing.join(", ")} are not among its parameters`)
  }
  const hiddenSchema = Schema.Struct(
    // The names that are missing were refused above.
    Object.fromEntries(hidden.map((name) => [name, fields[name] as Schema.Schema.Any]))
  )
  const keys = encodedKeys(hiddenSchema.ast)
  const foldedKeys = new Set([...hidden, ...keys].map(fold))
  const clashing = encodedKeys(Schema.Struct(visibleFields(fields, hidden)).ast).filter((key) =>
    foldedKeys.has(fold(key))
  )
  if (clashing.length > 0) {
    return invalid(tool, `its parameters ${clashing.join(", ")} differ from a hidden field only in case`)
  }
  return Either.right(codecOf(keys, foldedKeys, decoder(hiddenSchema, "ignore"), constructorOf(schema)))
}

/** The codec of hidden fields whose values this decodes. */
export const codecOf = (
  keys: ReadonlyArray<string>,
  foldedKeys: ReadonlySet<string>,
  decode: Convert,
  construct: (parameters: object) => unknown = identity
): HiddenCodec => {
  const given = (values: Values): Values => {
    const own: Record<string, unknown> = {}
    for (const key of keys) if (Object.hasOwn(values, key)) own[key] = values[key]
    return own
  }
  return {
    keys,
    foldedKeys,
    given,
    issuesOf: (values) => {
      const decoded = decode(given(values))
      // `isEither` narrows to an Either of unknown types.
      return Either.isEither(decoded) && Either.isLeft(decoded) ? (decoded.left as LazyIssues)() : []
    },
    inject: (parameters, values) => {
      // Parameters are an object, and hidden fields are another.
      const join = (hiddenOnes: unknown): unknown => construct({ ...(parameters as object), ...(hiddenOnes as object) })
      const own = given(values)
      const { generated } = decode
      const attempt = generated === undefined ? failed : generated.attempt(own)
      if (attempt !== failed) return Either.right(join(attempt))
      const decoded = (generated?.otherwise ?? decode)(own)
      // What answers at once stays so: an effect here would make effects of all stages after it.
      return Either.isEither(decoded)
        ? // `isEither` narrows to an Either of unknown types.
          Either.map(decoded as Either.Either<unknown, LazyIssues>, join)
        : Effect.map(decoded, join)
    }
  }
}

type Arguments = { readonly [name: string]: unknown }

/** The arguments without those for hidden fields, and the names of these as they were spelled. */
export const stripHidden = (
  sent: Arguments,
  hidden: HiddenCodec
): { readonly visible: Arguments; readonly fields: ReadonlyArray<string> } => {
  const fields = Object.keys(sent).filter((key) => hidden.foldedKeys.has(fold(key)))
  if (fields.length === 0) return { visible: sent, fields }
  return { visible: Object.fromEntries(Object.entries(sent).filter(([key]) => !fields.includes(key))), fields }
}

/** The facts as a model may see them: an example may be of a whole call, hidden fields and all. */
export const visibleFacts = (facts: Facts, hidden: HiddenCodec | undefined): Facts =>
  hidden === undefined || facts.examples.length === 0
    ? facts
    : {
        ...facts,
        examples: facts.examples.map((example) =>
          Object.fromEntries(Object.entries(example).filter(([name]) => !hidden.foldedKeys.has(fold(name))))
        )
      }

export const invalid = (tool: string, reason: string): Either.Either<never, InvalidTool> =>
  Either.left(new InvalidTool({ tool, reason }))

/** The keys in encoded form; they differ from the fields' names where `Schema.fromKey` renames them. */
const encodedKeys = (ast: SchemaTree.Node): ReadonlyArray<string> =>
  SchemaTree.propertyNames(SchemaTree.encodedSide(ast))

/** A class expects an instance of itself, which only its constructor makes. */
const constructorOf = (schema: Schema.Schema.Any): ((parameters: object) => unknown) => {
  const ast = schema.ast
  if (ast._tag === "Transformation" && ast.to._tag === "Declaration") {
    // Only a class declares itself at the end of a transformation.
    const Class = schema as unknown as new (parameters: object) => unknown
    return (parameters) => new Class(parameters)
  }
  return (parameters) => parameters
}
