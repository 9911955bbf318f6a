/**
 * Any toolset as an MCP server, for clients of every revision of the protocol.
 * Each call goes through the runner: its approval rules, limits and journal
 * hold for clients as they hold for your own program.
 *
 * Much of the file is options and their documentation; what they stand for is
 * made under `server/`.
 */
import type { Writable } from "node:stream"
import type { CallContext, Policy, ToolDefinition, Toolset, ToolsetError } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServer from "@effect/platform/HttpServer"
import type { HttpServerError } from "@effect/platform/HttpServerError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as KeyValueStore from "@effect/platform/KeyValueStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Authorization from "./Authorization.js"
import { admit, wellKnown } from "./auth/resource.js"
import type { Caller } from "./McpRequest.js"
import type { AnyRunner, Approvals } from "./server/call.js"
import { Core } from "./server/core.js"
import type * as Library from "./server/library.js"
import { guardOf, preflight, refusalOf, refuse, shareWithPage } from "./server/guard.js"
import type { Handle } from "./server/http.js"
import { checkHttp, checkServer } from "./server/options.js"
import { makeRemembered, type Remembered } from "./server/remembered.js"
import { givingUp } from "./server/suspended.js"
import { StateSeal } from "./server/state.js"
import { Tasks } from "./server/tasks.js"
import { TaskStore } from "./server/taskStore.js"

/** @category symbols */
export const TypeId: unique symbol = Symbol.for("@wield/mcp/McpServer")

/**
 * A server, ready for connections.
 *
 * @category models
 */
export interface McpServer {
  readonly [TypeId]: Core
  readonly name: string
  readonly version: string
  /** Tells clients that the list of tools has changed. A toolset announces its own changes. */
  readonly toolsChanged: Effect.Effect<void>
  readonly promptsChanged: Effect.Effect<void>
  readonly resourcesChanged: Effect.Effect<void>
  /** Tells the clients that subscribed to a resource that it has changed. */
  readonly resourceUpdated: (uri: string) => Effect.Effect<void>
}

/**
 * Where a server's tools come from: a toolset with a policy, or a runner that
 * you have made. A runner says nothing of changes; `changes` does.
 *
 * @category models
 */
export type Source<Tools, R, E> =
  | {
      readonly toolset: Toolset.Toolset<Tools, R, E>
      readonly policy?: Policy.Policy<NoInfer<Tools>> | undefined
      readonly runner?: undefined
    }
  | {
      readonly runner: ToolRunner.Runner<Tools, R, E>
      readonly changes?: Stream.Stream<unknown> | undefined
      readonly toolset?: undefined
    }
  | { readonly toolset?: undefined; readonly runner?: undefined }

/**
 * How a server names itself, and what it does beyond its tools.
 *
 * @category models
 */
export interface Options<R = never> {
  readonly name: string
  readonly version: string
  /** A name for people. */
  readonly title?: string | undefined
  /** What a model should know to use the server well. */
  readonly instructions?: string | undefined
  /** The call context of a request: hidden fields and what filters and rules read. */
  readonly context?: ((caller: Caller) => Effect.Effect<CallContext.Values, never, R>) | undefined
  /** Whether a tool exists for this caller. A tool that does not looks like an unknown one. */
  readonly offer?: ((definition: ToolDefinition.ToolDefinition, caller: Caller) => boolean) | undefined
  /**
   * Who answers when a policy asks for approval: the person at the client
   * (`"client"`, unless given), the same while the call waits as a task (`"task"`,
   * with `tasks`), a page of yours, or no one (`"deny"`). What a client says for its
   * user is the client's word: where an approval gives more than the caller may do,
   * use a page.
   */
  readonly approvals?: Approvals | undefined
  /**
   * Lets calls go on as tasks, for clients that support the extension
   * `io.modelcontextprotocol/tasks`.
   */
  readonly tasks?: TaskOptions | undefined
  /**
   * Seals what clients carry between the rounds of a call. Processes that serve
   * the same clients need the same secret. Random unless given.
   */
  readonly secret?: Redacted.Redacted | undefined
  /** How long a client may take between two rounds. Half an hour unless given. */
  readonly roundTime?: Duration.DurationInput | undefined
  /** How long clients may keep lists, and whether all callers see the same. Not at all, and `private`, unless given. */
  readonly cache?: { readonly ttl: Duration.DurationInput; readonly scope?: "public" | "private" } | undefined
  /** What clients can read, made by `resource` and `resourceTemplate`. */
  readonly resources?: ReadonlyArray<Library.Resource<R> | Library.ResourceTemplate<R>> | undefined
  /** Prompts for people to choose from, made by `prompt`. */
  readonly prompts?: ReadonlyArray<Library.Prompt<R>> | undefined
  /** The most items that a list gives at once. 1,000 unless given. */
  readonly pageSize?: number | undefined
}

