/**
 * Connections by the official SDK: the only file of the client that runs it.
 * It is loaded when the first connection is made.
 */
import type * as Sdk from "@modelcontextprotocol/client"
import type { Json } from "@wield/core"
import type { HttpGuard } from "@wield/http"
import * as Secret from "@wield/core/Secret"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Credentials } from "../Credentials.js"
import * as McpError from "../McpError.js"
import { watchEnd } from "../internal/watchEnd.js"
import type { Limits, Withheld } from "./model.js"
import type { Connection, Handlers, RequestOptions } from "./Connection.js"
import type { TooMuch } from "./answers.js"
import { mostQuestions } from "./deferral.js"
import { isList, makeReadList } from "./lists.js"
import { makeMend } from "./mend.js"
import { keepSecret, makeFetch } from "./fetch.js"
import { openStdio, type StdioTarget } from "./stdio.js"
import { connectError, makeErrorOf, spellingsOf, withErrorHidden } from "./failures.js"
import { type Opened, watch } from "./transport.js"

/** A server at a URL. */
export interface HttpTarget {
  readonly _tag: "Http" | "Sse"
  readonly url: URL
  readonly headers: Effect.Effect<{ readonly [name: string]: string | Redacted.Redacted }>
  readonly guard: HttpGuard.Policy
  readonly credentials: ReturnType<Credentials["forUrl"]> | undefined
}

/** A transport of the SDK, such as one end of a pair in memory. */
export interface TransportTarget {
  readonly _tag: "Transport"
  readonly open: Effect.Effect<Sdk.Transport, McpError.ConnectFailed, Scope.Scope>
}

export type Target = StdioTarget | HttpTarget | TransportTarget

/** What an earlier connection has learned, so that a restart need not ask again. */
export interface Memory {
  isLegacy: boolean
  isSse: boolean
}

interface Options {
  readonly server: string
  readonly target: Target
  readonly handlers: Handlers
  readonly limits: Limits
  readonly memory: Memory
}

export const open = (options: Options): Effect.Effect<Connection, McpError.McpError, Scope.Scope> =>
  Effect.gen(function* () {
    const { limits, memory, server, target } = options
    const sdk = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
    const attempt = inScope(Effect.suspend(() => connect(sdk, options)))
    const connected = attempt.pipe(
      Effect.catchIf(
        ({ failsAtProbe }) => failsAtProbe && !memory.isLegacy,
        () =>
          Effect.zipRight(
            Effect.sync(() => void (memory.isLegacy = true)),
            attempt
          )
      ),
      Effect.catchIf(
        ({ isRefused }) => isRefused && target._tag === "Http" && !memory.isSse,
        (first) =>
          Effect.sync(() => void (memory.isSse = true)).pipe(
            Effect.zipRight(attempt),
            // A server that speaks neither has said more to the first question.
            Effect.tapError(() => Effect.sync(() => void (memory.isSse = false))),
            Effect.mapError(() => first)
          )
      ),
      Effect.mapError(({ error }) => error),
      Effect.timeoutFail({
        duration: limits.connect,
        onTimeout: () =>
          new McpError.ConnectFailed({ server, reason: `it was not ready after ${limits.connect} ms (limits.connect)` })
      })
    )
    return yield* connected
  })

/** Runs in a scope of its own, which ends at once where it fails, and with the outer scope otherwise. */
const inScope = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const inner = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
      const exit = yield* Effect.exit(restore(Scope.extend(effect, inner)))
      if (Exit.isFailure(exit)) yield* Scope.close(inner, exit)
      return yield* exit
    })
  )

interface Failed {
  readonly error: McpError.McpError
  /** Its process ended when it was asked for its revisions, or it never answered, as some old servers do. */
  readonly failsAtProbe: boolean
  /** It does not take what is posted to it, as servers of 2024-11-05 do not. */
  readonly isRefused: boolean
}

