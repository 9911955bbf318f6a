/**
 * A client of one MCP server: its tools as a toolset, its resources and prompts,
 * and what it asks of this program. The connection is opened again when it ends.
 */
import type * as Sdk from "@modelcontextprotocol/client"
import type { Outcome } from "@wield/core"
import * as Json from "@wield/core/Json"
import type { NeedsInput } from "@wield/core/NeedsInput"
import * as Toolset from "@wield/core/Toolset"
import type { HttpGuard } from "@wield/http"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { defaultLimits, type Connection, type RequestOptions } from "./client/Connection.js"
import { defersOf } from "./client/deferral.js"
import {
  answerWith,
  type Asking,
  capabilitiesOf,
  legacyCapabilitiesOf,
  readQuestions,
  withRounds
} from "./client/input.js"
import { isUsed, makeOffer } from "./client/offer.js"
import { open, type Target } from "./client/sdk.js"
import { make as makeSupervisor } from "./client/supervisor.js"
import { followTask, repliedTask, resultOf as resultOfTask } from "./client/tasks.js"
import type { Credentials } from "./Credentials.js"
import type { Block, McpTool, ResourceContents } from "./internal/content.js"
import type { ConnectFailed } from "./McpError.js"
import { Drifted, LimitExceeded, type McpError, ProtocolViolation, RemoteError, Unsupported } from "./McpError.js"
import * as Pins from "./Pins.js"

export { type Typed, typed } from "./client/typed.js"

/**
 * Where a server is: made by `stdio`, `http` or `sse`.
 *
 * @category models
 */
export type Server = Target

/**
 * How a program is started.
 *
 * @category models
 */
export interface StdioOptions {
  /** Variables for it. It inherits only basic ones, such as `PATH` and `HOME`. */
  readonly env?: { readonly [name: string]: string | Redacted.Redacted } | undefined
  /** Names of further variables that it inherits; `AWS_*` stands for all that begin with `AWS_`. */
  readonly inherit?: ReadonlyArray<string> | undefined
  /** The working directory of this process unless given. */
  readonly workingDirectory?: string | undefined
}

/**
 * A program that speaks MCP on its standard input and output. It runs in a
 * process group of its own, and ends with all it has started.
 *
 * @category constructors
 */
export const stdio = (command: string, args: ReadonlyArray<string> = [], options: StdioOptions = {}): Server => ({
  _tag: "Stdio",
  command,
  arguments: args,
  env: options.env ?? {},
  inherit: options.inherit ?? [],
  workingDirectory: options.workingDirectory ?? process.cwd()
})

/**
 * How a server is reached over HTTP.
 *
 * @category models
 */
export interface HttpOptions {
  /** Headers of every request to the server, or an effect that makes them for each. */
  readonly headers?: Headers | Effect.Effect<Headers> | undefined
  /** Gets access by OAuth. */
  readonly credentials?: Credentials | undefined
  /** Where else requests may go, such as to an authorization server in a private network. */
  readonly guard?: HttpGuard.Policy | undefined
}

interface Headers {
  readonly [name: string]: string | Redacted.Redacted
}

/**
 * A server over Streamable HTTP; over the older HTTP with SSE where it speaks
 * nothing else. The host of the URL may be a private one, since you named it.
 *
 * @category constructors
 */
export const http = (url: string | URL, options: HttpOptions = {}): Server => httpTarget("Http", url, options)

/**
 * A server that speaks only the HTTP with SSE of 2024-11-05.
 *
 * @category constructors
 */
export const sse = (url: string | URL, options: HttpOptions = {}): Server => httpTarget("Sse", url, options)

const httpTarget = (
  tag: "Http" | "Sse",
  url: string | URL,
  { credentials, guard, headers = {} }: HttpOptions
): Server => ({
  _tag: tag,
  url: new URL(url),
  headers: Effect.isEffect(headers) ? headers : Effect.succeed(headers),
  guard: guard ?? {},
  credentials: credentials?.forUrl(new URL(url))
})

/**
 * A server behind a transport of the official SDK, such as one end of its
 * `InMemoryTransport`. `open` gives a new one for each connection.
 *
 * @category constructors
 */
export const transport = (open: Effect.Effect<Sdk.Transport, ConnectFailed, Scope.Scope>): Server => ({
  _tag: "Transport",
  open
})

/**
 * The limits of a connection, in milliseconds, bytes and items.
 *
 * @category models
 */