/**
 * Which calls are tasks, and how long tasks are kept.
 *
 * @category models
 */
export interface TaskOptions {
  /**
   * `"optional"`: each call of the tool is a task for a client that supports
   * tasks; `"required"`: other clients are refused. Unless given, a handler decides
   * by `McpRequest.continueAsTask`.
   */
  readonly support?: ((definition: ToolDefinition.ToolDefinition) => "optional" | "required" | undefined) | undefined
  /** How long a task is kept from its start; one that has not ended then is interrupted. An hour unless given. */
  readonly keep?: Duration.DurationInput | undefined
  /** How often clients should ask about a task. Each second unless given. */
  readonly poll?: Duration.DurationInput | undefined
  /**
   * Lets the processes that share it answer about each other's tasks, such as one of
   * `KeyValueStore.layerFileSystem` in a folder of its own, or of a database. A task runs
   * in the process that took its call, and is lost with it. In memory unless given.
   */
  readonly store?: KeyValueStore.KeyValueStore | undefined
  /** The most of one principal. 1,000 unless given; then those give way that have ended, and calls run in their requests. */
  readonly max?: number | undefined
}

/**
 * A server for a toolset or a runner. Its connections and running calls end
 * with the scope. Fails as `ToolRunner.make` does.
 *
 * @example
 * ```ts
 * import { Tool, Toolkit } from "@effect/ai"
 * import { Toolset } from "@wield/core"
 * import { McpServer } from "@wield/mcp"
 * import { Effect, Schema } from "effect"
 *
 * class Sums extends Toolkit.make(
 *   Tool.make("double", { description: "Twice a number", parameters: { n: Schema.Number }, success: Schema.Number })
 * ) {}
 * const SumsLive = Sums.toLayer({ double: ({ n }) => Effect.succeed(n * 2) })
 *
 * const program = Effect.gen(function* () {
 *   const toolset = yield* Toolset.fromToolkit(Sums)
 *   const server = yield* McpServer.make({ name: "sums", version: "1.0.0", toolset })
 *   yield* McpServer.stdio(server)
 * })
 * const main = program.pipe(Effect.provide(SumsLive), Effect.scoped)
 * ```
 *
 * @category constructors
 */
export const make = <Tools = unknown, R = never, E = never, R2 = never>(
  options: Options<R2> & Source<Tools, R, E>
): Effect.Effect<McpServer, E | ToolsetError, R | R2 | Scope.Scope> =>
  Effect.gen(function* () {
    checkServer(options)
    const runtime = yield* Effect.runtime<R | R2>()
    const scope = yield* Effect.scope
    const { forget, isGivingUp, runner } = yield* runnerOf(options)
    // What their handlers need is in the runtime.
    const all = (options.resources ?? []) as never as ReadonlyArray<Library.Resource | Library.ResourceTemplate>
    const core = new Core({
      info: {
        name: options.name,
        version: options.version,
        ...(options.title === undefined ? {} : { title: options.title })
      },
      instructions: options.instructions,
      runner,
      // What handlers and `context` need is in this runtime.
      runtime: runtime as never,
      // What it requires stands in the runtime.
      context: options.context as ((caller: Caller) => Effect.Effect<CallContext.Values>) | undefined,
      offer: options.offer,
      approvals: options.approvals ?? "client",
      seal: new StateSeal(
        options.secret === undefined ? undefined : Redacted.value(options.secret),
        Duration.toMillis(options.roundTime ?? "30 minutes")
      ),
      tasks: options.tasks === undefined ? undefined : tasksOf(options.tasks, scope),
      forget,
      isGivingUp,
      cache: {
        ttlMs: Math.floor(Duration.toMillis(options.cache?.ttl ?? 0)),
        cacheScope: options.cache?.scope ?? "private"
      },
      pageSize: options.pageSize ?? 1000,
      hasResources: all.length > 0 || runner !== undefined,
      resources: all.filter((each) => "uri" in each),
      templates: all.filter((each) => "uriTemplate" in each),
      // As with `context`: what prompts require stands in the runtime.
      prompts: (options.prompts ?? []) as never as ReadonlyArray<Library.Prompt>
    })
    yield* Effect.addFinalizer(() => Effect.promise(core.close))
    const changes = options.toolset?.changes ?? (options.runner === undefined ? undefined : options.changes)
    if (changes !== undefined) {
      const announced = Stream.runForEach(changes, () => Effect.sync(() => core.announce({ kind: "tools" })))
      yield* Effect.forkScoped(announced)
    }
    return {
      [TypeId]: core,
      name: options.name,
      version: options.version,
      toolsChanged: Effect.sync(() => core.announce({ kind: "tools" })),
      promptsChanged: Effect.sync(() => core.announce({ kind: "prompts" })),
      resourcesChanged: Effect.sync(() => core.announce({ kind: "resources" })),
      resourceUpdated: (uri) => Effect.sync(() => core.announce({ kind: "resource", uri }))
    }
  })

