/**
 * Validation of values against JSON Schema documents that are known only at run
 * time, by ajv. It is loaded with the first dynamic tool, so that programs
 * without one do not pay for it.
 */
import type { ErrorObject, Options, ValidateFunction } from "ajv"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type Issue, show } from "../Issue.js"
import type { JsonSchema } from "../Json.js"
import type { Convert } from "./codec.js"

/** A compiler of JSON Schema documents; a schema that ajv cannot compile is an error that says why. */
export type Compile = (schema: JsonSchema) => Either.Either<Convert, string>

const options: Options = {
  // Unknown keywords and formats are common in schemas from outside.
  strict: false,
  allErrors: true,
  verbose: true,
  useDefaults: true,
  // A schema's text must not reach the console.
  logger: false
}

export const compiler: Effect.Effect<Compile> = Effect.map(
  Effect.promise(() => Promise.all([import("ajv/dist/2020.js"), import("ajv"), import("ajv-formats")])),
  ([ajv2020, ajv7, formats]): Compile => {
    const addFormats = formats.default.default
    // One instance for each schema: a shared one would refuse two schemas of the same `$id`.
    const dialects = [() => addFormats(new ajv2020.Ajv2020(options)), () => addFormats(new ajv7.Ajv(options))] as const
    return (schema) => {
      const ordered = isDraft7(schema) ? [dialects[1], dialects[0]] : dialects
      let problem = ""
      for (const dialect of ordered) {
        const compiled = Either.try(() => dialect().compile(withoutDialect(schema)))
        if (Either.isRight(compiled)) return Either.right(validator(compiled.right, hasDefault(schema)))
        if (problem === "") problem = compiled.left instanceof Error ? compiled.left.message : String(compiled.left)
      }
      return Either.left(problem)
    }
  }
)

const isDraft7 = (schema: JsonSchema): boolean =>
  typeof schema.$schema === "string" && /draft-0[4-7]/.test(schema.$schema)

/** The dialect is chosen above; ajv would look for a meta-schema it does not hold. */
const withoutDialect = (schema: JsonSchema): JsonSchema => {
  const { $schema: _, ...rest } = schema
  return rest
}

const hasDefault = (schema: JsonSchema): boolean => JSON.stringify(schema).includes('"default"')

/**
 * ajv writes defaults into the value it validates, which may be part of the
 * provider's own message: that one must stay as it was sent.
 */
const validator =
  (validate: ValidateFunction, writesDefaults: boolean): Convert =>
  (input) => {
    const value = writesDefaults ? structuredClone(input) : input
    if (validate(value)) return Either.right(value)
    const errors = validate.errors ?? []
    return Either.left(() => errors.filter((error) => error.keyword !== "if").map(issueOf))
  }

const issueOf = (error: ErrorObject): Issue => {
  const path = pathOf(error.instancePath)
  switch (error.keyword) {
    case "required":
      return { path: [...path, String(error.params.missingProperty)], expected: "a value", received: undefined }
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = String(error.params.additionalProperty ?? error.params.unevaluatedProperty)
      return { path: [...path, name], expected: "no argument of this name", received: "one" }
    }
    case "enum":
      return {
        path,
        expected: `one of ${(error.params.allowedValues as ReadonlyArray<unknown>).map((value) => JSON.stringify(value)).join(", ")}`,
        received: show(error.data)
      }
    case "const":
      return { path, expected: JSON.stringify(error.params.allowedValue), received: show(error.data) }
    case "type":
      return { path, expected: typeNames(error.params.type), received: show(error.data) }
    default:
      return { path, expected: `a value that ${error.message ?? "is valid"}`, received: show(error.data) }
  }
}

const typeNames = (type: unknown): string =>
  (Array.isArray(type) ? type : [type])
    .map((name) => (name === "null" ? "null" : /^[aeiou]/.test(String(name)) ? `an ${name}` : `a ${name}`))
    .join(" or ")

/** A JSON Pointer as a path; an index looks like a number. */
const pathOf = (pointer: string): ReadonlyArray<string | number> =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((key) => (/^(0|[1-9]\d*)$/.test(key) ? Number(key) : key))
