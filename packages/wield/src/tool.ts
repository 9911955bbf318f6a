/** A tool from a schema and an ordinary function. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { CallContext, CurrentCall, type Facts, InvalidTool, type Issue, type Json, type Toolset } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"

/** What the application knows of a request: who asks, for which tenant. No model sees it. */
export type CallValues = CallContext.Values

/**
 * The parameters of a tool: a schema of zod, arktype or another library of Standard Schema, or a JSON Schema.
 * Valibot's needs `toStandardJsonSchema` of `@valibot/to-json-schema` around it.
 */
export type Parameters = StandardSchemaV1 | Json.JsonSchema

type InputOf<P> = P extends StandardSchemaV1<infer Input, unknown> ? Input : CallValues
type OutputOf<P> = P extends StandardSchemaV1<unknown, infer Output> ? Output : CallValues

/** What `execute` learns about its call. */
export interface Call {
  readonly id: string
  /** The same for each attempt, also after a restart: give it to services that take an idempotency key. */
  readonly idempotencyKey: string
  /** 1 for the first attempt, 2 for the first retry. */
  readonly attempt: number
  /** Aborts when the call times out, or when its run is aborted. */
  readonly signal: AbortSignal
  readonly context: CallValues
  /** Reports how far the call has come, as an event of the run. Resolves when the reader has taken it. */
  readonly progress: (value: unknown) => Promise<void>
}

/**
 * A failure that the model reads. Return or throw it: `failure("There is no such order")`.
 * Any other thrown value is an internal error, of which the model reads a reference and no text.
 */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure"
  constructor(
    /** A text or any JSON value. */
    readonly value: unknown
  ) {
    super(typeof value === "string" ? value : JSON.stringify(value))
  }
}

/** Makes a failure that the model reads; return or throw it. */
export const failure = (value: unknown): ToolFailure => new ToolFailure(value)

/** How a tool is declared. */
export interface Declaration<P extends Parameters, Hidden extends string, Result> {
  /** What the tool is for, as the model reads it. */
  readonly description?: string
  /** None unless given. */
  readonly parameters?: P
  /** Parameters that `run({ context })` gives. No model sees or sets them. */
  readonly hidden?: ReadonlyArray<Hidden>
  /** JSON Schema of the result, for models and clients that read one. Results are not checked against it. */
  readonly outputSchema?: Json.JsonSchema
  /** What the tool does to the world: `{ isReadOnly: true }`, `{ isIdempotent: true }`. Limits and clients read it. */
  readonly facts?: Partial<Facts.Facts>
  /** Gets the valid parameters, and gives a JSON value or nothing. */
  readonly execute: (parameters: OutputOf<P>, call: Call) => Result | Promise<Result>
}

/** A declared tool. */
export interface Tool<
  out Name extends string = string,
  out Parameters = unknown,
  out Input = unknown,
  out Needed = unknown,
  out Result = unknown
> {
  readonly name: Name
  /** The tool as the rest of Wield knows it. Fails where no model can be offered it. */
  readonly dynamic: Effect.Effect<Toolset.DynamicTool, InvalidTool>
  /** For the compiler alone. */
  readonly types?: {
    readonly parameters: Parameters
    readonly input: Input
    readonly needed: Needed
    readonly result: Result
  }
}

/**
 * Declares a tool.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { failure, tool, wield } from "wield"
 * import { z } from "zod"
 *
 * const cancel = tool("cancel_order", {
 *   description: "Cancels an order of the customer",
 *   parameters: z.object({ customerId: z.string(), orderId: z.string() }),
 *   hidden: ["customerId"],
 *   execute: async ({ customerId, orderId }) =>
 *     orderId.startsWith(customerId) ? "cancelled" : failure("This customer has no such order")
 * })
 *
 * await using shop = await wield({ tools: [cancel] })
 * const run = shop.run({ context: { customerId: "c7" } })
 * assert.strictEqual(await run.call("cancel_order", { orderId: "c7-12" }), "cancelled")
 * ```
 */
export const tool = <
  const Name extends string,
  const P extends Parameters = {},
  const Hidden extends keyof InputOf<P> & string = never,
  Result = unknown
>(
  name: Name,
  declaration: Declaration<P, Hidden, Result>
): Tool<
  Name,
  OutputOf<P>,
  Omit<InputOf<P>, Hidden>,
  { readonly [Field in Hidden]: InputOf<P>[Field] },
  Exclude<Result, ToolFailure>
