/**
 * A client of one MCP server: its tools as a toolset, its resources and prompts,
 * and what it asks of this program. The connection is opened again when it ends.
 */
import type * as Sdk from "@modelcontextprotocol/client"
import type { Outcome } from "@wield/core"
import * as Json from "@wield/core/Json"
import { toText } from "@wield/core/Options"
import * as Toolset from "@wield/core/Toolset"
import type { HttpGuard } from "@wield/http"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { defaultLimits, type Connection } from "./client/Connection.js"
import { defersOf } from "./client/deferral.js"
import { answerWith, type Asking, capabilitiesOf, legacyCapabilitiesOf, readQuestions } from "./client/input.js"
import type { Client, Completion, Inputs, Limits, LogLevel, LogMessage, Options, Question } from "./client/model.js"
import { makeOffer } from "./client/offer.js"
import { makeRequests } from "./client/requests.js"
import { open, type Target } from "./client/sdk.js"
import { makeSupervisor, type Supervisor } from "./client/supervisor.js"
import type { Credentials } from "./Credentials.js"
import type { McpTool, ResourceContents } from "./internal/content.js"
import { checkHttp, checkOptions, checkServer, checkStdio, checkTransport } from "./client/options.js"
import { ConnectFailed, type McpError } from "./McpError.js"
import * as Pins from "./Pins.js"

export type {
  CallResult,
  Client,
  Completion,
  Elicitation,
  ElicitationAnswer,
  Inputs,
  Limits,
  LogLevel,
  LogMessage,
  OnDrift,
  Options,
  OutputCheck,
  Progress,
  Question,
  Root,
  State,
  Withheld
} from "./client/model.js"
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
export const stdio = (command: string, args: ReadonlyArray<string> = [], options: StdioOptions = {}): Server => {
  checkStdio(command, args, options)
  return {
    _tag: "Stdio",
    command,
    arguments: args,
    env: options.env ?? {},
    inherit: options.inherit ?? [],
    workingDirectory: options.workingDirectory ?? process.cwd()
  }
}

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
  /** Where else requests may go, such as to a private authorization server. Its times and sizes of answers do not count. */
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

const httpTarget = (tag: "Http" | "Sse", url: string | URL, options: HttpOptions): Server => {
  checkHttp(url, options)
  const { credentials, guard, headers = {} } = options
  return {
    _tag: tag,
    url: new URL(url),
    headers: Effect.isEffect(headers) ? headers : Effect.succeed(headers),
    guard: guard ?? {},
    credentials: credentials?.forUrl(new URL(url))
  }
}

/**
 * A server behind a transport of the official SDK, such as one end of its
 * `InMemoryTransport`. `open` gives a new one for each connection.
 *
 * @category constructors
 */
export const transport = (open: Effect.Effect<Sdk.Transport, ConnectFailed, Scope.Scope>): Server => {
  checkTransport(open)
  return { _tag: "Transport", open }
}

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
    checkServer(name, server)
    const problem = checkOptions(options)
    if (problem !== undefined) return yield* new ConnectFailed({ server: name, reason: toText(problem) })
    const context = yield* Effect.context<R>()
    const limits: Limits = { ...defaultLimits, ...Json.withoutUndefined(options.limits ?? {}) }
    const inputs = provideInputs(options, (effect) => Effect.provide(effect, context))
    const answer = answerWith(inputs)
    const atOnce: Asking = { answer, defers: () => false, input: undefined }
    const defers = defersOf(inputs)
    const pins = options.pins ?? (yield* Pins.memory)
    const events = yield* PubSub.sliding<Event>(1024)
    const announced = yield* Queue.sliding<void>(1)
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
        requests.callTool(tool, parameters, isRepeatable, given, { answer, defers, input: given.input })
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
            onNotification: (method, params) => {
              if (method === "notifications/tools/list_changed") announced.unsafeOffer(undefined)
              const event = eventOf(method, params)
              if (event !== undefined) events.unsafeOffer(event)
            }
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

    const requests = makeRequests({
      server: name,
      options,
      limits,
      offer,
      supervisor,
      atOnce,
      isLegacy: () => memory.isLegacy
    })
    const { list, request } = requests

    const changes = Stream.fromPubSub(events)
    const follow = Queue.take(announced).pipe(
      // What is announced meanwhile, or while a list is read, is announced once.
      Effect.zipRight(Effect.sleep(refreshPause)),
      Effect.zipRight(Queue.takeAll(announced)),
      Effect.zipRight(Effect.ignore(supervisor.use(refresh, true))),
      Effect.forever
    )
    yield* Effect.forkScoped(follow)

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
        Effect.catchTag(requests.callTool(tool, parameters, false, given, atOnce), "NeedsInput", Effect.die),
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
      subscribe: (uri) => subscribe(supervisor, events, uri),
      logs: Stream.filterMap(changes, logMessageOf)
    }
  })

const subscribe = (supervisor: Supervisor, events: PubSub.PubSub<Event>, uri: string): Stream.Stream<void, McpError> =>
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

/** What is read of a notification. Some wait for a slow reader, and a server may send anything. */
const eventOf = (method: string, params: Json.JsonObject): Event | undefined => {
  switch (method) {
    case "notifications/resources/updated": {
      const { uri } = params
      return typeof uri === "string" && uri.length <= longestNews ? { method, params: { uri } } : undefined
    }
    case "notifications/message": {
      const { data = null, level, logger } = params
      const text = JSON.stringify(data)
      return {
        method,
        params: {
          level: String(level).slice(0, longestWord),
          logger: typeof logger === "string" ? logger.slice(0, longestWord) : null,
          data: text.length > longestNews ? `${text.slice(0, longestNews)}… (${text.length} characters)` : data
        }
      }
    }
    default:
      return undefined
  }
}

/** Servers announce each tool of many that they add. */
const refreshPause = "300 millis"

/** In characters. */
const longestNews = 64 * 1024
const longestWord = 200

const connected: Event = { method: "connected", params: {} }

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
        // The protocol has no other levels; it is only shown.
        level: params["level"] as LogLevel,
        logger: typeof params["logger"] === "string" ? params["logger"] : undefined,
        data: params["data"] ?? null
      })
    : Option.none()