const connect = (sdk: typeof Sdk, options: Options): Effect.Effect<Connection, Failed, Scope.Scope> =>
  Effect.gen(function* () {
    const { handlers, limits, memory, target } = options
    const opened = yield* Effect.mapError(openTarget(sdk, options), (error) => ({
      error,
      failsAtProbe: false,
      isRefused: false
    }))
    const runtime = yield* Effect.runtime<never>()
    const ended = yield* Deferred.make<string>()
    const finish = (reason: string) => Deferred.unsafeDone(ended, Effect.succeed(reason))
    let tooMuch: TooMuch | undefined

    const budget = makeBudget()
    const client = makeClient(sdk, options, runtime, budget)
    // The SDK reports here what it has dealt with: lines that are no messages, streams that it opens again.
    client.onerror = () => undefined
    client.onclose = () => finish(opened.reason() ?? "it was closed")
    let withheld: ReadonlyArray<Withheld> = []
    const warn = (problem: string) =>
      void Runtime.runFork(runtime)(Effect.logWarning(`MCP server ${options.server}: ${problem}`))
    const transport = watch(opened.transport, limits, {
      mendResult: makeMend(sdk, warn, limits.items),
      legacyCapabilities: handlers.legacyCapabilities,
      isModern: () => client.getProtocolEra() === "modern",
      isProgram: target._tag === "Stdio",
      onTooMuch: (problem) => {
        tooMuch = problem
        void client.close()
      }
    })
    yield* Effect.addFinalizer(() => {
      const end =
        // No other transport has this method.
        "terminateSession" in opened.transport ? (opened.transport as Sdk.StreamableHTTPClientTransport) : undefined
      const leave = Effect.tryPromise(async () => {
        if (end?.sessionId !== undefined) await end.terminateSession()
      })
      return Effect.ignore(Effect.interruptible(Effect.timeout(leave, 1000))).pipe(
        Effect.zipRight(Effect.promise(() => client.close().catch(() => undefined)))
      )
    })

    const errorOf = makeErrorOf(sdk, options, () => tooMuch, opened)
    yield* Effect.tryPromise({
      try: (signal) =>
        client.connect(transport, {
          signal,
          timeout: limits.connect,
          ...(memory.isLegacy ? { prior: { kind: "legacy" as const } } : {})
        }),
      catch: (cause): Failed => ({
        error: connectError(options.server, opened, errorOf("initialize", cause)),
        failsAtProbe:
          target._tag === "Stdio"
            ? opened.reason() !== undefined
            : cause instanceof sdk.SdkError && cause.code === sdk.SdkErrorCode.RequestTimeout,
        isRefused:
          cause instanceof sdk.SdkHttpError && cause.status >= 400 && cause.status < 500 && cause.status !== 401
      })
    })
    memory.isLegacy = client.getProtocolEra() === "legacy"
    const listening = client.autoOpenedSubscription
    void listening?.closed.then((cause) => {
      // Unlike a connection, a subscription cannot be asked whether it is still there.
      if (cause !== "local") finish("its stream of changes ended")
    })

    const optionsOf = ({ onProgress }: RequestOptions, signal: AbortSignal): Sdk.RequestOptions => ({
      signal,
      timeout: clamp(limits.call),
      maxTotalTimeout: clamp(limits.total),
      resetTimeoutOnProgress: true,
      allowInputRequired: true,
      ...(onProgress === undefined ? {} : { onprogress: onProgress })
    })
    const readList = makeReadList(sdk, warn)
    const info = client.getServerVersion()
    return {
      withheld: () => withheld,
      agreement: {
        revision: client.getNegotiatedProtocolVersion() ?? "",
        serverInfo: info === undefined ? undefined : { name: info.name, version: info.version },
        // It was parsed from JSON.
        capabilities: (client.getServerCapabilities() ?? {}) as Json.JsonObject,
        instructions: client.getInstructions()
      },
      request: (method, params, given = {}) =>
        Effect.tryPromise({
          // Results of the protocol are objects of JSON.
          try: (signal) => send(sdk, client, method, params, optionsOf(given, signal)) as Promise<Json.JsonObject>,
          catch: (cause) => errorOf(method, cause)
        }).pipe(
          (sent) => Effect.acquireUseRelease(budget.begin, () => sent, budget.end),
          Effect.flatMap((result) => {
            if (method === "tasks/get") return Effect.succeed(withErrorHidden(result, spellingsOf(opened.secrets)))
            if (!isList(method)) return Effect.succeed(result)
            return Effect.map(readList(method, result, client.getProtocolEra() === "modern"), (read) => {
              if (method === "tools/list") withheld = read.withheld
              return read.list
            })
          })
        ),
      watch: (uri) =>
        Effect.tryPromise({
          try: async (signal) => {
            const given = { signal, timeout: clamp(limits.call) }
            if (client.getProtocolEra() === "legacy") {
              await client.subscribeResource({ uri }, given)
              return Effect.promise(() => client.unsubscribeResource({ uri }).then(noop, noop))
            }
            const subscription = await client.listen({ resourceSubscriptions: [uri] }, given)
            return Effect.promise(() => subscription.close().then(noop, noop))
          },
          catch: (cause) => errorOf("resources/subscribe", cause)
        }),
      ended: Deferred.await(ended)
    }
  })

