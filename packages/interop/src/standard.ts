/**
 * Standard Schema, both ways: schemas of zod, arktype or valibot as the parameters of a tool, and the parameters of a
 * tool as a schema that other libraries take.
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import type { Issue, Json, Toolset } from "@wield/core"
import { InvalidTool } from "@wield/core/ToolsetError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

/**
 * A Standard Schema that carries its JSON Schema.
 *
 * @category models
 */
export interface WithJsonSchema<in out Input, in out Output = Input> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>
}

/**
 * A JSON Schema as a Standard Schema. It accepts every value: the runner checks
 * the arguments itself, with an issue for each mistake, and a second check
 * before it would hide them from the model.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { fromJsonSchema } from "@wield/interop/standard"
 *
 * const schema = fromJsonSchema({ type: "object", properties: { city: { type: "string" } } })
 * assert.deepStrictEqual(schema["~standard"].validate({ city: 7 }), { value: { city: 7 } })
 * ```
 *
 * @category conversions
 */
export const fromJsonSchema = <Input = unknown>(jsonSchema: Json.JsonSchema): WithJsonSchema<Input> => {
  // The specification wants it mutable; no one changes it.
  const write = () => jsonSchema as Record<string, unknown>
  return {
    "~standard": {
      version: 1,
      vendor: "wield",
      // Its type is what the schema says, and the runner holds the value against it.
      validate: (value) => ({ value: value as Input }),
      jsonSchema: { input: write, output: write }
    }
  }
}

/**
 * What a dynamic tool needs of a schema: the JSON Schema that a model reads,
 * and the checks and transforms that JSON Schema cannot say, where the schema has any. Fails with
 * `InvalidTool` where the library cannot write the schema as JSON Schema.
 *
 * @category conversions
 */
export const toParameters = (
  tool: string,
  schema: StandardSchemaV1
): Effect.Effect<Pick<Toolset.DynamicTool, "inputSchema" | "validate">, InvalidTool> =>
  Effect.map(readJsonSchema(tool, "parameters", schema), (inputSchema) => {
    // A Standard JSON Schema need not check anything; its type does not say so.
    const { validate: check }: Partial<StandardSchemaV1.Props> = schema["~standard"]
    if (typeof check !== "function") return { inputSchema }
    return {
      inputSchema,
      validate: (value) =>
        // Parameters of a tool are an object: its schema has accepted the value.
        resultOf(validate(schema, value)) as ReturnType<NonNullable<Toolset.DynamicTool["validate"]>>
    }
  })

/**
 * What a dynamic tool needs of a schema of its results: the JSON Schema, where the library can write it, and the check.
 *
 * @category conversions
 */
export const toResult = (schema: StandardSchemaV1): Pick<Toolset.DynamicTool, "outputSchema" | "validateResult"> => ({
  outputSchema: Effect.runSync(Effect.orElseSucceed(readJsonSchema("", "result", schema, "output"), () => undefined)),
  validateResult: (value) => resultOf(validate(schema, value))
})

type Checked = StandardSchemaV1.Result<unknown>

const resultOf = (checked: Effect.Effect<Checked>): Effect.Effect<unknown, ReadonlyArray<Issue.Issue>> => {
  const eitherOf = (result: Checked) =>
    result.issues === undefined ? Either.right(result.value) : Either.left(result.issues.map(issueOf))
  // `isEither` narrows to an Either of unknown types.
  return Either.isEither(checked)
    ? Either.flatMap(checked as Either.Either<Checked>, eitherOf)
    : Effect.flatMap(checked, eitherOf)
}

/**
 * Whether a value is a Standard Schema. ArkType's are functions.
 *
 * @category guards
 */
export const isStandard = (value: unknown): value is StandardSchemaV1 =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  "~standard" in value &&
  typeof value["~standard"] === "object" &&
  value["~standard"] !== null

/**
 * What the library makes of a value: its own value, or issues. At once, where the library answers at once.
 *
 * @category conversions
 */
export const validate = (
  schema: StandardSchemaV1 & { readonly safeParseAsync?: unknown },
  value: unknown
): Effect.Effect<StandardSchemaV1.Result<unknown>> => {
  try {
    const { safeParseAsync } = schema
    if (typeof safeParseAsync === "function" && !isPlain(schema)) {
      // Zod's method of this name.
      const parse = safeParseAsync as (value: unknown) => Promise<Parsed>
      return Effect.map(
        Effect.promise(() => parse(value)),
        ({ data, error }) => (error === undefined ? { value: data } : { issues: error.issues })
      )
    }
    const result = schema["~standard"].validate(value)
    return result instanceof Promise ? Effect.promise(() => result) : Either.right(result)
  } catch (defect) {
    return Effect.die(defect)
  }
}

/**
 * What zod gives. Its `~standard` tries an asynchronous schema as a synchronous one first: a refinement runs twice, and
 * one that throws ends the process.
 */