export interface Limits {
  /** For the start of the server and the handshake. 30 seconds unless given. */
  readonly connect: number
  /**
   * For an answer to the first question, which programs of older revisions may ignore. It begins when the program has
   * answered anything. 2 seconds unless given; over HTTP a third of `connect` if that is longer.
   */
  readonly probe: number
  /** For an answer, or the next progress. 5 minutes unless given; `Infinity` for no limit. */
  readonly call: number
  /** For an answer, whatever the progress. 1 hour unless given; `Infinity` for no limit. */
  readonly total: number
  /** For one message of the server. 10 MiB unless given. */
  readonly messageBytes: number
  /** For one list, such as that of the tools. 10,000 unless given. */
  readonly items: number
  /** For one list. 100 unless given. */
  readonly pages: number
}

/**
 * How to treat a server.
 *
 * @category models
 */
export interface Options<R = never> extends Inputs<R> {
  /** Begins the name of each of its tools. The server's name and `_` unless given. */
  readonly prefix?: string | undefined
  /**
   * What its annotations count for. `none` (the default): they are shown, and its
   * tools are taken for destructive, open-world and not to be repeated. `hints`:
   * they are facts.
   */
  readonly trust?: "none" | "hints" | undefined
  /** `eager` (the default) connects at once; `lazy` when it is first needed. */
  readonly start?: "eager" | "lazy" | undefined
  readonly limits?: Partial<Limits> | undefined
  /** Which of its tools are used, by the server's own names: `only` these, `except` those. The others cannot be called. */
  readonly tools?:
    | { readonly only?: ReadonlyArray<string> | undefined; readonly except?: ReadonlyArray<string> | undefined }
    | undefined
  /** What to do with a result that does not fit the output schema. `note` unless given. */
  readonly outputSchemas?: OutputCheck | undefined
  /** Where accepted definitions are kept. In memory unless given. */
  readonly pins?: Pins.Service | undefined
  /** What to do with a tool that is not what was accepted. `withhold` unless given. */
  readonly onDrift?: OnDrift | undefined
  /** Which messages of its log the server sends: those of this level and above. */
  readonly logLevel?: LogLevel | undefined
}

/**
 * What this program does for the server. The server learns that it can be asked
 * where there is a function for it, or `"defer"`.
 *
 * `"defer"` is for calls of the toolset, and servers that speak 2026-07-28. Older
 * ones learn that they cannot ask.
 *
 * @category models
 */
export interface Inputs<R = never> {
  /** Asks a person. With `"defer"` the call waits, and its question is answered later, also in another process. */
  readonly elicit?: ((request: Elicitation) => Effect.Effect<ElicitationAnswer, unknown, R>) | "defer" | undefined
  /** Lets a model answer `sampling/createMessage`: `{ role, content, model }`. `"defer"` as for `elicit`. */
  readonly sample?: ((request: Json.JsonObject) => Effect.Effect<Json.JsonObject, unknown, R>) | "defer" | undefined
  /** Folders and files that the server may work in. */
  readonly roots?: ReadonlyArray<Root> | undefined
}

/**
 * A question of the server to a person.
 *
 * @category models
 */
export type Elicitation =
  | {
      readonly mode: "form"
      readonly message: string
      /** A flat object of texts, numbers, booleans and choices. */
      readonly requestedSchema: Json.JsonSchema
    }
  | {
      readonly mode: "url"
      readonly message: string
      /** Show it to the person before anything opens it. */
      readonly url: string
    }

/**
 * What a server asks in a call that waits: a person's answer, or (`sample`) that
 * of a model to a request of `sampling/createMessage`.
 *
 * @category models
 */
export type Question = Elicitation | { readonly mode: "sample"; readonly request: Json.JsonObject }

/**
 * What the server asks in a deferred call, with `elicit: "defer"` or `sample:
 * "defer"`. A reply has an answer by each of these keys: an `ElicitationAnswer`,
 * or the message of a model.
 *
 * @example
 * ```ts
 * import { DeferredCall } from "@wield/agent"
 * import { McpClient } from "@wield/mcp"
 *
 * const decline = (request: DeferredCall.DeferredCall) => {
 *   const keys = Object.keys(McpClient.questionsOf(request))
 *   return DeferredCall.reply(request, Object.fromEntries(keys.map((key) => [key, { action: "decline" }])))
 * }
 * ```
 *
 * @category accessors
 */
