/** Tools from a GraphQL schema: an entry for each query and mutation, and for each operation of a document. */
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import * as Effect from "effect/Effect"
import type { GraphQLObjectType } from "graphql"
import type { InvalidConfiguration } from "./ExecutorFactory.js"
import {
  aFlag,
  aFunction,
  aNumber,
  aText,
  type Checks,
  fields,
  holds,
  list,
  oneOf,
  record,
  texts
} from "@wield/core/Options"
import { checkOptions } from "./file/options.js"
import { isDeprecated } from "./graphql/description.js"
import { fieldEntry, type Importing, type Kind, type Settings } from "./graphql/fieldEntry.js"
import { operationEntries } from "./graphql/operationEntries.js"
import { unusedContext } from "./load/context.js"
import * as GraphQlSchema from "./graphql/schema.js"
import { makeNames } from "./openapi/names.js"
import type { ApiEntry } from "./ManifestEntry.js"
import { make, type ManifestProblem } from "./ManifestProblem.js"

export {
  /**
   * A text that is no GraphQL schema, or a schema that breaks GraphQL's rules.
   *
   * @category errors
   */
  InvalidSchema
} from "./graphql/schema.js"

/** Also of another realm, as in `node:vm`. */
const isExpression = (value: unknown): boolean => Object.prototype.toString.call(value) === "[object RegExp]"

/**
 * A `.graphql` document.
 *
 * @category models
 */
export interface Source {
  readonly text: string
  /** The file that problems name. */
  readonly file?: string | undefined
}

/**
 * What is imported, and how.
 *
 * @category models
 */
export interface Options {
  /** The executor that the entries call: `default` unless given. */
  readonly api?: string | undefined
  /** Documents whose operations become tools. */
  readonly operations?: ReadonlyArray<string | Source> | undefined
  /** Every query and mutation of the schema becomes a tool. True unless given. */
  readonly fields?: boolean | undefined
  /** Fields and operations that are taken: a name, with `*` for any text, or an expression. All unless given. */
  readonly include?: ReadonlyArray<string | RegExp> | undefined
  /** Fields and operations that are not taken, whatever `include` says. One that fits none is an error (`unmatched-exclude`). */
  readonly exclude?: ReadonlyArray<string | RegExp> | undefined
  /** How many levels of fields are selected below a query or mutation. 3 unless given. */
  readonly maxDepth?: number | undefined
  /** How many fields one document selects; a larger selection loses its deepest levels. 200 unless given. */
  readonly maxFields?: number | undefined
  /** How deep input objects lie in each other; deeper ones are left out where they are optional. 4 unless given. */
  readonly maxInputDepth?: number | undefined
  /**
   * `nested`: an argument that is an input object is a parameter that is an
   * object. `flat`: its fields are parameters of their own, and so are those
   * of the objects that it requires, named `parent_field` below the first level, as Acorn does it. `nested`
   * unless given.
   */
  readonly inputObjects?: "nested" | "flat" | undefined
  /** Optional arguments of selected fields are parameters `field_argument`, as with Acorn. False unless given. */
  readonly nestedArguments?: boolean | undefined
  /** What custom scalars look like in JSON; text unless given. */
  readonly scalars?: { readonly [name: string]: Json.JsonSchema } | undefined
  /** Takes what is deprecated. True unless given; required inputs are always taken. */
  readonly deprecated?: boolean | undefined
  /** Takes the `#` comment above what has no description for one, as Acorn does it. False unless given. */
  readonly commentDescriptions?: boolean | undefined
  /** Names of parameters that the call context supplies, in any case. One that no tool has is an error (`unmatched-context`). */
  readonly context?: ReadonlyArray<string> | undefined
  /** The name of a tool; that of the field or operation unless given. Made valid and unique in any case. */
  readonly name?: ((name: string, kind: "query" | "mutation") => string) | undefined
}

const patterns = holds(
  "an array of texts and expressions",
  (value) => Array.isArray(value) && value.every((one) => typeof one === "string" || isExpression(one))
)

const document = fields({ text: aText, file: aText }, ["text"])

const checks = fields({
  api: aText,
  operations: list(
    holds(
      "a GraphQL document, or an object with one as `text` (`include` chooses fields by name)",
      // By a name, as the operations of OpenAPI are chosen, nothing would be left out.
      (one) => (typeof one === "string" ? one.includes("{") : document(one) === undefined)
    )
  ),
  fields: aFlag,
  include: patterns,
  exclude: patterns,
  maxDepth: aNumber,
  maxFields: aNumber,
  maxInputDepth: aNumber,
  inputObjects: oneOf("nested", "flat"),
  nestedArguments: aFlag,
  scalars: record(holds("a JSON Schema", Json.isObject)),
  deprecated: aFlag,
  commentDescriptions: aFlag,
  context: texts,
  name: aFunction
} satisfies Checks<Options>)

/**
 * What was imported, and what could not be, or had to be guessed.
 *
 * @category models
 */