interface Parsed {
  readonly data: unknown
  readonly error?: { readonly issues: ReadonlyArray<StandardSchemaV1.Issue> }
}

/** A schema of zod, as far as it says whether a function of the program takes part in it. */
interface Defined {
  readonly _zod?: { readonly def?: { readonly [key: string]: unknown } }
}

const plainTypes = new Set(
  "any array bigint boolean date default enum intersection literal map nan never null nullable number object optional readonly record set string template_literal tuple undefined union unknown void".split(
    " "
  )
)

const plainChecks = new Set(
  "bigint_format greater_than length_equals less_than max_length max_size mime_type min_length min_size multiple_of number_format size_equals string_format".split(
    " "
  )
)

const plain = new WeakMap<object, boolean>()

/** A schema of zod that no function of the program takes part in answers at once. */
const isPlain = (schema: object): boolean => {
  const known = plain.get(schema)
  if (known !== undefined) return known
  const seen = new Set<object>()
  const isPlainWithin = (part: object): boolean => {
    // A schema within itself says no more of itself.
    if (seen.has(part)) return true
    seen.add(part)
    // It is read as zod writes it, and is not of zod where that is missing.
    const { def }: NonNullable<Defined["_zod"]> = (part as Defined)._zod ?? {}
    const { checks, fn, type, ...parts } = def ?? {}
    return (
      plainTypes.has(String(type)) &&
      fn === undefined &&
      (checks === undefined || (Array.isArray(checks) && checks.every(isPlainCheck))) &&
      Object.values(parts).every((value) => schemasIn(value).every(isPlainWithin))
    )
  }
  const is = isPlainWithin(schema)
  plain.set(schema, is)
  return is
}

const isPlainCheck = (check: Defined): boolean => {
  const { check: name, fn } = check._zod?.def ?? {}
  return plainChecks.has(String(name)) && fn === undefined
}

/** The schemas that a part of a definition is, or holds in a list or by name. */
const schemasIn = (part: unknown): ReadonlyArray<object> =>
  typeof part !== "object" || part === null ? [] : "_zod" in part ? [part] : Object.values(part).flatMap(schemasIn)

/**
 * An issue of Standard Schema as one of Wield.
 *
 * @category conversions
 */
export const issueOf = ({ message, path = [] }: StandardSchemaV1.Issue): Issue.Issue => ({
  path: path.map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment
    return typeof key === "number" ? key : String(key)
  }),
  expected: message,
  received: undefined,
  message
})

/**
 * The JSON Schema of what a model sends (`input`) or a tool gives (`output`), as the library writes it. `tool` and
 * `what` name the schema in the error.
 *
 * @category conversions
 */
export const readJsonSchema = (
  tool: string,
  what: string,
  schema: StandardSchemaV1,
  side: "input" | "output" = "input"
): Effect.Effect<Json.JsonSchema, InvalidTool> =>
  Effect.suspend(() => {
    const standard: StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props> = schema["~standard"]
    if (typeof standard.jsonSchema?.[side] !== "function") {
      return invalid(tool, `the schema of its ${what} (${standard.vendor}) has no JSON Schema; ${adviceOf(schema)}`)
    }
    try {
      const { $schema: _, ...jsonSchema } = standard.jsonSchema[side]({
        target: "draft-2020-12",
        // Its checks are made by `validate`: a JSON Schema need not say them.
        ...(standard.vendor === "valibot" ? { libraryOptions: { errorMode: "ignore" } } : {})
      })
      // The specification says that it is one.
      return Effect.succeed(jsonSchema as Json.JsonSchema)
    } catch (error) {
      return invalid(tool, `${standard.vendor} cannot write its ${what} as JSON Schema: ${String(error)}`)
    }
  })

/** Which release of a library writes JSON Schema itself. */
const adviceOf = (schema: StandardSchemaV1 & { readonly _zod?: unknown }): string => {
  switch (schema["~standard"].vendor) {
    case "valibot":
      return "wrap it in toStandardJsonSchema of @valibot/to-json-schema"
    case "zod": {
      const { version }: ZodInternals = schema._zod ?? {}
      if (version === undefined) return 'zod 3 writes none: install zod@^4.2.0, and import from "zod"'
      return version.major === 4 && version.minor < 2
        ? `zod ${version.major}.${version.minor} writes none: install zod@^4.2.0`
        : 'zod/mini writes none: import from "zod", or give z.toJSONSchema(schema)'
    }
    case "arktype":
      return "install arktype@^2.1.28"
    case "effect":
      return "give Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(schema)) of Effect 4, or a JSON Schema"
    default:
      return "give a JSON Schema"
  }
}

interface ZodInternals {
  readonly version?: { readonly major: number; readonly minor: number }
}

const invalid = (tool: string, reason: string): InvalidTool => new InvalidTool({ tool, reason })