/** A client that is not connected yet, and that answers what the program answers. */
const makeClient = (
  sdk: typeof Sdk,
  { handlers, limits, target }: Options,
  runtime: Runtime.Runtime<never>,
  budget: ReturnType<typeof makeBudget>
): Sdk.Client => {
  // The SDK would wait without end where a server announces changes without a pause.
  const changed = (method: string) => ({
    autoRefresh: false,
    debounceMs: 0,
    onChanged: () => handlers.onNotification(method, {})
  })
  const client = new sdk.Client(clientInfo, {
    capabilities: handlers.capabilities,
    versionNegotiation: {
      mode: "auto",
      // Programs have a limit of their own. Over HTTP, a server that has much to do answers late.
      probe: { timeoutMs: target._tag === "Stdio" ? limits.connect : Math.max(limits.probe, limits.connect / 3) }
    },
    inputRequired: { autoFulfill: false },
    listMaxPages: limits.pages,
    // Results are checked by Wield's own compiler, which keeps what does not fit. With a validator, the SDK refuses each
    // result without structured content, also one that asks for input or goes on as a task.
    jsonSchemaValidator: { getValidator: () => undefined as never },
    listChanged: {
      tools: changed("notifications/tools/list_changed"),
      prompts: changed("notifications/prompts/list_changed"),
      resources: changed("notifications/resources/list_changed")
    }
  })
  client.fallbackNotificationHandler = (notification) =>
    // It was parsed from JSON.
    Promise.resolve(handlers.onNotification(notification.method, (notification.params ?? {}) as Json.JsonObject))
  for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"] as const) {
    const capability = method.slice(0, method.indexOf("/"))
    if (handlers.capabilities[capability] === undefined) continue
    client.setRequestHandler(method, (request: Sdk.Request, context: Sdk.ClientContext) => {
      if (!budget.spend()) {
        throw new sdk.ProtocolError(
          sdk.ProtocolErrorCode.InvalidRequest,
          `More than ${mostQuestions} questions were asked`
        )
      }
      return Runtime.runPromise(runtime)(
        // The SDK has a type for each method's parameters and results; `method` is one of three here.
        handlers.answer(method, (request.params ?? {}) as Json.JsonObject) as Effect.Effect<never>,
        {
          signal: context.mcpReq.signal
        }
      )
    })
  }
  return client
}

const send = (
  sdk: typeof Sdk,
  client: Sdk.Client,
  method: string,
  params: Json.JsonObject,
  given: Sdk.RequestOptions
): Promise<unknown> => {
  switch (method) {
    case "tools/call":
      // `callTool` and `followTask` give the name and the arguments.
      return client.callTool(params as Sdk.CallToolRequest["params"], given)
    case "tools/list":
      return client.listTools(undefined, { ...given, cacheMode: "refresh" })
    case "tasks/get":
    case "tasks/update":
    case "tasks/cancel":
      return client.request({ method, params }, anyResult, given).then((task) => {
        if (task["result"] === undefined || sdk.isSpecType.CallToolResult(task["result"])) return task
        throw new sdk.SdkError(sdk.SdkErrorCode.InvalidResult, "a task ended with an invalid result")
      })
    default:
      // The SDK has a type for each method; this is one of those that are left.
      return client.request({ method: method as "ping", params }, given)
  }
}