> => ({
  name,
  dynamic: Effect.map(readParameters(name, declaration.parameters), (read) => {
    const { description, execute, facts, hidden, outputSchema } = declaration
    return {
      name,
      description,
      ...read,
      outputSchema,
      facts,
      hidden,
      // Validated by the schema that types them.
      execute: (parameters) => call(execute as Execute, parameters)
    }
  })
})

type Execute = (parameters: unknown, call: Call) => unknown

const call = (execute: Execute, parameters: unknown): Effect.Effect<unknown, unknown> =>
  Effect.gen(function* () {
    const current = yield* CurrentCall.CurrentCall
    const context = yield* CallContext.CallContext
    const runtime = yield* Effect.runtime()
    const result = yield* Effect.async<unknown, unknown>((resume, signal) => {
      const about: Call = {
        id: current.id,
        attempt: current.attempt,
        signal,
        context,
        get idempotencyKey() {
          return current.idempotencyKey
        },
        progress: (value) => Runtime.runPromise(runtime)(current.progress(value))
      }
      // Also what is thrown at once.
      void (async () => execute(parameters, about))().then(
        (value) => resume(Effect.succeed(value)),
        (cause: unknown) => resume(cause instanceof ToolFailure ? Effect.succeed(cause) : Effect.die(cause))
      )
    })
    return result instanceof ToolFailure ? yield* Effect.fail(result.value) : result
  })

const readParameters = (
  tool: string,
  parameters: Parameters | undefined
): Effect.Effect<Pick<Toolset.DynamicTool, "inputSchema" | "validate">, InvalidTool> => {
  if (parameters === undefined) return Effect.succeed({})
  if (!isStandard(parameters)) return Effect.succeed({ inputSchema: parameters })
  return Effect.map(readJsonSchema(tool, "parameters", parameters), (inputSchema) => ({
    inputSchema,
    validate: (value) =>
      Effect.flatMap(validate(parameters, value), (result) =>
        result.issues === undefined
          ? Effect.succeed(result.value as CallValues)
          : Effect.fail(result.issues.map(issueOf))
      )
  }))
}

/** ArkType's schemas are functions. */
export const isStandard = (value: object): value is StandardSchemaV1 => "~standard" in value

export const validate = (
  schema: StandardSchemaV1 & { readonly safeParseAsync?: unknown },
  value: unknown
): Effect.Effect<StandardSchemaV1.Result<unknown>> =>
  Effect.suspend(() => {
    const { safeParseAsync } = schema
    if (typeof safeParseAsync === "function") {
      const parse = safeParseAsync as (value: unknown) => Promise<Parsed>
      return Effect.map(
        Effect.promise(() => parse(value)),
        ({ data, error }) => (error === undefined ? { value: data } : { issues: error.issues })
      )
    }
    const result = schema["~standard"].validate(value)
    return result instanceof Promise ? Effect.promise(() => result) : Effect.succeed(result)
  })

/**
 * What zod gives. Its `~standard` tries an asynchronous schema as a synchronous one first: a refinement runs twice, and
 * one that throws ends the process.
 */
interface Parsed {
  readonly data: unknown
  readonly error?: { readonly issues: ReadonlyArray<StandardSchemaV1.Issue> }
}

export const issueOf = ({ message, path = [] }: StandardSchemaV1.Issue): Issue.Issue => ({
  path: path.map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment
    return typeof key === "number" ? key : String(key)
  }),
  expected: message,
  received: undefined,
  message
})

/** The JSON Schema of what a model sends, as the library writes it. */
export const readJsonSchema = (
  tool: string,
  what: string,
  schema: StandardSchemaV1
): Effect.Effect<Json.JsonSchema, InvalidTool> =>
  Effect.suspend(() => {
    const standard: StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props> = schema["~standard"]
    if (standard.jsonSchema === undefined) {
      const advice =
        standard.vendor === "valibot"
          ? "wrap it in toStandardJsonSchema of @valibot/to-json-schema"
          : "give a JSON Schema"
      return invalid(tool, `the schema of its ${what} (${standard.vendor}) has no JSON Schema; ${advice}`)
    }
    try {
      const { $schema: _, ...jsonSchema } = standard.jsonSchema.input({
        target: "draft-2020-12",
        // Its checks are made by `validate`: a JSON Schema need not say them.
        ...(standard.vendor === "valibot" ? { libraryOptions: { errorMode: "ignore" } } : {})
      })
      return Effect.succeed(jsonSchema as Json.JsonSchema)
    } catch (error) {
      return invalid(tool, `${standard.vendor} cannot write its ${what} as JSON Schema: ${String(error)}`)
    }
  })

const invalid = (tool: string, reason: string): InvalidTool => new InvalidTool({ tool, reason })