export const questionsOf = ({
  input
}: {
  readonly input?: Outcome.Input | undefined
}): { readonly [key: string]: Question } => (input === undefined ? {} : readQuestions(input.asks))

/**
 * What the person answered: `decline` is a no, `cancel` no answer.
 *
 * @category models
 */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content?: Json.JsonObject | undefined }
  | { readonly action: "decline" | "cancel" }

/**
 * A folder or file that the server may work in.
 *
 * @category models
 */
export interface Root {
  /** A `file://` URI. */
  readonly uri: string
  readonly name?: string | undefined
}

/**
 * What becomes of a result that does not fit its tool's output schema: `strict`
 * fails the call, `note` tells the model, `off` does not look.
 *
 * @category models
 */
export type OutputCheck = "strict" | "note" | "off"

/**
 * What becomes of a tool that is not what was accepted. `withhold` takes new
 * tools and withholds altered ones; `strict` withholds both; `accept` takes both.
 * A function decides each: `true` accepts it.
 *
 * @category models
 */
export type OnDrift = "withhold" | "strict" | "accept" | ((drift: Pins.Drift) => Effect.Effect<boolean>)

/**
 * A tool of the server that is not offered, and cannot be called.
 *
 * @category models
 */
export interface Withheld {
  /** The server's own name of the tool; `instructions` for its instructions. */
  readonly tool: string
  /** `drifted`: it is not what was accepted. `invalid`: its schema cannot be read. `duplicate`: another has its name. */
  readonly reason: "drifted" | "invalid" | "duplicate"
  readonly problem: string
  readonly drift?: Pins.Drift | undefined
}

/**
 * Levels of a server's log.
 *
 * @category models
 */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"

/**
 * A message of the server's log.
 *
 * @category models
 */
export interface LogMessage {
  readonly level: LogLevel
  readonly logger: string | undefined
  readonly data: Json.Json
}

/**
 * Whether there is a connection.
 *
 * @category models
 */
export type State =
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Connecting" }
  | { readonly _tag: "Ready"; readonly revision: string }
  | { readonly _tag: "Disconnected"; readonly reason: string }

/**
 * How far a call is.
 *
 * @category models
 */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/**
 * An answer to a call, as the server sent it.
 *
 * @category models
 */
export interface CallResult {
  readonly content: ReadonlyArray<Block>
  /** A JSON value; an object in revisions before 2026-07-28. */
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
  readonly _meta?: Json.JsonObject | undefined
}

/**
 * What a completion is for: an argument of a prompt, or a variable of a resource
 * template.
 *
 * @category models
 */
export interface Completion {
  readonly ref: { readonly prompt: string } | { readonly resource: string }
  readonly argument: string
  /** What was typed so far. */
  readonly value: string
  /** Arguments that are known already. */
  readonly given?: { readonly [name: string]: string } | undefined
}

/**
 * One server. It lives until its scope closes.
 *
 * @category models
 */
export interface Client {
  /** The configured name. A server's own name is for display only. */
  readonly name: string
  /** Its tools. The toolset follows what the server announces. */
  readonly toolset: Toolset.Toolset<Toolset.DynamicTools, never, McpError>
  readonly state: Effect.Effect<State>
  /** The state now, and each next one. */
  readonly states: Stream.Stream<State>
  /** The revision of the protocol that both speak, such as `2026-07-28`. */
  readonly revision: Effect.Effect<string, McpError>
  /** What the server wants a model to know. It is not given to a model by itself. */
  readonly instructions: Effect.Effect<string | undefined, McpError>
  /** What the server calls itself, for display. */
  readonly serverInfo: Effect.Effect<{ readonly name: string; readonly version: string } | undefined, McpError>
  /** The tools that are not offered, and why. */
  readonly withheld: Effect.Effect<ReadonlyArray<Withheld>, McpError>
  /** Accepts withheld tools as they are now: those with these names, or all. */
  readonly accept: (tools?: ReadonlyArray<string>) => Effect.Effect<void, McpError>
  /** The tools that are offered, as the server lists them. */
  readonly listTools: Effect.Effect<ReadonlyArray<McpTool>, McpError>
  /**
   * Calls a tool by the server's own name, past every policy: models go by the
   * toolset. A `Disconnected` error whose `wasSent` is true means that the call may
   * have taken effect.
   */
  readonly callTool: (
    name: string,
    parameters?: Json.JsonObject,
    options?: { readonly onProgress?: ((progress: Progress) => void) | undefined }
  ) => Effect.Effect<CallResult, McpError>
  readonly listResources: Effect.Effect<ReadonlyArray<Json.JsonObject>, McpError>
  readonly listResourceTemplates: Effect.Effect<ReadonlyArray<Json.JsonObject>, McpError>
  readonly readResource: (uri: string) => Effect.Effect<ReadonlyArray<ResourceContents>, McpError>
  readonly listPrompts: Effect.Effect<ReadonlyArray<Json.JsonObject>, McpError>
  /** The prompt's description and messages, as the server sent them. */
  readonly getPrompt: (
    name: string,
    parameters?: { readonly [name: string]: string }
  ) => Effect.Effect<Json.JsonObject, McpError>
  readonly complete: (completion: Completion) => Effect.Effect<ReadonlyArray<string>, McpError>
  /** Emits whenever the resource has changed, and after each new connection, when it may have. */
  readonly subscribe: (uri: string) => Stream.Stream<void, McpError>
  /** The server's log. */
  readonly logs: Stream.Stream<LogMessage>
}

