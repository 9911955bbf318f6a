/** A tool from a schema and an ordinary function. */
import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { CallContext, ToolDefinition, Toolset } from "@wield/core"
import * as Facts from "@wield/core/Facts"
import * as Handler from "@wield/core/Handler"
import * as Json from "@wield/core/Json"
import * as JsonSchema from "@wield/core/JsonSchema"
import * as Content from "@wield/core/Content"
import { show } from "@wield/core/Issue"
import { NeedsInput } from "@wield/core/NeedsInput"
import { toText } from "@wield/core/Options"
import { InvalidTool } from "@wield/core/ToolsetError"
import { isStandard, toParameters, toResult } from "@wield/interop/standard"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Encoding from "effect/Encoding"
import * as Predicate from "effect/Predicate"
import { nameProblem } from "./internal/checkNames.js"

export type { Call } from "@wield/core/Handler"

/** What the application knows of a request: who asks, for which tenant. No model sees it. */
export type CallValues = CallContext.Values

/**
 * The parameters of a tool: a schema of zod, arktype or another library of Standard Schema, or a JSON Schema.
 * Valibot's needs `toStandardJsonSchema` of `@valibot/to-json-schema` around it.
 */
export type Parameters = StandardSchemaV1 | Json.JsonSchema

/** What `execute` may give: what the schema of its results reads, a failure, a question, or content. */
type Given<O> =
  O extends StandardSchemaV1<infer Input, unknown> ? Input | ToolFailure | NeedsInput | Content.Answer : unknown

type InputOf<P> = P extends StandardSchemaV1<infer Input, unknown> ? Input : CallValues
type OutputOf<P> = P extends StandardSchemaV1<unknown, infer Output> ? Output : CallValues

const FailureId: unique symbol = Symbol.for("wield/ToolFailure")

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
    super(typeof value === "string" ? value : textOf(value))
  }

  get [FailureId](): true {
    return true
  }
}

/** Also of another copy of this package. */
const isFailure = (value: unknown): value is ToolFailure => Predicate.hasProperty(value, FailureId)

/** What is not JSON ends the call as `InvalidResult`, which names the place. */
const textOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}

/** Makes a failure that the model reads; return or throw it. */
export const failure = (value: unknown): ToolFailure => new ToolFailure(value)

/**
 * Asks a user: return or throw it, before the tool changes anything. The call waits, also for days. It runs again with
 * `call.input.reply` when an answer has `{ input: reply }`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { needsInput, tool, wield } from "wield"
 *
 * const book = tool("book_flight", {
 *   execute: (_, { input }) =>
 *     input === undefined
 *       ? needsInput({ asks: "Which seat?", accepts: { enum: ["aisle", "window"] } })
 *       : `booked at the ${input.reply}`
 * })
 * await using trips = await wield({ tools: [book] })
 * const run = trips.run({ id: "trip 7" })
 * const sent = { type: "tool_use", id: "toolu_1", name: "book_flight", input: {} }
 * const response = { type: "message", role: "assistant", content: [sent], stop_reason: "tool_use" }
 *
 * const { waiting } = await run.answer("anthropic", response)
 * const answers = waiting.map((to) => ({ to, reply: { input: "window" } }))
 * const { messages } = await run.answer("anthropic", response, { answers })
 * assert.match(JSON.stringify(messages), /booked at the window/)
 * ```
 */
export const needsInput = (question: {
  /** The question, for those who answer it: a text or any JSON value. */
  readonly asks: Json.Json
  /** JSON Schema of a reply. Another reply is refused. */
  readonly accepts: Json.JsonSchema
  /** What the tool needs to go on; no model sees it. It comes back as `call.input.state`. */
  readonly state?: Json.Json
}): NeedsInput => new NeedsInput(question)

