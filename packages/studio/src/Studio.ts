/**
 * The studio: beside a program on a port of its own, or inside a server of the
 * program's own.
 */
import { randomBytes } from "node:crypto"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import type { Agent, Stop } from "@wield/agent"
import * as ConversationStore from "@wield/agent/ConversationStore"
import type { CallContext, Policy, Toolset } from "@wield/core"
import {
  aFlag,
  aFunction,
  anything,
  aSecret,
  aText,
  type Check,
  type Checks,
  fields,
  holds,
  orThrow,
  record,
  texts
} from "@wield/core/Options"
import * as ToolRunner from "@wield/core/ToolRunner"
import { isObject } from "@wield/core/Json"
import type { Problem } from "@wield/core/Problem"
import { loopback } from "@wield/http/RequestGuard"
import { listen, ListenFailed } from "@wield/http/WebServer"
import type { ToolsetManager } from "@wield/toolset-manager"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Api, type Changed } from "./Api.js"
import { aboutHandlers } from "./handlers/about.js"
import { approvalsHandlers } from "./handlers/approvals.js"
import { conversationsHandlers, makeTitles } from "./handlers/conversations.js"
import { makePlayground, playgroundHandlers } from "./handlers/playground.js"
import type { Parts } from "./handlers/parts.js"
import { runsHandlers } from "./handlers/runs.js"
import { toolsHandlers } from "./handlers/tools.js"
import { toolsetsHandlers } from "./handlers/toolsets.js"
import * as Inbox from "./Inbox.js"
import * as Recorder from "./Recorder.js"
import { type Access, accessOf, guard, type Handle } from "./server/guard.js"
import { servePage } from "./server/page.js"

/**
 * What the studio shows. Each part but the toolset is optional: without a
 * manager there are no toolsets, without an agent the playground has scripts
 * only, without a store conversations end with the studio.
 *
 * @category models
 */
export interface Options {
  /** All tools, whatever is active somewhere. */
  readonly toolset: Toolset.Toolset<unknown, never, unknown>
  /** Shown, and the rule of the studio's own runner. Everything is allowed unless given. */
  readonly policy?: Policy.Policy | undefined
  /** The program's own runner, to share its limits and journal. One of toolset and policy unless given. */
  readonly runner?: ToolRunner.Runner<Toolset.DynamicTools, never, unknown> | undefined
  /** The hidden fields of the tools. No client of the studio can set or read them. */
  readonly context?: CallContext.Values | undefined
  readonly agent?: Agent.Agent<unknown, unknown, never, unknown> | undefined
  readonly toolsets?: ToolsetManager.Service<unknown, never, unknown> | undefined
  readonly store?: ConversationStore.Service | undefined
  /** What records the program's runs. One of the studio's own unless given. */
  readonly recorder?: Recorder.Service | undefined
  /** Where the program's agents ask. One of the studio's own unless given. */
  readonly inbox?: Inbox.Service | undefined
  /** What runs cost is shown with these. */
  readonly prices?: Stop.Prices | undefined
  /** The file, server or module that a tool comes from. */
  readonly sourceOf?: ((tool: string) => string | undefined) | undefined
  /** What is wrong with sources of tools. */
  readonly problems?: Effect.Effect<ReadonlyArray<Problem>> | undefined
  /** `Wield studio` unless given. */
  readonly title?: string | undefined
}

/**
 * Who may use the studio.
 *
 * @category models
 */
export interface AccessOptions {
  /** What each request to the API carries as `Authorization: Bearer`. */
  readonly token: Redacted.Redacted
  /** A second one, whose bearer can look and change nothing. */
  readonly readOnlyToken?: Redacted.Redacted | undefined
  /** Whether the studio only shows: it runs, answers and changes nothing. */
  readonly isReadOnly?: boolean | undefined
  /** The names, with or without a port, by which browsers reach it. Those of the machine itself unless given. */
  readonly hosts?: ReadonlyArray<string> | undefined
}

/**
 * Where the studio listens.
 *
 * @category models
 */
