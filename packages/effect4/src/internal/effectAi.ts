/** All that is known of `effect/ai`, which may change with any minor release of Effect. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import type * as JsonSchema from "effect/JsonSchema"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { withoutCallContext } from "../CallContext.js"

export { LanguageModel, Prompt }

export type AnyTool = Tool.Any
export type AnyToolkit = Toolkit.Any
export type WithHandler<Tools extends Record<string, Tool.Any>> = Toolkit.WithHandler<Tools>
export type AnyDynamic = Tool.AnyDynamic

/** The tools of a toolkit. Mapped, so that the compiler keeps the toolkit's name in what it shows. */
export type ToolsOf<Kit extends AnyToolkit> = { readonly [Name in keyof Kit["tools"]]: Kit["tools"][Name] }

/** The handlers that `toolkit.toLayer` makes. */
export type HandlersOf<Kit extends AnyToolkit> = Tool.HandlersFor<Kit["tools"]>

/** What a tool's handler and schemas require of each call. */
export type ServicesOf<T> = Tool.HandlerServices<T>

export type Parameters<T> = Tool.Parameters<T>
export type ParametersEncoded<T> = Tool.ParametersEncoded<T>
export type Success<T> = Tool.Success<T>
export type SuccessEncoded<T> = Tool.SuccessEncoded<T>
export type FailureEncoded<T> = Tool.FailureEncoded<T>

/** A handler may fail with the errors of `effect/ai`, too. */
export type Failure<T> = Tool.Failure<T> | AiError.AiError

/** What a tool with failureMode "error" raises. */
export type Raised<T> = Tool.HandlerError<T>

type Handler = (parameters: unknown, context: unknown) => Effect.Effect<unknown, unknown>

/** One tool as Wield needs it. */
export interface ToolParts {
  readonly name: string
  readonly description: string | undefined
  readonly jsonSchema: JsonSchema.JsonSchema
  readonly outputSchema: JsonSchema.JsonSchema | undefined
  readonly title: string | undefined
  readonly isReadOnly: boolean
  readonly isDestructive: boolean
  readonly isIdempotent: boolean
  readonly isOpenWorld: boolean
  readonly annotations: Context.Context<never>
  readonly isRaising: boolean
  readonly isExecutedByProvider: boolean
  /** With the context of the Layer that made it; absent where no Layer has one. */
  readonly handler: { readonly run: Handler; readonly context: Context.Context<never> } | undefined
  readonly needsApproval: NeedsApproval | undefined
  readonly parameters: Schema.Top | undefined
  readonly success: Schema.Top
  /** Of declared failures, and of the errors of `effect/ai`. */
  readonly failure: Schema.Top
  /** What the model is to read of a success. */
  readonly toModelOutput: ((result: unknown) => ReadonlyArray<Prompt.ToolModelOutputPart>) | undefined
}

/** Whether a call waits for approval. What it answers is looked at: only `false` lets a call run. */
export type NeedsApproval = (parameters: unknown, context: Tool.NeedsApprovalContext) => unknown

/** Fails with what is wrong with the tool. */
export const partsOf = (tool: AnyTool, services: Context.Context<never>): ToolParts => {
  // `toolkit.toLayer` keeps handlers by the id of the tool.
  const handler = services.mapUnsafe.get(tool.id) as
    | { readonly context: Context.Context<never>; readonly handler: Handler }
    | undefined
  const { needsApproval } = tool
  return {
    name: tool.name,
    description: Tool.getDescription(tool),
    jsonSchema: Tool.getJsonSchema(tool),
    outputSchema: outputSchemaOf(tool.successSchema),
    title: Option.getOrUndefined(Context.getOption(tool.annotations, Tool.Title)),
    isReadOnly: Context.get(tool.annotations, Tool.Readonly),
    isDestructive: Context.get(tool.annotations, Tool.Destructive),
    isIdempotent: Context.get(tool.annotations, Tool.Idempotent),
    isOpenWorld: Context.get(tool.annotations, Tool.OpenWorld),
    annotations: tool.annotations,
    isRaising: tool.failureMode === "error",
    isExecutedByProvider: Tool.isProviderDefined(tool) && !tool.requiresHandler,
    handler:
      typeof handler?.handler !== "function"
        ? undefined
        : { run: handler.handler, context: withoutCallContext(handler.context) },
    needsApproval:
      needsApproval === undefined || needsApproval === false
        ? undefined
        : typeof needsApproval === "function"
          ? needsApproval
          : () => needsApproval,
    parameters: Schema.isSchema(tool.parametersSchema) ? tool.parametersSchema : undefined,
    success: tool.successSchema,
    failure: Schema.Union([tool.failureSchema, AiError.AiError]),
    toModelOutput: tool.toModelOutput
  }
}

const outputSchemaOf = (schema: Schema.Top): JsonSchema.JsonSchema | undefined => {
  const { _tag } = schema.ast
  if (_tag === "Void" || _tag === "Unknown" || _tag === "Any" || _tag === "Undefined") return undefined
  return Tool.getJsonSchemaFromSchema(schema)
}