/**
 * A result of several parts: texts, images and files, which the model sees as such.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { content, image, tool, wield } from "wield"
 *
 * const chart = tool("chart", { execute: () => content("The sales of May:", image("image/png", "iVBORw0KGgo=")) })
 * await using tools = await wield({ tools: [chart] })
 * const sent = { type: "tool_use", id: "toolu_1", name: "chart", input: {} }
 * const response = { type: "message", role: "assistant", content: [sent], stop_reason: "tool_use" }
 * const { messages } = await tools.run().answer("anthropic", response)
 * assert.match(JSON.stringify(messages), /"media_type":"image\/png"/)
 * ```
 */
export const content = (...parts: ReadonlyArray<string | Content.Part>): Content.Answer =>
  new Content.Answer({ parts: parts.map((part) => (typeof part === "string" ? Content.text(part) : part)) })

/** An image, alone or in `content`: its media type (`image/png`), and its bytes or their Base64 text. */
export const image = (mediaType: string, bytes: string | Uint8Array): Content.Image =>
  Content.image(typeOf("image", mediaType, /^image\/./), base64Of("image", bytes))

/** A file, alone or in `content`: as an image, with a name. */
export const file = (mediaType: string, bytes: string | Uint8Array, filename?: string): Content.File =>
  Content.file(typeOf("file", mediaType, /^[\w.+-]+\/./), base64Of("file", bytes), filename)

/** An API refuses the whole request for another one, with every later one of the conversation. */
const typeOf = (kind: "image" | "file", mediaType: unknown, pattern: RegExp): string => {
  if (typeof mediaType === "string" && pattern.test(mediaType)) return mediaType
  const example = kind === "image" ? "image/png" : "application/pdf"
  throw new TypeError(`\`${kind}\` needs a media type, such as "${example}", but has ${show(mediaType)}`)
}

const base64Of = (kind: "image" | "file", bytes: unknown): string => {
  if (typeof bytes === "string" && /^[A-Za-z\d+/]+={0,2}$/.test(bytes)) return bytes
  if (bytes instanceof Uint8Array) return Encoding.encodeBase64(bytes)
  const advice = bytes instanceof ArrayBuffer ? "new Uint8Array(buffer)" : "a Uint8Array, or their Base64 text"
  throw new TypeError(`\`${kind}\` needs bytes, but has ${show(bytes)}: give ${advice}`)
}

/** How a tool is declared. */
export interface Declaration<P extends Parameters, Hidden extends string, O extends Parameters, Result> {
  /** What the tool is for, as the model reads it. */
  readonly description?: string
  /** None unless given. */
  readonly parameters?: P
  /** Parameters that `run({ context })` gives. No model sees or sets them. */
  readonly hidden?: ReadonlyArray<Hidden>
  /**
   * A schema of the result, as `parameters` are one. A result that does not fit never reaches the model; it reads a
   * reference, and your log says what is wrong.
   */
  readonly outputSchema?: O
  /** What the tool does to the world: `{ isReadOnly: true }`, `{ isIdempotent: true }`. Limits and clients read it. */
  readonly facts?: Partial<Facts.Facts>
  /**
   * Keys of the tool that only one provider's API knows, as it spells them:
   * `{ anthropic: { allowed_callers: ["code_execution_20260120"] } }`.
   */
  readonly providerSettings?: ToolDefinition.ProviderSettings
  /**
   * Gets the valid parameters, and gives a JSON value, nothing, an image or a file, or `content(…)` with several. A tool without it
   * is run by a page or another client: its call waits, and the answer is `{ result: value }`.
   */
  readonly execute?: (parameters: OutputOf<P>, call: Handler.Call) => Result | Promise<Result>
}

/** Any declared tool. */
export interface AnyTool {
  readonly name: string
  /** The tool as the rest of Wield knows it, alone or in a toolset. Fails where no model can be offered it. */
  readonly dynamic: Effect.Effect<Toolset.DynamicTool | Toolset.Toolset<Toolset.DynamicTools>, unknown>
  readonly types?: unknown
}