interface Event {
  readonly method: string
  readonly params: Json.JsonObject
}

/**
 * A client of one server. `name` is yours: it begins the names of the tools, and
 * it is the name in errors and pins.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolCall, ToolRunner } from "@wield/core"
 * import { McpClient } from "@wield/mcp"
 * import { Effect } from "effect"
 *
 * // A server in a few lines; yours is `npx some-server`.
 * const server = `
 *   const tools = [{ name: "double", inputSchema: { type: "object", properties: { n: { type: "number" } } } }]
 *   const results = {
 *     initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
 *     "tools/list": () => ({ tools }),
 *     "tools/call": (params) => ({ content: [{ type: "text", text: String(params.arguments.n * 2) }] })
 *   }
 *   require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
 *     const { id, method, params } = JSON.parse(line)
 *     const answer = results[method] ? { result: results[method](params) } : { error: { code: -32601, message: "?" } }
 *     if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
 *   })`
 *
 * const program = Effect.gen(function* () {
 *   const math = yield* McpClient.connect("math", McpClient.stdio(process.execPath, ["-e", server]))
 *   const runner = yield* ToolRunner.make(math.toolset)
 *   return yield* runner.run(ToolCall.make("call_1", "math_double", { n: 21 }))
 * })
 * const outcome = await Effect.runPromise(Effect.scoped(program))
 * assert.strictEqual(outcome._tag, "Success")
 * ```
 *
 * @category constructors
 */
