/** A server without a connection: what it answers, over any transport. */
import type { CallContext, Json, ToolDefinition } from "@wield/core"
import { isYes } from "@wield/core/Options"
import * as ToolCall from "@wield/core/ToolCall"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import { type McpTool, tasksExtension } from "../internal/content.js"
import type { Caller } from "../McpRequest.js"
import {
  type AnyRunner,
  type Approvals,
  type CallParams,
  answerInRounds,
  callTool,
  type InputRequired
} from "./call.js"
import type { Incoming } from "./incoming.js"
import {
  describePrompt,
  describeResource,
  describeTemplate,
  getPrompt,
  type Prompt,
  readResource,
  type Resource,
  type ResourceTemplate,
  suggest
} from "./library.js"
import type { Remembered } from "./remembered.js"
import { type CallResult, handleOf } from "./results.js"
import { internalError, invalidParams, orInternalError, RpcError } from "./rpc.js"
import type { StateSeal } from "./state.js"
import type { TaskCreated, Tasks } from "./tasks.js"
import { mirrorsHeaders, type Served, serve, toolOf } from "./tools.js"

/** A change that clients hear of. */
export type Changed =
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string }

export interface Capabilities {
  readonly tools?: { readonly listChanged: boolean }
  readonly resources?: { readonly listChanged: boolean; readonly subscribe: boolean }
  readonly prompts?: { readonly listChanged: boolean }
  readonly completions?: {}
  readonly logging?: {}
  readonly extensions?: { readonly [name: string]: {} }
}

export interface CompleteParams {
  readonly ref: { readonly type: string; readonly name?: string; readonly uri?: string }
  readonly argument: { readonly name: string; readonly value: string }
}

export interface CoreOptions {
  readonly info: Json.JsonObject & { readonly name: string; readonly version: string }
  readonly instructions: string | undefined
  readonly runner: AnyRunner | undefined
  readonly runtime: Runtime.Runtime<never>
  readonly context: ((caller: Caller) => Effect.Effect<CallContext.Values>) | undefined
  readonly offer: ((definition: ToolDefinition.ToolDefinition, caller: Caller) => boolean) | undefined
  readonly approvals: Approvals
  readonly seal: StateSeal
  readonly tasks: Tasks | undefined
  readonly forget: Remembered["forget"]
  readonly isGivingUp: boolean
  readonly cache: { readonly ttlMs: number; readonly cacheScope: "public" | "private" }
  readonly pageSize: number
  readonly hasResources: boolean
  readonly resources: ReadonlyArray<Resource>
  readonly templates: ReadonlyArray<ResourceTemplate>
  readonly prompts: ReadonlyArray<Prompt>
}

const completers = ({ prompts, templates }: CoreOptions): boolean =>
  [...prompts, ...templates].some(({ complete }) => complete !== undefined)

export class Core {
  readonly listeners = new Set<(changed: Changed) => void>()
  /** Whether a tool was seen whose arguments HTTP headers repeat; until one was looked for, it is not known. */
  #mirrors: boolean | undefined
  #byUri: ReadonlyMap<string, Resource> | undefined
  #lookedAt: Served | undefined
  readonly #closers = new Set<() => Promise<void>>()
  #isClosed = false

  readonly capabilities: Capabilities

  constructor(readonly options: CoreOptions) {
    this.capabilities = {
      ...(options.runner === undefined ? {} : { tools: { listChanged: true } }),
      ...(options.hasResources ? { resources: { listChanged: true, subscribe: true } } : {}),
      ...(options.prompts.length === 0 ? {} : { prompts: { listChanged: true } }),
      ...(completers(options) ? { completions: {} } : {}),
      logging: {},
      ...(options.tasks === undefined ? {} : { extensions: { [tasksExtension]: {} } })
    }
  }

  /** What a peer did wrong is worth a line for who looks for it, and no more. */
  readonly report = (error: unknown): void => {
    Runtime.runFork(this.options.runtime)(Effect.logDebug("An MCP connection had a problem", error))
  }

  /** Tells the one who runs the server. */
  readonly say = (words: string): void => {
    Runtime.runFork(this.options.runtime)(Effect.logError(words))
  }

  readonly announce = (changed: Changed): void => {
    for (const listener of this.listeners) listener(changed)
  }