const noop = () => undefined

/** How many questions of servers before 2026-07-28 are answered: which request each belongs to, they do not say. */
const makeBudget = () => {
  const open: Array<{ left: number }> = []
  let outside = { left: mostQuestions }
  return {
    begin: Effect.sync(() => {
      const one = { left: mostQuestions }
      open.push(one)
      outside = { left: mostQuestions }
      return one
    }),
    end: (one: { left: number }) => Effect.sync(() => void open.splice(open.indexOf(one), 1)),
    spend: (): boolean => {
      const one = open.length === 0 ? outside : open.find(({ left }) => left > 0)
      if (one === undefined || one.left === 0) return false
      one.left--
      return true
    }
  }
}

/** Tasks are an extension, of which the SDK has no schemas. */
const anyResult = Schema.standardSchemaV1(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** Timers of Node take no more; what is longer never ends. */
const clamp = (milliseconds: number): number => Math.min(milliseconds, 2 ** 31 - 1)

const clientInfo = { name: "wield", version: "0.1.0" }

const openTarget = (
  sdk: typeof Sdk,
  { limits, memory, server, target }: Options
): Effect.Effect<Opened, McpError.McpError, Scope.Scope> => {
  const secrets = new Set<string>()
  const plain = (transport: Sdk.Transport): Opened => ({
    transport,
    diagnosis: () => undefined,
    noise: () => 0,
    reason: () => undefined,
    secrets
  })
  switch (target._tag) {
    case "Stdio":
      return openStdio(server, target, limits)
    case "Transport":
      return Effect.map(target.open, plain)
    case "Http":
    case "Sse":
      return Effect.map(makeFetch(target.url, target.guard, limits, secrets), (fetch) => {
        const withHeaders: Sdk.FetchLike = async (url, init) => {
          // Those of the program go to the server only, not to the servers that grant access to it.
          if (new URL(url).origin !== target.url.origin) return fetch(url, init)
          const headers = new Headers(init?.headers)
          for (const [name, value] of Object.entries(await Effect.runPromise(target.headers))) {
            const text = Redacted.isRedacted(value) ? String(Redacted.value(value)) : value
            if (Redacted.isRedacted(value)) for (const secret of Secret.inHeader(text)) keepSecret(secrets, secret)
            headers.set(name, text)
          }
          return fetch(url, { ...init, headers })
        }
        const provider = target.credentials?.provider(sdk)
        const given =
          provider === undefined || target.credentials === undefined
            ? { fetch: withHeaders }
            : { fetch: target.credentials.shared.watch(withHeaders, provider), authProvider: provider }
        if (target._tag === "Http" && !memory.isSse) {
          const reconnectionScheduler = (reconnect: () => void, delay: number) => {
            const timer = setTimeout(reconnect, Math.min(Math.max(delay, shortestPause), longestPause))
            return () => clearTimeout(timer)
          }
          return plain(new sdk.StreamableHTTPClientTransport(target.url, { ...given, reconnectionScheduler }))
        }
        // The SDK would open the stream again, to a server that knows nothing of this client.
        let reason: string | undefined
        const transport = new sdk.SSEClientTransport(target.url, {
          ...given,
          fetch: async (url, init) => {
            const response = await given.fetch(url, init)
            return init?.method === "POST"
              ? response
              : watchEnd(response, () => {
                  reason ??= "its stream of events ended"
                  void transport.close()
                })
          }
        })
        return { ...plain(transport), reason: () => reason }
      })
  }
}

/** Milliseconds until a stream that has ended is opened again, whatever pause the server asks for. */
const shortestPause = 100
const longestPause = 60_000