/**
 * Something to read at one address. A text is sent as text, bytes as base64.
 *
 * @example
 * ```ts
 * import { McpServer } from "@wield/mcp"
 * import { Effect } from "effect"
 *
 * const terms = McpServer.resource({
 *   uri: "shop://terms",
 *   name: "Terms",
 *   mimeType: "text/markdown",
 *   read: Effect.succeed("# Terms")
 * })
 * ```
 *
 * @category declarations
 */
export const resource = <R = never>(declared: Library.Resource<R>): Library.Resource<R> => declared

/**
 * Things to read at addresses of one shape. `{name}` stands for one segment,
 * `{+name}` for the rest of the address; the parameters are decoded by their
 * schemas.
 *
 * @example
 * ```ts
 * import { McpServer } from "@wield/mcp"
 * import { Effect, Schema } from "effect"
 *
 * const order = McpServer.resourceTemplate({
 *   uriTemplate: "shop://orders/{id}",
 *   name: "Order",
 *   mimeType: "application/json",
 *   parameters: { id: Schema.NumberFromString },
 *   read: ({ id }) => Effect.succeed(JSON.stringify({ id })),
 *   complete: { id: (typed) => Effect.succeed(["12", "13"].filter((id) => id.startsWith(typed))) }
 * })
 * ```
 *
 * @category declarations
 */
export const resourceTemplate = <Fields extends Schema.Struct.Fields, R = never>(
  declared: Omit<Library.ResourceTemplate<R>, "parameters" | "read" | "complete"> & {
    readonly parameters: Fields
    readonly read: (parameters: Schema.Struct.Type<Fields>) => Effect.Effect<Library.Contents, unknown, R>
    readonly complete?: { readonly [Name in keyof Fields]?: Library.Complete<R> } | undefined
  }
): Library.ResourceTemplate<R> => declared as Library.ResourceTemplate<R>

/**
 * A prompt that a person chooses at the client. Its parameters are texts on the
 * wire, and are decoded by their schemas. A text alone is a message of the user.
 *
 * @example
 * ```ts
 * import { McpServer } from "@wield/mcp"
 * import { Effect, Schema } from "effect"
 *
 * const review = McpServer.prompt({
 *   name: "review",
 *   description: "Reviews an order",
 *   parameters: { order: Schema.NumberFromString },
 *   get: ({ order }) => Effect.succeed(`Look at order ${order} for anything unusual.`)
 * })
 * ```
 *
 * @category declarations
 */
export const prompt = <Fields extends Schema.Struct.Fields = {}, R = never>(
  declared: Omit<Library.Prompt<R>, "parameters" | "get" | "complete"> & {
    readonly parameters?: Fields
    readonly get: (
      parameters: Schema.Struct.Type<Fields>
    ) => Effect.Effect<string | ReadonlyArray<Library.PromptMessage>, unknown, R>
    readonly complete?: { readonly [Name in keyof Fields]?: Library.Complete<R> } | undefined
  }
): Library.Prompt<R> => ({ parameters: {}, ...declared }) as Library.Prompt<R>

const tasksOf = (options: TaskOptions, scope: Scope.Scope): Tasks => {
  const { keep = "1 hour", max = 1000, poll = "1 second", support = () => undefined } = options
  const milliseconds = (duration: Duration.DurationInput) => Math.max(1, Math.floor(Duration.toMillis(duration)))
  const shared =
    options.store === undefined ? undefined : new TaskStore(options.store, Math.max(30_000, 5 * milliseconds(poll)))
  return new Tasks({ support, keep: milliseconds(keep), poll: milliseconds(poll), max, store: shared }, scope)
}