  /** Runs `close` when the server's scope ends, unless what it gives was called before. */
  onClose(close: () => Promise<void>): () => void {
    if (this.#isClosed) void close()
    else this.#closers.add(close)
    return () => this.#closers.delete(close)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  readonly close = async (): Promise<void> => {
    this.#isClosed = true
    await Promise.allSettled([...this.#closers].map((close) => close()))
    this.#closers.clear()
  }

  /** An answer as the engine wants it: a promise that fails with what the client may read. */
  readonly execute = async <A>(effect: Effect.Effect<A, RpcError>, signal: AbortSignal): Promise<A> => {
    const exit = await Runtime.runPromiseExit(this.options.runtime)(effect, { signal })
    if (Exit.isSuccess(exit)) return exit.value
    const failure = Cause.failureOption(exit.cause)
    if (failure._tag === "Some") throw failure.value
    if (Cause.isInterruptedOnly(exit.cause)) throw new RpcError({ code: -32800, message: "The request was cancelled" })
    throw await this.settle(internalError("An MCP request failed", exit.cause))
  }

  /** Runs an effect that cannot fail. */
  readonly settle = <A>(effect: Effect.Effect<A>): Promise<A> => Runtime.runPromise(this.options.runtime)(effect)

  #offering(
    caller: Caller
  ): Effect.Effect<
    { readonly served: Served; readonly values: CallContext.Values | undefined; readonly runner: AnyRunner },
    RpcError
  > {
    const { context, offer, runner } = this.options
    const look = (served: Served) => {
      if (served === this.#lookedAt) return
      this.#lookedAt = served
      this.#mirrors = [...served.values()].some(mirrorsHeaders)
    }
    if (runner === undefined) return Effect.fail(new RpcError({ code: -32601, message: "Method not found" }))
    return Effect.gen(function* () {
      const values = context === undefined ? undefined : yield* context(caller)
      const scoped = values === undefined ? runner : runner.forRun({ context: values })
      const served = serve(yield* scoped.definitions.pipe(orInternalError("The offer of an MCP server failed")))
      look(served)
      if (offer === undefined) return { served, values, runner }
      return {
        served: new Map([...served].filter(([, definition]) => isYes(offer(definition, caller), "`offer`"))),
        values,
        runner
      }
    })
  }

  listTools(
    caller: Caller,
    cursor: string | undefined
  ): Effect.Effect<{ readonly tools: ReadonlyArray<McpTool>; readonly nextCursor?: string }, RpcError> {
    return this.#offering(caller).pipe(
      Effect.flatMap(({ served }) =>
        Effect.map(
          pageOf([...served.values()], ({ name }) => name, cursor, this.options.pageSize),
          ({ items, ...rest }) => {
            // A result that may be shortened is not what an output schema promises.
            const isBounded = served.has("read_result")
            return { tools: items.map((item) => toolOf(item, caller.revision, isBounded)), ...rest }
          }
        )
      )
    )
  }

  /** The input schemas of the tools whose arguments HTTP headers repeat. */
  mirrored(caller: Caller): Effect.Effect<ReadonlyMap<string, Json.JsonSchema>, RpcError> {
    if (this.#mirrors === false) return Effect.succeed(new Map())
    return Effect.map(
      this.#offering(caller),
      ({ served }) =>
        new Map(
          [...served].flatMap(([name, definition]) =>
            mirrorsHeaders(definition) ? [[name, definition.inputSchema] as const] : []
          )
        )
    )
  }

  listResources(cursor: string | undefined): Effect.Effect<Json.JsonObject, RpcError> {
    const { pageSize, resources } = this.options
    return listOf(
      "resources",
      pageOf(resources, ({ uri }) => uri, cursor, pageSize),
      describeResource
    )
  }

  listTemplates(cursor: string | undefined): Effect.Effect<Json.JsonObject, RpcError> {
    const { pageSize, templates } = this.options
    const page = pageOf(templates, ({ uriTemplate }) => uriTemplate, cursor, pageSize)
    return listOf("resourceTemplates", page, describeTemplate)
  }

  readResource(uri: string, incoming: Incoming): Effect.Effect<object, RpcError> {
    const { resources, runner, templates } = this.options
    const unknown = () => Effect.fail(invalidParams("Resource not found", { uri: uri.slice(0, 2000) }))
    const handle = handleOf(uri)
    if (handle !== undefined && runner !== undefined) {
      return Effect.flatMap(
        orInternalError("A result of an MCP server could not be read")(readWhole(runner, handle)),
        (text) =>
          text === undefined ? unknown() : Effect.succeed({ contents: [{ uri, mimeType: "application/json", text }] })
      )
    }
    const byUri = (this.#byUri ??= new Map(resources.map((resource) => [resource.uri, resource])))
    const read = readResource(byUri, templates, uri)
    return read === undefined
      ? unknown()
      : answerInRounds(
          this.options.seal,
          "resources/read",
          uri,
          incoming,
          Effect.map(read, (contents) => ({ contents: [contents] }))
        )
  }

  listPrompts(cursor: string | undefined): Effect.Effect<Json.JsonObject, RpcError> {
    const { pageSize, prompts } = this.options
    return listOf(
      "prompts",
      pageOf(prompts, ({ name }) => name, cursor, pageSize),
      describePrompt
    )
  }

  getPrompt(
    params: { readonly name: string; readonly arguments?: { readonly [name: string]: string } | undefined },
    incoming: Incoming
  ): Effect.Effect<object, RpcError> {
    const prompt = this.options.prompts.find(({ name }) => name === params.name)
    return prompt === undefined
      ? Effect.fail(invalidParams(`Unknown prompt: ${params.name.slice(0, 128)}`))
      : answerInRounds(
          this.options.seal,
          "prompts/get",
          [params.name, params.arguments ?? {}],
          incoming,
          getPrompt(prompt, params.arguments ?? {}, incoming.caller)
        )
  }

  complete(params: CompleteParams): Effect.Effect<Json.JsonObject, RpcError> {
    const { argument, ref } = params
    const { prompts, templates } = this.options
    const found =
      ref.type === "ref/prompt"
        ? prompts.find(({ name }) => name === ref.name)
        : templates.find(({ uriTemplate }) => uriTemplate === ref.uri)
    if (found === undefined) return Effect.fail(invalidParams("Nothing of this name has arguments to complete"))
    const complete = found.complete
    return suggest(
      complete !== undefined && Object.hasOwn(complete, argument.name) ? complete[argument.name] : undefined,
      argument.value
    )
  }

  callTool(params: CallParams, incoming: Incoming): Effect.Effect<CallResult | InputRequired | TaskCreated, RpcError> {
    const { approvals, forget, isGivingUp, offer, seal, tasks } = this.options
    const isFiltered = offer !== undefined
    return Effect.flatMap(this.#offering(incoming.caller), ({ runner, served, values }) =>
      callTool({ runner, served, isFiltered, values, approvals, seal, tasks, forget, isGivingUp }, params, incoming)
    )
  }
}

/** A result that was too large is read on, piece by piece. */
const readWhole = (
  runner: AnyRunner,
  handle: string,
  offset = 0,
  before = ""
): Effect.Effect<string | undefined, unknown> =>
  Effect.flatMap(runner.run(ToolCall.make(crypto.randomUUID(), "read_result", { handle, offset })), (outcome) => {
    if (outcome._tag !== "Success") return Effect.succeed(undefined)
    // The tool that reads on answers so.
    const { next, text } = outcome.encoded as { readonly next: number | null; readonly text: string }
    return next === null ? Effect.succeed(before + text) : readWhole(runner, handle, next, before + text)
  })

interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor?: string
}

const listOf = <A>(
  key: string,
  page: Effect.Effect<Page<A>, RpcError>,
  describe: (item: A) => Json.JsonObject
): Effect.Effect<Json.JsonObject, RpcError> =>
  Effect.map(page, ({ items, ...rest }) => ({ [key]: items.map(describe), ...rest }))

/** A cursor names the last item of the page before, so it survives a list that changes. */
const pageOf = <A>(
  all: ReadonlyArray<A>,
  nameOf: (item: A) => string,
  cursor: string | undefined,
  size: number
): Effect.Effect<Page<A>, RpcError> => {
  if (cursor === undefined && all.length <= size) return Effect.succeed({ items: all })
  let start = 0
  if (cursor !== undefined) {
    const last = Either.getOrUndefined(Encoding.decodeBase64UrlString(cursor))
    start = all.findIndex((item) => nameOf(item) === last) + 1
    if (start === 0) return Effect.fail(invalidParams("The cursor is invalid; list again from the start"))
  }
  const items = all.slice(start, start + size)
  const final = items.at(-1)
  return Effect.succeed(
    final === undefined || start + size >= all.length
      ? { items }
      : { items, nextCursor: Encoding.encodeBase64Url(nameOf(final)) }
  )
}
