/**
 * The MCP request that a handler is answering: who asks, and what the client can
 * be asked in turn. A handler needs nothing of it in its requirements.
 */
import type { Json } from "@wield/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * Who a request comes from, as the server's authorization found out.
 *
 * @category models
 */
export interface Principal {
  /** What tells callers apart, such as a token's issuer and subject. */
  readonly id: string
  readonly scopes: ReadonlyArray<string>
  /** What else the token says. */
  readonly claims: { readonly [name: string]: unknown }
}

/**
 * What is known of a request's sender. Only `principal` is proven; the client's
 * name is what it says of itself.
 *
 * @category models
 */
export interface Caller {
  readonly transport: "stdio" | "http" | "memory"
  /** The protocol's revision, such as `2026-07-28`. */
  readonly revision: string
  readonly principal: Principal | undefined
  readonly client: { readonly name: string; readonly version: string } | undefined
  /** The HTTP request's headers. */
  readonly headers: Headers | undefined
}

/**
 * The client cannot be asked: it has not declared that it can, or the call does
 * not come over MCP.
 *
 * @category errors
 */
export class CannotAsk extends Schema.TaggedError<CannotAsk>("@wield/mcp/CannotAsk")("CannotAsk", {
  /** The capability that is missing, such as `elicitation`. */
  capability: Schema.String
}) {
  override get message(): string {
    return `The client cannot be asked: it does not support ${this.capability}`
  }
}

/**
 * Something to ask a client. `form`, `page`, `sample` and `roots` make them.
 *
 * @category models
 */
export interface Question<out A> {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list"
  readonly params: Json.JsonObject
  /** The capability that the client must have declared, such as `["elicitation", "url"]`. */
  readonly needs: ReadonlyArray<string>
  /** When an answer does not fit, the client is asked again. */
  readonly decode: (answer: unknown) => Option.Option<A>
}

/**
 * What a person made of a form.
 *
 * @category models
 */
export type Answer<A> =
  | { readonly action: "accept"; readonly content: A }
  | { readonly action: "decline" }
  | { readonly action: "cancel" }

const Action = Schema.Struct({
  action: Schema.Literal("accept", "decline", "cancel"),
  content: Schema.optional(Schema.Unknown)
})
const decodeAction = Schema.decodeUnknownOption(Action)

/**
 * A form for a person. Its `fields` are texts, numbers, booleans and literals, since a
 * form can hold no more, or a `Schema.Struct` of them; `schema` is a JSON Schema of such a form.
 * Never ask for a secret by a form.
 *
 * @example
 * ```ts
 * import { McpRequest } from "@wield/mcp"
 * import { Schema } from "effect"
 *
 * const where = McpRequest.form({
 *   message: "Where should it go?",
 *   fields: { street: Schema.String, floor: Schema.optional(Schema.Int) }
 * })
 * ```
 *
 * @category constructors
 */
export const form: {
  (options: { readonly message: string; readonly schema: Json.JsonObject }): Question<Answer<Json.JsonObject>>
  <A, I>(options: { readonly message: string; readonly fields: Schema.Schema<A, I> }): Question<Answer<A>>
  <Fields extends Schema.Struct.Fields>(options: {
    readonly message: string
    readonly fields: Fields
  }): Question<Answer<Schema.Struct.Type<Fields>>>
} = ({
  fields,
  message,
  schema = {}
}: {
  readonly message: string
  readonly fields?: Schema.Schema<unknown, unknown> | Schema.Struct.Fields
  readonly schema?: Json.JsonObject
}): Question<Answer<never>> => {
  // The overloads type what it decodes.
  const given = fields && (structOf(fields) as Schema.Schema<unknown, unknown>)
  const decode = given === undefined ? Option.some : Schema.decodeUnknownOption(given)
  return {
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema: given === undefined ? schema : flatSchema(given) },
    needs: ["elicitation", "form"],
    decode: (answer) =>
      Option.flatMap(decodeAction(answer), ({ action, content }): Option.Option<Answer<never>> =>
        action === "accept"
          ? // The overloads type what `decode` gives.
            // The overloads type what `decode` gives.
            Option.map(decode(content ?? {}), (decoded) => ({ action, content: decoded as never }))
          : Option.some({ action })
      )
  }
}

const structOf = (fields: Schema.Schema<unknown, unknown> | Schema.Struct.Fields) =>
  Schema.isSchema(fields) ? fields : Schema.Struct(fields)

/** A form's schema has no references and no words beyond its fields'. */
const flatSchema = (fields: Schema.Schema<unknown, unknown>): Json.JsonObject => {
  // Effect writes a schema with definitions so.
  const whole = JSON.parse(JSON.stringify(JSONSchema.make(fields))) as {
    readonly $defs?: { readonly [name: string]: Json.JsonObject }
    readonly properties?: { readonly [name: string]: Json.JsonObject }
    readonly required?: ReadonlyArray<string>
  }
  const properties = Object.entries(whole.properties ?? {}).map(([name, field]) => {
    const reference = field["$ref"]
    const target = typeof reference === "string" ? whole.$defs?.[reference.slice("#/$defs/".length)] : undefined
    return [name, target ?? field] as const
  })
  return { type: "object", properties: Object.fromEntries(properties), required: whole.required ?? [] }
}

/**
 * A web page for a person to visit: for what must not pass through the client,
 * such as a password or a payment. `accept` says only that the person agreed to
 * open it.
 *
 * @category constructors
 */