/** A declared tool. `Sent` is what its schema reads, where that differs from the parameters that it gives. */
export interface Tool<out Name extends string, out Parameters, out Result, out Hidden, out Sent> extends AnyTool {
  readonly name: Name
  /** For the compiler alone. */
  readonly types?: {
    readonly parameters: Parameters
    readonly result: Result
    readonly hidden: Hidden
    readonly sent: Sent
  }
}

/** What a call ends with where it succeeds. */
type Ended<Result> = Result extends ToolFailure | NeedsInput
  ? never
  : Result extends Content.Image | Content.File
    ? Content.Answer
    : Result extends ReadonlyArray<infer Part>
      ? [Extract<Part, Content.Image | Content.File>] extends [never]
        ? Result
        : Content.Answer
      : Result

/** `never` where the schema changes no type: what an editor shows of a tool stays short. */
type SentOf<Input, Output> = [Input, Output] extends [Output, Input] ? never : Input

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
  const O extends Parameters = {},
  Result extends Given<O> = Given<O>
>(
  name: Name,
  declaration: Declaration<P, Hidden, O, Result>
): Tool<Name, OutputOf<P>, Ended<Result>, Hidden, SentOf<InputOf<P>, OutputOf<P>>> => ({
  name,
  dynamic: Effect.gen(function* () {
    const reason = problemOf(name, declaration)
    if (reason !== undefined) return yield* new InvalidTool({ tool: String(name), reason })
    const read = yield* readParameters(name, declaration.parameters)
    const { description, execute, facts, hidden, outputSchema, providerSettings } = declaration
    return {
      name,
      description,
      providerSettings,
      ...read,
      ...(outputSchema === undefined ? {} : yield* readResult(name, outputSchema)),
      facts: execute === undefined ? { ...facts, kind: "client" } : facts,
      hidden,
      // Validated by the schema that types them.
      execute: execute === undefined ? () => Effect.die("a client runs it") : executeOf(execute as Execute)
    }
  })
})

const options = ["description", "parameters", "hidden", "outputSchema", "facts", "providerSettings", "execute"]
type Execute = (parameters: unknown, call: Handler.Call) => unknown

/** An ordinary function as what a tool does; a `failure` that it returns or throws is what the model reads. */
export const executeOf = (execute: Execute): Toolset.DynamicTool["execute"] =>
  Handler.fromFunction(
    execute,
    (thrown) =>
      // `fail` takes JSON only, and what is not is refused as `InvalidResult`.
      isFailure(thrown) ? (thrown.value as Json.Json) : undefined,
    (result) => (isFailure(result) ? Exit.fail(result.value) : Exit.succeed(contentOf(result)))
  )

/** An image or a file alone, or in a list with texts, is content, too: as JSON, the model would read its bytes as a text. */
const contentOf = (result: unknown): unknown => {
  if (isPicture(result)) return content(result)
  const isContent =
    Array.isArray(result) &&
    result.some(isPicture) &&
    result.every((part) => typeof part === "string" || isPicture(part))
  return isContent ? content(...result) : result
}

const isPicture = (result: unknown): result is Content.Image | Content.File =>
  result instanceof Content.Image || result instanceof Content.File

const readResult = (
  tool: string,
  schema: StandardSchemaV1 | Json.JsonSchema
): Effect.Effect<Pick<Toolset.DynamicTool, "outputSchema" | "validateResult">, InvalidTool> => {
  const problem = problemOfSchema(schema, "its output schema", "its output schema is")
  if (problem !== undefined) return Effect.fail(new InvalidTool({ tool, reason: problem }))
  if (isStandard(schema)) return Effect.succeed(toResult(schema))
  return Effect.map(
    Effect.mapError(
      JsonSchema.compile(schema, { formats: "assertion" }),
      ({ message }) => new InvalidTool({ tool, reason: `its output schema cannot be compiled: ${message}` })
    ),
    (validator) => ({
      outputSchema: schema,
      // A date is checked as the text that it becomes.
      validateResult: (result) => Either.map(validator.validate(Json.attempt(result)), () => result)
    })
  )
}