export const connect = <R = never>(
  name: string,
  server: Server,
  options: Options<R> = {}
): Effect.Effect<Client, McpError, Scope.Scope | R> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const limits: Limits = { ...defaultLimits, ...defined(options.limits ?? {}) }
    const inputs = provideInputs(options, (effect) => Effect.provide(effect, context))
    const answer = answerWith(inputs)
    const atOnce: Asking = { answer, defers: () => false, input: undefined }
    const defers = defersOf(inputs)
    const pins = options.pins ?? (yield* Pins.memory)
    const events = yield* PubSub.sliding<Event>(1024)
    const toolset = yield* Effect.orDie(Toolset.dynamic([]))
    const memory = { isLegacy: false, isSse: false }
    const { logLevel } = options
    const offer = makeOffer({
      server: name,
      options,
      limits,
      pins,
      toolset,
      call: (tool, parameters, isRepeatable, given) =>
        callAny(tool, parameters, isRepeatable, given, { answer, defers, input: given.input })
    })

    const refresh = (connection: Connection) =>
      Effect.gen(function* () {
        const { capabilities, instructions: said } = connection.agreement
        const result = capabilities["tools"] === undefined ? { tools: [] } : yield* connection.request("tools/list", {})
        // The SDK has checked each tool.
        yield* offer.takeOver(
          result["tools"] as unknown as ReadonlyArray<McpTool>,
          said,
          undefined,
          connection.withheld()
        )
      })

    const supervisor = yield* makeSupervisor(
      Effect.gen(function* () {
        const connection = yield* open({
          server: name,
          target: server,
          limits,
          memory,
          handlers: {
            capabilities: capabilitiesOf(inputs),
            legacyCapabilities: legacyCapabilitiesOf(inputs),
            answer,
            onNotification: (method, params) => void events.unsafeOffer({ method, params })
          }
        })
        yield* refresh(connection)
        const { capabilities } = connection.agreement
        if (logLevel !== undefined && memory.isLegacy && capabilities["logging"] !== undefined) {
          yield* connection.request("logging/setLevel", { level: logLevel })
        }
        yield* PubSub.publish(events, connected)
        return connection
      })
    )

    const meta = (): Json.JsonObject =>
      logLevel === undefined || memory.isLegacy ? {} : { _meta: { "io.modelcontextprotocol/logLevel": logLevel } }

    const request = (
      method: string,
      params: Json.JsonObject,
      isRepeatable = true,
      given: RequestOptions = {}
    ): Effect.Effect<Json.JsonObject, McpError> =>
      // Nothing waits that is answered at once.
      Effect.catchTag(exchange(method, params, isRepeatable, given, atOnce), "NeedsInput", Effect.die)

    const exchange = (
      method: string,
      params: Json.JsonObject,
      isRepeatable: boolean,
      given: RequestOptions,
      asking: Asking,
      check: Effect.Effect<void, McpError> = Effect.void
    ): Effect.Effect<Json.JsonObject, McpError | NeedsInput> =>
      supervisor.use(
        (connection) =>
          Effect.zipRight(
            check,
            withRounds(name, (asked) => connection.request(method, asked, given), asking, { ...params, ...meta() })
          ),
        isRepeatable
      )

    /** Where the server was started again, the tool may be another one by now. */
    const callAny = (
      tool: McpTool | string,
      parameters: Json.JsonObject,
      isRepeatable: boolean,
      given: RequestOptions,
      asking: Asking
    ) => {
      const called = typeof tool === "string" ? tool : tool.name
      const check = Effect.suspend((): Effect.Effect<void, Drifted | RemoteError> => {
        if (!isUsed(options, called)) {
          return new RemoteError({ server: name, code: -32602, problem: `Unknown tool: ${called}` })
        }
        const isSame = typeof tool === "string" || sameTool(offer.offered().get(called), tool)
        const refused = offer.withheld().find((one) => one.tool === called && one.reason === "drifted")
        return isSame && refused === undefined
          ? Effect.void
          : new Drifted({
              server: name,
              tools: [called],
              problem: refused?.problem ?? `the tool ${called} is another one`
            })
      })
      const call = () =>
        exchange("tools/call", { name: called, arguments: parameters }, isRepeatable, given, asking, check)
      const following = { server: name, limits, request, asking, onProgress: given.onProgress }
      const task = repliedTask(asking)
      const ended =
        task === undefined
          ? Effect.flatMap(call(), (result) => resultOfTask(following, result))
          : Effect.zipRight(check, followTask(following, task.id, {}))
      // The SDK has checked the result.
      return Effect.map(ended, (result) => result as unknown as CallResult)
    }

    const list = (method: string, key: string, capability: string) =>
      Effect.gen(function* () {
        const { agreement } = yield* supervisor.get
        if (agreement.capabilities[capability] === undefined) {
          return yield* new Unsupported({ server: name, capability })
        }
        const items: Array<Json.JsonObject> = []
        const cursors = new Set<unknown>()
        let cursor: Json.Json | undefined
        do {
          const page: Json.JsonObject = yield* request(method, cursor === undefined ? {} : { cursor })
          const more = page[key]
          // A list of any length would not fit the stack.
          if (Array.isArray(more)) for (const item of more as ReadonlyArray<Json.JsonObject>) items.push(item)
          cursor = page["nextCursor"]
          if (items.length > limits.items)
            return yield* new LimitExceeded({ server: name, limit: `${limits.items} items` })
          if (cursor !== undefined && cursors.has(cursor)) {
            return yield* new ProtocolViolation({ server: name, problem: `${method} gave a cursor twice` })
          }
          cursors.add(cursor)
          if (cursors.size > limits.pages)
            return yield* new LimitExceeded({ server: name, limit: `${limits.pages} pages` })
        } while (cursor !== undefined)
        return items
      })

    const changes = Stream.fromPubSub(events)
    const follow = changes.pipe(
      Stream.filter(({ method }) => method === "notifications/tools/list_changed"),
      // Several announcements while a list is read are one.
      Stream.buffer({ capacity: 1, strategy: "sliding" }),
      Stream.runForEach(() => Effect.ignore(supervisor.use(refresh, true)))
    )
    yield* Effect.forkScoped(follow)

    const subscribe = (uri: string): Stream.Stream<void, McpError> =>
      Stream.unwrapScoped(
        Effect.gen(function* () {
          const queue = yield* PubSub.subscribe(events)
          let stop: Effect.Effect<void> = Effect.void
          yield* Effect.addFinalizer(() => Effect.suspend(() => stop))
          const watch = Effect.map(
            supervisor.use((connection) => connection.watch(uri), true),
            (unwatch) => {
              stop = unwatch
            }
          )
          yield* watch
          return Stream.fromQueue(queue).pipe(
            Stream.filterMapEffect((event) =>
              event === connected
                ? Option.some(watch)
                : event.method === "notifications/resources/updated" && event.params["uri"] === uri
                  ? Option.some(Effect.void)
                  : Option.none()
            )
          )
        })
      )

    const ready = supervisor.get
    const known = options.start === "lazy" ? yield* offer.pinned : undefined
    if (options.start !== "lazy") yield* ready
    // What was accepted is offered before the server runs, and compared with what it says before a call.
    else if (known !== undefined) yield* offer.offerPinned(known)
    const isOffered = () => true

    return {
      name,
      toolset:
        options.start === "lazy" && known === undefined
          ? Toolset.filterEffect(toolset, Effect.as(ready, isOffered))
          : toolset,
      state: supervisor.state.get,
      states: supervisor.state.changes,
      revision: Effect.map(ready, ({ agreement }) => agreement.revision),
      instructions: Effect.map(ready, () => offer.instructions()),
      serverInfo: Effect.map(ready, ({ agreement }) => agreement.serverInfo),
      withheld: Effect.map(ready, () => offer.withheld()),
      accept: (tools) =>
        Effect.flatMap(ready, ({ agreement, withheld }) =>
          offer.takeOver(
            offer.listed(),
            agreement.instructions,
            tools === undefined ? "all" : new Set(tools),
            withheld()
          )
        ),
      listTools: Effect.map(ready, () => [...offer.offered().values()]),
      callTool: (tool, parameters = {}, given = {}) =>
        Effect.catchTag(callAny(tool, parameters, false, given, atOnce), "NeedsInput", Effect.die),
      listResources: list("resources/list", "resources", "resources"),
      listResourceTemplates: list("resources/templates/list", "resourceTemplates", "resources"),
      readResource: (uri) =>
        Effect.map(
          request("resources/read", { uri }),
          // The SDK has checked the result.
          ({ contents }) => contents as unknown as ReadonlyArray<ResourceContents>
        ),
      listPrompts: list("prompts/list", "prompts", "prompts"),
      getPrompt: (prompt, parameters = {}) => request("prompts/get", { name: prompt, arguments: parameters }),
      complete: (completion) => Effect.map(request("completion/complete", completionParams(completion)), valuesOf),
      subscribe,
      logs: Stream.filterMap(changes, logMessageOf)
    }
  })