export interface Imported {
  readonly entries: ReadonlyArray<ApiEntry>
  /** Errors are operations that are not valid; everything else is a warning. */
  readonly problems: ReadonlyArray<ManifestProblem>
}

/**
 * The entries of a schema: SDL as text, or the JSON of an introspection query, as text or parsed.
 *
 * Fails with `InvalidSchema`, and with `InvalidConfiguration` where an option is misspelt or of another type.
 *
 * Queries are stated to be read-only; subscriptions are no tools. The answer is selected down to `maxDepth`, without
 * what contains itself. Fields that need arguments are left out and reported as problems.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { FromGraphQl } from "@wield/manifest"
 * import { Effect } from "effect"
 *
 * const schema = 'type Query { "Orders of a customer" orders(customer: Int!): [Order!] } type Order { id: ID! total: Float! }'
 * const { entries } = Effect.runSync(FromGraphQl.entries(schema, { context: ["customer"] }))
 * assert.strictEqual(entries[0]?.function.description, "Orders of a customer")
 * assert.deepStrictEqual(entries[0]?.function.parameters["properties"], { customer: { type: "integer" } })
 * ```
 *
 * @category constructors
 */
export const entries = (
  schema: string | { readonly [key: string]: unknown },
  options: Options = {}
): Effect.Effect<Imported, GraphQlSchema.InvalidSchema | InvalidConfiguration> =>
  Effect.gen(function* () {
    yield* checkOptions(checks, options)
    const problems: Array<ManifestProblem> = []
    const read = yield* GraphQlSchema.read(schema, (faults) => {
      const message = `The schema breaks GraphQL's rules, and is read as far as it goes: ${faults}`
      problems.push(make({ severity: "warning", rule: "graphql-schema", message }))
    })
    const takeName = makeNames()
    const names = new Set(
      [read.getQueryType(), read.getMutationType(), read.getSubscriptionType()].flatMap((root) =>
        Object.keys(root?.getFields() ?? {})
      )
    )
    const importing: Importing = {
      schema: read,
      options: settledOf(options),
      isTaken: (name) => {
        names.add(name)
        return (
          (options.include ?? ["*"]).some((pattern) => matches(name, pattern)) &&
          !(options.exclude ?? []).some((pattern) => matches(name, pattern))
        )
      },
      toolNameOf: (name, kind) =>
        takeName((options.name?.(name, kind) ?? name).replace(/[^a-zA-Z0-9_-]/g, "_") || "tool"),
      problems
    }
    const ofRoot = (root: GraphQLObjectType | undefined | null, kind: Kind): ReadonlyArray<ApiEntry> =>
      Object.values(root?.getFields() ?? {}).flatMap((field) => {
        const isLeftOut = !importing.isTaken(field.name) || (!importing.options.deprecated && isDeprecated(field))
        return isLeftOut ? [] : (fieldEntry(field, kind, importing) ?? [])
      })
    const entries = [
      ...(options.fields === false ? [] : ofRoot(read.getQueryType(), "query")),
      ...(options.fields === false ? [] : ofRoot(read.getMutationType(), "mutation")),
      ...(options.operations ?? []).flatMap((operation) =>
        operationEntries(typeof operation === "string" ? { text: operation } : operation, importing)
      )
    ]
    const report = (rule: string, messages: ReadonlyArray<string>) =>
      problems.push(...messages.map((message) => make({ severity: "error", rule, message })))
    report("unmatched-option", unmatched("include", names, options))
    report("unmatched-exclude", unmatched("exclude", names, options))
    report("unmatched-context", unusedContext(entries, importing.options.context))
    return { entries, problems }
  })

/** Which patterns fit no name, in words: of one that is misspelt, what is not to be taken would be. */
const unmatched = (option: "include" | "exclude", names: ReadonlySet<string>, options: Options) =>
  (options[option] ?? [])
    .filter((pattern) => ![...names].some((name) => matches(name, pattern)))
    .map(
      (pattern) =>
        `No query, mutation or operation has the name ${JSON.stringify(String(pattern))} of \`${option}\`${NearestNames.suggestion(String(pattern), names)}`
    )

const settledOf = (options: Options): Settings => ({
  api: options.api ?? "default",
  context: options.context ?? [],
  maxDepth: options.maxDepth ?? 3,
  maxFields: options.maxFields ?? 200,
  maxInputDepth: options.maxInputDepth ?? 4,
  inputObjects: options.inputObjects ?? "nested",
  nestedArguments: options.nestedArguments ?? false,
  scalars: options.scalars ?? {},
  deprecated: options.deprecated ?? true,
  commentDescriptions: options.commentDescriptions ?? false
})

const matches = (name: string, pattern: string | RegExp): boolean =>
  typeof pattern === "string"
    ? new RegExp(`^${pattern.replace(/[^a-zA-Z0-9_*]/g, "\\$&").replaceAll("*", ".*")}$`).test(name)
    : // An expression that is global or sticky remembers where it stopped.
      new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).test(name)