/** What is wrong with a declaration, of a program without a compiler. */
const problemOf = (
  name: unknown,
  declaration: Declaration<Parameters, string, Parameters, unknown>
): string | undefined => {
  if (typeof name !== "string" || name === "") return "its name must be a text: tool(name, { description, execute })"
  if (!Json.isPlain(declaration)) return `it needs an object, and has ${show(declaration)}: { description, execute }`
  const { description, execute, facts, hidden, providerSettings } = declaration
  const named = nameProblem(declaration, options)
  if (named !== undefined) return `it has ${named}`
  const stated = facts === undefined ? undefined : Facts.check(facts, ["facts"])
  if (stated !== undefined) return `its ${toText(stated)}`
  if (description !== undefined && typeof description !== "string")
    return `its description is ${show(description)}, no text`
  if (execute !== undefined && typeof execute !== "function") return `its \`execute\` is ${show(execute)}, no function`
  if (hidden !== undefined && !Array.isArray(hidden))
    return `its \`hidden\` is ${show(hidden)}: give the names as an array`
  const settings: unknown = providerSettings ?? {}
  if (!Json.isPlain(settings) || !Object.values(settings).every(Json.isPlain))
    return "its `providerSettings` must be objects by the name of a wire format: { anthropic: { … } }"
  return undefined
}

const readParameters = (
  tool: string,
  parameters: Parameters | undefined
): Effect.Effect<Pick<Toolset.DynamicTool, "inputSchema" | "validate">, InvalidTool> => {
  if (parameters === undefined) return Effect.succeed({})
  const problem = problemOfSchema(parameters, "the schema of its parameters", "its parameters are")
  if (problem !== undefined) return Effect.fail(new InvalidTool({ tool, reason: problem }))
  return isStandard(parameters) ? toParameters(tool, parameters) : Effect.succeed({ inputSchema: parameters })
}

/** What is wrong with a schema, by its name and with a verb. What stands within a JSON Schema is seen as it is compiled. */
const problemOfSchema = (schema: unknown, named: string, is: string): string | undefined => {
  if (isStandard(schema)) {
    const problem = withoutCheck(schema)
    return problem === undefined ? undefined : `${named} ${problem}`
  }
  // A library's own object would be read as a JSON Schema that takes anything.
  if (!Json.isPlain(schema))
    return `${is} neither a JSON Schema nor a Standard Schema; zod needs 4.2 or newer, valibot 1 and toStandardJsonSchema`
  if (Object.values(schema).some(isStandard)) return `${is} an object of schemas; wrap it: z.object({ … })`
  return isWithoutKeywords(schema) ? `${is} ${withoutKeywords}` : undefined
}

/**
 * What is wrong with a Standard JSON Schema that is no Standard Schema: it says what a value looks like, and neither
 * checks nor converts one. What it would convert would come to `execute` as the model sent it.
 */
const withoutCheck = (schema: StandardSchemaV1): string | undefined => {
  const { validate, vendor }: Partial<StandardSchemaV1.Props> = schema["~standard"]
  if (typeof validate === "function") return undefined
  const advice =
    vendor === "effect"
      ? "give Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(schema))"
      : "give one that is a Standard Schema, too, or the JSON Schema itself"
  return `(${vendor}) has a JSON Schema and no \`validate\`: values would be neither checked nor converted by it; ${advice}`
}

const withoutKeywords =
  'an object without a keyword of JSON Schema, which would take anything: give { type: "object", properties: { … } }, or z.object({ … })'

const keywords =
  /^(?:[$].*|type|properties|required|additionalProperties|patternProperties|anyOf|oneOf|allOf|not|if|enum|const|items|prefixItems|definitions|nullable|description|title|default|examples|format|(?:max|min|unevaluated|dependent|exclusive).*)$/

/** A plain object with a key for each parameter is read as a JSON Schema that says nothing. */
const isWithoutKeywords = (given: object): boolean =>
  Object.keys(given).length > 0 && Object.keys(given).every((name) => !keywords.test(name))