export interface ListenOptions extends Partial<AccessOptions> {
  /** Any that is free unless given. */
  readonly port?: number | undefined
  /** `127.0.0.1` unless given. */
  readonly host?: string | undefined
  /** Needed for a host of `0.0.0.0` or `::`, which every machine around can reach. */
  readonly isOpenToAllInterfaces?: boolean | undefined
}

/**
 * The options cannot be served.
 *
 * @category errors
 */
export class InvalidStudio extends Schema.TaggedError<InvalidStudio>("@wield/studio/InvalidStudio")("InvalidStudio", {
  message: Schema.String
}) {}

export {
  /**
   * The server cannot listen: the port is taken, or the address is not this
   * machine's.
   *
   * @category errors
   */
  ListenFailed
}

/**
 * A studio that listens.
 *
 * @category models
 */
export interface Listening {
  readonly port: number
  /** The address with the token in its fragment, which no request carries. */
  readonly url: Redacted.Redacted
}

/**
 * A studio on a port of its own, until the scope closes. Its token is 128 random
 * bits unless one is given, here or as `WIELD_STUDIO_TOKEN`.
 *
 * @category running
 */
export const serve = (
  options: Options & ListenOptions
): Effect.Effect<Listening, InvalidStudio | ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    orThrow(ofServe(options), "What `Studio.serve` takes")
    const { host = "127.0.0.1", port = 0 } = options
    if (host === "") {
      return yield* new InvalidStudio({
        message: "A host must be named: give 127.0.0.1, or 0.0.0.0 for every machine around"
      })
    }
    const isEverywhere = everywhere.includes(canonical(host))
    if (isEverywhere && options.isOpenToAllInterfaces !== true) {
      return yield* new InvalidStudio({
        message: `Every machine around could reach a studio at ${JSON.stringify(host)}: give isOpenToAllInterfaces, or another host`
      })
    }
    const given = process.env["WIELD_STUDIO_TOKEN"]
    const token =
      options.token ??
      Redacted.make(given === undefined || given === "" ? randomBytes(16).toString("base64url") : given)
    const hosts = options.hosts ?? [...loopback, bracketed(host)]
    const handle = yield* make(options, accessOf({ ...options, token, hosts }))
    const listening = yield* listen(handle, { host, port })
    const name = isEverywhere ? "localhost" : bracketed(host)
    return { port: listening, url: Redacted.make(`http://${name}:${listening}/#${Redacted.value(token)}`) }
  })

/** As URLs write them, into which `canonical` brings `0` and `::ffff:0.0.0.0`, too. */
const everywhere: ReadonlyArray<string> = ["0.0.0.0", "[::]", "[::ffff:0:0]"]

const canonical = (host: string): string => {
  const url = `http://${bracketed(host)}/`
  return URL.canParse(url) ? new URL(url).hostname : host
}

const bracketed = (host: string): string => (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host)

/**
 * A studio beside the program, on a port of its own; prints its address. Give an
 * effect where the options come from services.
 *
 * @example
 * ```ts
 * import { Toolset } from "@wield/core"
 * import { Recorder, Studio } from "@wield/studio"
 * import { Effect, Layer } from "effect"
 *
 * const StudioLive = Studio.layer(
 *   Effect.gen(function* () {
 *     const toolset = yield* Toolset.dynamic([{ name: "greet", execute: () => Effect.succeed("Hello") }])
 *     return { toolset, recorder: yield* Recorder.Recorder, port: 0 }
 *   })
 * )
 * const program = Effect.log("The program runs, and the studio beside it")
 * Effect.runPromise(program.pipe(Effect.provide(StudioLive.pipe(Layer.provideMerge(Recorder.layer())))))
 * ```
 *
 * @category layers
 */
export const layer = <E = never, R = never>(
  options: (Options & ListenOptions) | Effect.Effect<Options & ListenOptions, E, R>
): Layer.Layer<never, InvalidStudio | ListenFailed | E, Exclude<R, Scope.Scope>> =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const { url } = yield* serve(Effect.isEffect(options) ? yield* options : options)
      yield* Console.log(`Studio: ${Redacted.value(url)}`)
    })
  )