interface Prepared {
  readonly runner: AnyRunner | undefined
  readonly forget: Remembered["forget"]
  readonly isGivingUp: boolean
}

/**
 * Without a journal of yours, this process remembers the calls that carry an idempotency key; not those of tools that
 * change nothing, which no journal has to know.
 */
const runnerOf = <Tools, R, E>(source: Source<Tools, R, E>): Effect.Effect<Prepared, E | ToolsetError> => {
  const given = (runner: ToolRunner.Runner<Tools, R, E> | undefined): Prepared => ({
    // The runner's types are its callers'; here, calls and outcomes are JSON of strangers.
    runner: runner as unknown as AnyRunner | undefined,
    forget: () => Effect.void,
    isGivingUp: false
  })
  if (source.toolset === undefined) return Effect.succeed(given(source.runner))
  const { policy, toolset } = source
  const own = policy?.journal
  // Anything else than a policy, or a journal, the runner refuses.
  if ((policy !== undefined && !Json.isPlain(policy)) || (own !== undefined && !Json.isObject(own)))
    return Effect.map(ToolRunner.make(toolset, policy), given)
  const remembered = makeRemembered()
  const journal = givingUp(own ?? remembered.journal)
  return Effect.map(ToolRunner.make(toolset, { ...policy, journal }), (runner) => ({
    ...given(runner),
    ...(own === undefined ? { forget: remembered.forget } : {}),
    isGivingUp: true
  }))
}

/**
 * Serves one client over standard input and output, until the client closes
 * them. Meanwhile what others write to standard output, such as `console.log`,
 * goes to standard error, for standard output belongs to the protocol. Takes a
 * server, or what makes one, as `layerHttp` does.
 *
 * `output` is for a program that has diverted `process.stdout.write` before: the
 * stream that still writes to standard output.
 *
 * @category serving
 */
export const stdio = <E = never, R = never>(
  server: McpServer | Effect.Effect<McpServer, E, R>,
  options: { readonly output?: Writable | undefined } = {}
): Effect.Effect<void, E, Exclude<R, Scope.Scope>> =>
  Effect.acquireUseRelease(
    Effect.sync(() => reserveOutput(options.output)),
    ({ output }) =>
      Effect.scoped(
        Effect.flatMap(madeOf(server), (made) =>
          Effect.promise(async () => {
            const { serveStandardStreams } = await import("./server/engine.js")
            await serveStandardStreams(made[TypeId], output)
          })
        )
      ),
    ({ release }) => Effect.sync(release)
  )

const madeOf = <E, R>(server: McpServer | Effect.Effect<McpServer, E, R>): Effect.Effect<McpServer, E, R> =>
  Effect.isEffect(server) ? server : Effect.succeed(server)

/** Standard output as the protocol alone sees it. */
const reserveOutput = (given?: Writable) => {
  const { stderr, stdout } = process
  const { debug, info, log } = console
  const before = stdout.write
  const write = before.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  // In some runtimes the console does not write to the stream.
  console.log = console.info = console.debug = console.error
  return {
    output: given ?? new Proxy(stdout, { get: (target, key) => (key === "write" ? write : Reflect.get(target, key)) }),
    release: () => {
      stdout.write = before
      Object.assign(console, { debug, info, log })
    }
  }
}

/**
 * Where a server listens, whom it answers, and how much it takes.
 *
 * @category models
 */
export interface HttpOptions {
  /**
   * The names by which clients reach the server, with or without a port, or
   * `"any"`. Names of this machine alone unless given, so that a web page cannot
   * reach it by a name of its own (DNS rebinding).
   */
  readonly hosts?: ReadonlyArray<string> | "any" | undefined
  /** The origins of web pages that may use the server, such as `https://app.example.com`, or `"any"`. Only pages of this machine unless given. */
  readonly origins?: ReadonlyArray<string> | "any" | undefined
  /** Who may use the server. Anyone who reaches it, unless given. */
  readonly authorize?: Authorization.Authorization | undefined
  /**
   * What clients of revisions before 2026-07-28 get: sessions, in which the
   * server can ask them (unless given); requests that stand alone, for servers of
   * several processes; or an error.
   */
  readonly legacy?: "sessions" | "stateless" | "reject" | undefined
  readonly sessions?:
    | {
        /** The most of one principal at a time. 1,000 unless given; then its own give way that were not used for a minute. */
        readonly max?: number | undefined
        /** How long an unused one is kept. Half an hour unless given. */
        readonly idle?: Duration.DurationInput | undefined
      }
    | undefined
  /** The most bytes of a request's body. 4 MiB unless given. */
  readonly maxBodyBytes?: number | undefined
  /** The most subscriptions at a time. 10,000 unless given. */
  readonly maxSubscriptions?: number | undefined
}