/** The JSON Schema of what a model sends. */
export const jsonSchemaOf = (schema: Schema.Constraint): JsonSchema.JsonSchema => Tool.getJsonSchemaFromSchema(schema)

/** A failure as its schema knows it: reasons of `effect/ai` stand in its error. */
export const failureOf = (error: unknown, tool: string): unknown =>
  AiError.isAiErrorReason(error) ? AiError.make({ module: "Toolkit", method: `${tool}.handle`, reason: error }) : error

/** A tool that a model is shown, and that something else runs. */
export const shadowOf = (
  name: string,
  description: string | undefined,
  parameters: JsonSchema.JsonSchema
): Tool.AnyDynamic =>
  Tool.dynamic(name, {
    ...(description === undefined ? {} : { description }),
    parameters,
    success: Schema.Unknown,
    failure: Schema.Unknown,
    failureMode: "return"
  })

/** What a call came to, as `LanguageModel` reads it. */
export interface HandledResult {
  readonly isFailure: boolean
  readonly result: unknown
  readonly encodedResult: unknown
}

/** A tool of a toolset as `LanguageModel` knows it: its results keep their types. */
export interface ShadowTool<Name extends string, A, E, R> extends Tool.Tool<
  Name,
  {
    readonly parameters: typeof Schema.Unknown
    readonly success: Schema.Codec<A, unknown>
    readonly failure: Schema.Codec<E, unknown>
    readonly failureMode: "return"
  },
  R
> {}

/** An agent as a tool of another one. */
export interface AgentTool<Name extends string, A, E> extends Tool.Tool<
  Name,
  {
    readonly parameters: Schema.Struct<{ readonly task: typeof Schema.String }>
    readonly success: Schema.Codec<A, unknown>
    readonly failure: Schema.Codec<E, unknown>
    readonly failureMode: "return"
  }
> {}

/** A toolkit whose calls all go to one function. */
export const toolkitOf = (
  tools: Readonly<Record<string, Tool.AnyDynamic>>,
  handle: (name: string, params: unknown, id: string | undefined) => Effect.Effect<HandledResult>
): Toolkit.WithHandler<Record<string, Tool.AnyDynamic>> =>
  ({
    tools,
    handle: (name: string, params: unknown, id?: string) =>
      Effect.succeed(
        Stream.fromEffect(Effect.map(handle(name, params, id), (handled) => ({ ...handled, preliminary: false })))
      )
    // The types of single tools are erased: each takes and gives unknown values.
  }) as unknown as Toolkit.WithHandler<Record<string, Tool.AnyDynamic>>

/** What a model is asked, in words that any release of `effect/ai` has. */
export interface Asked {
  /** Messages as JSON has them, but that a file may be bytes or a URL. */
  readonly messages: ReadonlyArray<Prompt.MessageEncoded>
  readonly tools: ReadonlyArray<Tool.AnyDynamic>
  readonly toolChoice: LanguageModel.ToolChoice<string>
  readonly isStreaming: boolean
}

/** A part of a response; which fields it has, its type says. */
export interface AnsweredPart {
  readonly type: string
  readonly [field: string]: unknown
}

/** Why a model did not answer: the status that an API would have answered with, where there is one. */
export interface Refused {
  readonly status: number | undefined
  readonly isUnreachable: boolean
  readonly retryAfterSeconds: number | undefined
  readonly module: string
  readonly message: string
}

const statuses: Readonly<Record<string, number>> = {
  RateLimitError: 429,
  QuotaExhaustedError: 429,
  AuthenticationError: 401,
  ContentPolicyError: 400,
  InvalidRequestError: 400,
  UnsupportedSchemaError: 400,
  InternalProviderError: 500
}

/** A model of one's own may fail with anything else. */
export const refusalOf = (error: unknown): Refused | undefined => {
  if (!AiError.isAiError(error)) return undefined
  const { message, module, reason } = error
  return {
    status: statuses[reason._tag],
    isUnreachable: reason._tag === "NetworkError",
    retryAfterSeconds:
      reason._tag === "RateLimitError" && reason.retryAfter !== undefined
        ? Duration.toSeconds(reason.retryAfter)
        : undefined,
    module,
    message
  }
}

/**
 * Asks a model. Calls are not run, and names that nothing has and arguments
 * that do not fit come back as calls: who runs them answers for them.
 */
export const ask = (
  model: LanguageModel.LanguageModel,
  { isStreaming, messages, toolChoice, tools }: Asked
): Stream.Stream<AnsweredPart, unknown> => {
  const options = {
    prompt: Prompt.make(messages),
    toolkit: toolkitOf(Object.fromEntries(tools.map((tool) => [tool.name, tool])), () =>
      Effect.die(new Error("Calls are not run here"))
    ),
    toolChoice,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  } as const
  const parts = isStreaming
    ? model.streamText(options)
    : Stream.unwrap(Effect.map(model.generateText(options), ({ content }) => Stream.fromIterable(content)))
  // The tools are dynamic and have no services; their parts are read by their types.
  return parts as unknown as Stream.Stream<AnsweredPart, unknown>
}