/**
 * A studio inside a server of one's own: a handler of web requests, for
 * `app.mount` of Hono, routes of Next.js and whatever else takes a
 * `Request` and gives a `Response`. Open its root with a slash at the end.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Toolset } from "@wield/core"
 * import { Studio } from "@wield/studio"
 * import { Effect, Redacted } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([{ name: "greet", execute: () => Effect.succeed("Hello") }])
 *   const studio = yield* Studio.toWebHandler({ toolset, token: Redacted.make("8Kq0pJt1bBq2xw3yVv5z6A"), prefix: "/studio" })
 *   const request = new Request("http://localhost:3000/studio/api/tools", {
 *     headers: { authorization: "Bearer 8Kq0pJt1bBq2xw3yVv5z6A" }
 *   })
 *   const response = yield* Effect.promise(() => studio.handler(request))
 *   yield* Effect.promise(() => studio.dispose())
 *   return response.status
 * })
 * Effect.runPromise(program).then((status) => assert.strictEqual(status, 200))
 * ```
 *
 * @category running
 */
export const toWebHandler = (
  options: Options &
    AccessOptions & {
      /** What the paths of its requests begin with, where the server leaves it on them: `/studio`. */
      readonly prefix?: string | undefined
    }
): Effect.Effect<
  { readonly handler: (request: Request) => Promise<Response>; readonly dispose: () => Promise<void> },
  InvalidStudio
> =>
  Effect.gen(function* () {
    orThrow(ofHandler(options), "What `Studio.toWebHandler` takes")
    const { prefix = "" } = options
    const scope = yield* Scope.make()
    const handle = yield* Effect.provideService(make(options, accessOf(options)), Scope.Scope, scope)
    return {
      handler: async (request) => {
        const path = prefix.replace(/\/+$/, "")
        // The page's own addresses are relative to its folder.
        return path !== "" && new URL(request.url).pathname === path
          ? new Response(null, { status: 308, headers: { location: `${path}/` } })
          : handle(withoutPrefix(request, path))
      },
      dispose: () => Effect.runPromise(Scope.close(scope, Exit.void))
    }
  })

/** Of an environment variable that is not set, everyone would have it. */
const aToken: Check = (value, path) =>
  aSecret(value, path) ??
  holds("a secret that is not empty", (token) => Redacted.isRedacted(token) && Redacted.value(token) !== "")(
    value,
    path
  )

const aService = (what: string, ...parts: ReadonlyArray<string>): Check =>
  holds(what, (value) => isObject(value) && parts.every((part) => part in value))

// A name that is misspelt would let everyone run and answer.
const common = {
  toolset: anything,
  policy: anything,
  runner: aService("a runner, such as `yield* ToolRunner.make(…)` gives", "forRun"),
  context: record(anything),
  agent: aService("an agent, such as `yield* Agent.make(…)` gives", "name"),
  toolsets: aService("a manager, such as `yield* ToolsetManager.make(…)` gives", "toolset", "events"),
  store: aService("a store, such as `yield* ConversationStore.ConversationStore` gives", "open", "list"),
  recorder: aService("a recorder, such as `yield* Recorder.make()` gives", "begin", "epoch"),
  inbox: aService("an inbox, such as `yield* Inbox.make` gives", "ask", "changes"),
  prices: record(anything),
  sourceOf: aFunction,
  problems: holds("an effect that gives an array", Effect.isEffect),
  title: aText,
  token: aToken,
  readOnlyToken: aToken,
  isReadOnly: aFlag,
  hosts: texts
} satisfies Checks<Options & AccessOptions>

const aPort = holds(
  "a port between 0 and 65535",
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535
)

const ofServe = fields({ ...common, port: aPort, host: aText, isOpenToAllInterfaces: aFlag }, ["toolset"])

const ofHandler = fields({ ...common, prefix: aText }, ["toolset", "token"])