export const page = (options: {
  readonly message: string
  readonly url: string
}): Question<{ readonly action: "accept" | "decline" | "cancel" }> => ({
  method: "elicitation/create",
  params: { mode: "url", message: options.message, url: options.url },
  needs: ["elicitation", "url"],
  decode: (answer) => Option.map(decodeAction(answer), ({ action }) => ({ action }))
})

/**
 * What a client's model answered.
 *
 * @category models
 */
export interface Sample {
  readonly role: string
  readonly content: unknown
  readonly model: string
  readonly stopReason?: string | undefined
}

const decodeSample = Schema.decodeUnknownOption(
  Schema.Struct({
    role: Schema.String,
    content: Schema.Unknown,
    model: Schema.optionalWith(Schema.String, { default: () => "" }),
    stopReason: Schema.optional(Schema.String)
  })
)

/**
 * A prompt for the client's own model, in the protocol's words
 * (`sampling/createMessage`). Deprecated by the protocol since 2026-07-28.
 *
 * @category constructors
 */
export const sample = (params: {
  readonly messages: ReadonlyArray<{ readonly role: "user" | "assistant"; readonly content: Json.Json }>
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly [field: string]: Json.Json | undefined
}): Question<Sample> => ({
  method: "sampling/createMessage",
  params: JSON.parse(JSON.stringify(params)),
  needs: ["sampling"],
  decode: decodeSample
})

/**
 * A folder or file that the client lets servers work in.
 *
 * @category models
 */
export interface Root {
  readonly uri: string
  readonly name?: string | undefined
}

const decodeRoots = Schema.decodeUnknownOption(
  Schema.Struct({ roots: Schema.Array(Schema.Struct({ uri: Schema.String, name: Schema.optional(Schema.String) })) })
)

/**
 * The client's roots. Deprecated by the protocol since 2026-07-28.
 *
 * @category constructors
 */
export const roots: Question<ReadonlyArray<Root>> = {
  method: "roots/list",
  params: {},
  needs: ["roots"],
  decode: (answer) => Option.map(decodeRoots(answer), (list) => list.roots)
}

/**
 * The levels of log messages, from the least to the most severe.
 *
 * @category models
 */
export type Level = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"

/**
 * The request that is being answered.
 *
 * @category models
 */
export interface Request {
  readonly caller: Caller
  readonly ask: (questions: {
    readonly [key: string]: Question<unknown>
  }) => Effect.Effect<{ readonly [key: string]: unknown }, CannotAsk>
  readonly log: (level: Level, data: Json.Json, logger: string | undefined) => Effect.Effect<void>
  readonly continueAsTask: Effect.Effect<void>
}

/**
 * The request that is being answered; `undefined` outside of an MCP server.
 *
 * @category references
 */
export class McpRequest extends Context.Reference<McpRequest>()("@wield/mcp/McpRequest", {
  defaultValue: (): Request | undefined => undefined
}) {}

/**
 * Asks the client, all questions in one round, and gives the answers by their
 * keys.
 *
 * Since 2026-07-28 a server cannot wait for a client: the call ends here, and
 * the handler **runs again from its start** when the client comes back with the
 * answers. So ask before you change anything, and give each question a key of
 * its own.
 *
 * @example
 * ```ts
 * import { McpRequest } from "@wield/mcp"
 * import { Effect, Schema } from "effect"
 *
 * const order = Effect.gen(function* () {
 *   const { size } = yield* McpRequest.ask({
 *     size: McpRequest.form({ message: "Which size?", fields: Schema.Struct({ size: Schema.Literal("S", "M", "L") }) })
 *   })
 *   return size.action === "accept" ? `ordered in ${size.content.size}` : "not ordered"
 * })
 * ```
 *
 * @category asking
 */
export const ask = <const Questions extends { readonly [key: string]: Question<unknown> }>(
  questions: Questions
): Effect.Effect<
  { readonly [Key in keyof Questions]: Questions[Key] extends Question<infer A> ? A : never },
  CannotAsk
> =>
  Effect.flatMap(McpRequest, (request) =>
    request === undefined
      ? Effect.fail(new CannotAsk({ capability: "MCP" }))
      : // Each answer was decoded by its own question.
        (request.ask(questions) as Effect.Effect<never, CannotAsk>)
  )

/**
 * Lets the call go on as a task, where the server has `tasks` and the client
 * supports them: the client gets a task at once and looks after it, and `ask`
 * waits from here on. Otherwise nothing happens.
 *
 * @example
 * ```ts
 * import { McpRequest } from "@wield/mcp"
 * import { Effect } from "effect"
 *
 * const render = Effect.gen(function* () {
 *   yield* McpRequest.continueAsTask
 *   yield* Effect.sleep("5 minutes")
 *   return "rendered"
 * })
 * ```
 *
 * @category asking
 */
export const continueAsTask: Effect.Effect<void> = Effect.flatMap(
  McpRequest,
  (request) => request?.continueAsTask ?? Effect.void
)

/**
 * Sends a log message to the client, if it wants messages of this level. Do not
 * log secrets: clients show and keep what they get.
 *
 * @category logging
 */
export const log = (level: Level, data: Json.Json, logger?: string): Effect.Effect<void> =>
  Effect.flatMap(McpRequest, (request) => (request === undefined ? Effect.void : request.log(level, data, logger)))

/**
 * Who the request comes from; `undefined` outside of an MCP server.
 *
 * @category references
 */
export const caller: Effect.Effect<Caller | undefined> = Effect.map(McpRequest, (request) => request?.caller)