/**
 * A handler of web requests, as Bun, Deno, workers and most frameworks take
 * one. It answers every revision of the protocol at one address.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Toolset } from "@wield/core"
 * import { McpServer } from "@wield/mcp"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([{ name: "greet", execute: () => Effect.succeed("Hello") }])
 *   const server = yield* McpServer.make({ name: "greeter", version: "1.0.0", toolset })
 *   const handle = McpServer.toWebHandler(server, { hosts: ["mcp.example.com"] })
 *   const response = yield* Effect.promise(() => handle(new Request("https://evil.example/mcp", { method: "POST" })))
 *   assert.strictEqual(response.status, 403)
 * })
 * Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @category serving
 */
export const toWebHandler = (
  server: McpServer,
  options: HttpOptions = {}
): ((request: Request) => Promise<Response>) => {
  checkHttp(options)
  const core = server[TypeId]
  const guard = guardOf(options)
  const { authorize } = options
  const load = async (): Promise<Handle> => {
    const { handlerOf } = await import("./server/http.js")
    return handlerOf(core, {
      guard,
      legacy: options.legacy ?? "sessions",
      sessions: {
        max: options.sessions?.max ?? 1000,
        idle: Duration.toMillis(options.sessions?.idle ?? "30 minutes")
      },
      maxSubscriptions: options.maxSubscriptions ?? 10_000
    })
  }
  let loaded: Promise<Handle> | undefined
  const answer = async (request: Request): Promise<Response> => {
    if (core.isClosed) return refuse(503, "The server is closed")
    const asked = preflight(request)
    if (asked !== undefined) return asked
    const handle = await (loaded ??= load())
    if (authorize === undefined) return handle(request, undefined)
    const admitted = await core.settle(admit(authorize, request))
    return admitted instanceof Response ? admitted : handle(request, admitted)
  }
  return async (request) => refusalOf(guard, request) ?? shareWithPage(request, await answer(request))
}

/**
 * The handler as an app of `@effect/platform`.
 *
 * @category serving
 */
export const httpApp = (server: McpServer, options?: HttpOptions): HttpApp.Default<HttpServerError> =>
  interruptible(toWebHandler(server, options))

/** A client that leaves ends its request: apps are not interruptible unless they say so. */
const interruptible = (handle: (request: Request) => Promise<Response>): HttpApp.Default<HttpServerError> =>
  Effect.interruptible(HttpApp.fromWebHandler(handle)).pipe(
    // Of a host with a name before it (`localhost@other`), and of some methods, there are no requests of the web.
    Effect.catchAllDefect(() => HttpServerResponse.empty({ status: 400 }))
  )

/**
 * Serves at one path of an HTTP server, such as `NodeHttpServer.layer` makes;
 * every other path is not found. Takes a server, or what makes one. Let it listen on `127.0.0.1` unless others
 * must reach it.
 *
 * @example
 * ```ts no-run
 * import { createServer } from "node:http"
 * import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
 * import { Toolset } from "@wield/core"
 * import { McpServer } from "@wield/mcp"
 * import { Effect, Layer } from "effect"
 *
 * const server = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([{ name: "greet", execute: () => Effect.succeed("Hello") }])
 *   return yield* McpServer.make({ name: "greeter", version: "1.0.0", toolset })
 * })
 * const main = McpServer.layerHttp(server).pipe(
 *   Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 3000 }))
 * )
 * NodeRuntime.runMain(Layer.launch(main))
 * ```
 *
 * @category serving
 */
export const layerHttp = <E = never, R = never>(
  server: McpServer | Effect.Effect<McpServer, E, R>,
  options: HttpOptions & { /** `/mcp` unless given. */ readonly path?: `/${string}` | undefined } = {}
): Layer.Layer<never, E, HttpServer.HttpServer | Exclude<R, Scope.Scope>> =>
  Layer.unwrapScoped(
    Effect.map(madeOf(server), (made) => {
      const handle = toWebHandler(made, options)
      const path = options.path ?? "/mcp"
      const app = interruptible(async (request) => {
        const { pathname } = new URL(request.url)
        const isOurs = pathname === path || pathname.startsWith(wellKnown)
        return isOurs ? handle(request) : new Response(null, { status: 404 })
      })
      return HttpServer.serve(app)
    })
  )