const withoutPrefix = (request: Request, prefix: string): Request => {
  const url = new URL(request.url)
  if (prefix === "" || !url.pathname.startsWith(`${prefix}/`)) return request
  const host = request.headers.get("host") ?? url.host
  url.pathname = url.pathname.slice(prefix.length)
  const headers = new Headers(request.headers)
  headers.set("host", host)
  return new Request(url, new Request(request, { headers }))
}

/** The types of the parts are erased: what the studio does with them it reads from their definitions. */
const make = (options: Options, access: Access): Effect.Effect<Handle, InvalidStudio, Scope.Scope> =>
  Effect.gen(function* () {
    const { context = {}, policy = {}, problems = Effect.succeed([]), title = "Wield studio" } = options
    // Inside, types are erased.
    const toolset = options.toolset as Parts["toolset"]
    // As above.
    const manager = options.toolsets as Parts["manager"]
    // As above.
    const agent = options.agent as Parts["agent"]
    const runner =
      options.runner ??
      (yield* Effect.mapError(
        ToolRunner.make(toolset, policy),
        (error) => new InvalidStudio({ message: error instanceof Error ? error.message : String(error) })
      ))
    const store =
      options.store ??
      Context.get(yield* Layer.build(ConversationStore.layerMemory), ConversationStore.ConversationStore)
    const recorder = options.recorder ?? (yield* Recorder.make())
    const inbox = options.inbox ?? (yield* Inbox.make)
    const changed = yield* PubSub.sliding<Changed>(64)
    const announce =
      (what: Changed) =>
      <A, E>(stream: Stream.Stream<A, E>) =>
        Effect.forkScoped(Effect.ignore(Stream.runForEach(stream, () => PubSub.publish(changed, what))))
    yield* announce("approvals")(inbox.changes)
    yield* announce("tools")(toolset.changes)
    if (manager !== undefined) {
      yield* announce("toolsets")(manager.events)
      yield* announce("problems")(manager.problems.changes)
    }
    const titleOf = makeTitles(store)
    const playground = yield* makePlayground({
      titleOf,
      agent,
      toolset: manager?.toolset ?? toolset,
      policy,
      context,
      store,
      recorder,
      changed: Effect.forEach(["playground", "approvals", "conversations"] as const, (what) =>
        PubSub.publish(changed, what)
      )
    })
    const parts: Parts = {
      title,
      toolset,
      runner,
      policy,
      context,
      agent,
      manager,
      store,
      hasStore: options.store !== undefined,
      sourceOf: options.sourceOf ?? (() => undefined),
      prices: options.prices,
      problems,
      recorder,
      inbox,
      changed,
      playground,
      titleOf,
      runtime: yield* Effect.runtime<never>()
    }
    const groups = Layer.mergeAll(
      aboutHandlers(parts),
      toolsHandlers(parts),
      toolsetsHandlers(parts),
      runsHandlers(parts),
      approvalsHandlers(parts),
      conversationsHandlers(parts),
      playgroundHandlers(parts)
    )
    const ApiLive = HttpApiBuilder.api(Api).pipe(Layer.provide(groups))
    const OpenApiLive = HttpApiBuilder.middlewareOpenApi({ path: "/api/openapi.json" }).pipe(Layer.provide(ApiLive))
    // Ids of approvals and names by others are longer than the 100 characters that the router takes by itself.
    const routing = HttpRouter.setRouterConfig({ maxParamLength: 16_384 })
    const { dispose, handler } = HttpApiBuilder.toWebHandler(
      Layer.mergeAll(ApiLive, OpenApiLive, HttpServer.layerContext).pipe(Layer.provideMerge(routing))
    )
    yield* Effect.addFinalizer(() => Effect.promise(dispose))
    // Tools may need services of the program; the scope of each request is its own.
    const services = Context.omit(Scope.Scope)(yield* Effect.context<Scope.Scope>())
    return guard(access, { api: (request) => handler(request, services), page: servePage() })
  })