const connected: Event = { method: "connected", params: {} }

const sameTool = (left: McpTool | undefined, right: McpTool): boolean =>
  left === right || (left !== undefined && Pins.fingerprint(left) === Pins.fingerprint(right))

const defined = (limits: Partial<Limits>): Partial<Limits> =>
  Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined))

const provideInputs = <R>(
  { elicit, roots, sample }: Inputs<R>,
  provide: <A, E>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E>
): Inputs => ({
  roots,
  elicit: typeof elicit === "function" ? (request) => provide(elicit(request)) : elicit,
  sample: typeof sample === "function" ? (request) => provide(sample(request)) : sample
})

const completionParams = ({ argument, given, ref, value }: Completion): Json.JsonObject => ({
  ref: "prompt" in ref ? { type: "ref/prompt", name: ref.prompt } : { type: "ref/resource", uri: ref.resource },
  argument: { name: argument, value },
  ...(given === undefined ? {} : { context: { arguments: given } })
})

const valuesOf = ({ completion }: Json.JsonObject): ReadonlyArray<string> => {
  const values = Json.isObject(completion) ? completion["values"] : undefined
  return Array.isArray(values) ? values.map(String) : []
}

const logMessageOf = ({ method, params }: Event): Option.Option<LogMessage> =>
  method === "notifications/message"
    ? Option.some({
        level: params["level"] as LogLevel,
        logger: typeof params["logger"] === "string" ? params["logger"] : undefined,
        data: params["data"] ?? null
      })
    : Option.none()
