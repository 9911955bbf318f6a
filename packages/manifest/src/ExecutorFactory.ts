/** Makes executors of the `apis` of a configuration. A program passes those it needs, and loads no others. */
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as SchemaTree from "@wield/core/SchemaTree"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Executor } from "./Executor.js"
import { Expected, faultsOf } from "./file/decode.js"
import type { ApiEntry } from "./ManifestEntry.js"
import type { Fault } from "./ManifestProblem.js"

/**
 * Where a configuration comes from.
 *
 * @category models
 */
export interface Origin {
  /** The name of the API, as the configuration has it; `default` for one without a name. */
  readonly name: string
  /** The type of the API, lower case: one of the factory's. */
  readonly type: string
  /** The folder that relative paths of the configuration start from; absent for one that came from no file. */
  readonly folder: string | undefined
}

/**
 * A configuration that no executor can be made from, or options in code that mean nothing.
 *
 * @category errors
 */
export class InvalidConfiguration extends Schema.TaggedError<InvalidConfiguration>(
  "@wield/manifest/InvalidConfiguration"
)("InvalidConfiguration", {
  faults: Schema.Array(
    Schema.Struct({
      /** From the API's own configuration, such as `["auth", "token"]`, or from `options`. */
      path: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
      /** What is wrong, what was expected, and what to do; without the values, which may be secrets. */
      message: Schema.String
    })
  )
}) {
  override get message(): string {
    return this.faults.map((fault) => `${fault.path.join(".")}: ${fault.message}`).join("\n")
  }
}

/**
 * Makes executors of one kind.
 *
 * @category models
 */
export interface ExecutorFactory<out R = never> {
  /** The values of `type` that it is for, lower case: `["sql", "jdbc"]`. */
  readonly types: ReadonlyArray<string>
  /** The JSON Schema (draft 7) of its configuration without `type`, for editors. */
  readonly jsonSchema: () => JSONSchema.JsonSchema7Root
  /** What is wrong with an entry whatever its API's configuration says: the linter asks it without an executor. */
  readonly check: (entry: ApiEntry) => ReadonlyArray<Fault>
  /** What is wrong with a configuration, as far as it can be known without making an executor: for the linter. */
  readonly checkConfiguration?: ((configuration: unknown) => InvalidConfiguration["faults"]) | undefined
  /** The executor. Values from the environment are `Redacted` in the configuration. */
  readonly make: (configuration: unknown, origin: Origin) => Effect.Effect<Executor, InvalidConfiguration, R>
}

/**
 * What the factories of a list require.
 *
 * @category type-level
 */
export type Requirements<Factory> = Factory extends ExecutorFactory<infer R> ? R : never

/**
 * A text of a configuration, from the file or the environment: always `Redacted`.
 *
 * @category schemas
 */
export const Text: Schema.Schema<Redacted.Redacted, string | Redacted.Redacted> = Schema.transform(
  Schema.Union(Schema.String, Schema.RedactedFromSelf(Schema.String)).annotations({
    [Expected]: "a text",
    // In the file it is a text; what is redacted comes from the environment.
    jsonSchema: { type: "string" }
  }),
  Schema.RedactedFromSelf(Schema.String),
  {
    strict: true,
    decode: (text) => (Redacted.isRedacted(text) ? text : Redacted.make(text)),
    encode: (text) => text
  }
)

/**
 * A factory whose configuration is decoded by a schema of `Text`s and others; unknown keys are faults.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ExecutorFactory } from "@wield/manifest"
 * import { Effect, Schema } from "effect"
 *
 * const Echo = ExecutorFactory.make({
 *   types: ["echo"],
 *   configuration: Schema.Struct({ url: Schema.optional(ExecutorFactory.Text) }),
 *   check: () => [],
 *   make: () => Effect.succeed({ kind: "echo", check: () => [], prepare: () => (parameters) => Effect.succeed(parameters) })
 * })
 * assert.deepStrictEqual(Echo.checkConfiguration?.({ uri: "" }).map(({ path }) => path), [["uri"]])
 * ```
 *
 * @category constructors
 */
export const make = <A, I, R = never>(parts: {
  readonly types: readonly [string, ...Array<string>]
  /** Without `type`, which has already been read. */
  readonly configuration: Schema.Schema<A, I>
  readonly check: (entry: ApiEntry) => ReadonlyArray<Fault>
  readonly make: (configuration: A, origin: Origin) => Effect.Effect<Executor, InvalidConfiguration, R>
}): ExecutorFactory<R> => {
  const parse = SchemaTree.decodeNow(parts.configuration, { errors: "all", onExcessProperty: "error" })
  const decode = (configuration: unknown) => {
    const unreadable = unreadableOf(configuration)
    if (unreadable.length > 0) return Either.left(new InvalidConfiguration({ faults: unreadable }))
    return Either.mapLeft(parse(configuration), (issue) => {
      // Without what was received: it may be a secret in the wrong place.
      const faults = faultsOf(issue).map(({ expectation, path }) => ({ path, message: expectation }))
      return new InvalidConfiguration({ faults })
    })
  }
  return {
    types: parts.types,
    check: parts.check,
    jsonSchema: () => JSONSchema.make(parts.configuration),
    checkConfiguration: (configuration) =>
      Either.match(decode(configuration), { onLeft: ({ faults }) => faults, onRight: () => [] }),
    make: (configuration, origin) => Effect.flatMap(decode(configuration), (decoded) => parts.make(decoded, origin))
  }
}

/** A promise, a Map or `Headers` have nothing that a schema finds, so that no header or limit of them would count. */
const unreadableOf = (configuration: unknown): InvalidConfiguration["faults"] =>
  [
    [[], configuration] as const,
    ...Object.entries(configuration ?? {}).map(([name, value]) => [[name], value] as const)
  ]
    .filter(([, value]) => Json.isObject(value) && ("then" in value || Symbol.iterator in value))
    .map(([path, value]) => ({ path, message: `an object is expected, not ${Issue.show(value)}` }))
