/**
 * Conversations of pages: who may, what runs, what pages hear. `UiMessages` and `AgUi` speak of it in the protocols of
 * pages.
 */
import * as Agent from "@wield/agent/Agent"
import type * as AgentEvent from "@wield/agent/AgentEvent"
import type * as Conversation from "@wield/agent/Conversation"
import { ConversationStore } from "@wield/agent/ConversationStore"
import type * as DeferredCall from "@wield/agent/DeferredCall"
import type { AgentClient } from "@wield/cluster"
import type { CallContext, Content } from "@wield/core"
import type * as Response from "@wield/core/Response"
import * as Json from "@wield/core/Json"
import { nearest } from "@wield/core/NearestNames"
import {
  aContext,
  aCount,
  aFunction,
  anything,
  type Check,
  type Checks,
  fields,
  holds,
  oneOf,
  orThrow,
  toText,
  unknownName
} from "@wield/core/Options"
import type * as Toolset from "@wield/core/Toolset"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import type { Refused } from "./ChatError.js"
import { agentRunner, makeAgents } from "./internal/agents.js"
import { type AnyClient, durableRunner } from "./internal/durable.js"
import { Conversations, ownerOf } from "./internal/Conversations.js"
import { internal, refuse } from "./internal/refuse.js"
import type { Elsewhere } from "./internal/runner.js"
import { type Asking, Runs, type Surroundings } from "./internal/Runs.js"
import * as Show from "./Show.js"

/**
 * What a page may hear of a run: the events of the agent as JSON, and `Failed` as the last one of a run that has no
 * result. Its message is for the page; the log has the cause, by the reference that stands in it.
 *
 * @category models
 */
export type Event = AgentEvent.Json | { readonly _tag: "Failed"; readonly code: string; readonly message: string }

/**
 * Who asks, as the program knows it from the request: a cookie, a token. A conversation belongs to the `user` who began
 * it, and no other user reads or changes it. `context` has the hidden fields of tools.
 *
 * @category models
 */
export type Caller<Tools> = { readonly user: string } & ([keyof Toolset.ContextOf<Tools>] extends [never]
  ? { readonly context?: CallContext.Values | undefined }
  : { readonly context: Toolset.ContextOf<Tools> & CallContext.Values })

/**
 * What the page itself brings: tools that it runs, as client tools. Their names and descriptions are the page's words:
 * combine them with your own tools, whose names they cannot take.
 *
 * @category models
 */
export interface Page {
  readonly tools: Toolset.Toolset<Toolset.DynamicTools>
}

/**
 * How a chat is made.
 *
 * @category models
 */
export interface Options<Tools, Output, R, E, MakeE, MakeR, AuthorizeE, AuthorizeR> {
  /** As a function, it is made with the tools of a page: `({ tools }) => Agent.make({ toolset: Toolset.combine(shop, tools), … })`. */
  readonly agent:
    | Agent.Agent<Tools, Output, R, E>
    | ((page: Page) => Effect.Effect<Agent.Agent<Tools, Output, R, E>, MakeE, MakeR>)
  /** Says who asks; `undefined` refuses. */
  readonly authorize: (request: Request) => Effect.Effect<Caller<Tools> | undefined, AuthorizeE, AuthorizeR>
  /** What pages see. `Show.everything` unless given. */
  readonly show?: Show.Show | undefined
  /**
   * What becomes of a run whose page has gone: it stops, so that the page's own `stop()` stops it, or it goes on, and the
   * page reads on when it is back. `stop` unless given.
   */
  readonly whenPageLeaves?: "stop" | "goOn" | undefined
  /**
   * Whether a message is refused (unless given) while calls wait for answers, or denies them: a page that does not
   * disable its input would otherwise keep a message that is never answered. Of a call that a page was given to run, the
   * model then reads that it may have taken effect.
   */
  readonly whenWaiting?: "refuse" | "deny" | undefined
  /** The most bytes of a request's body. 5,000,000 unless given. */
  readonly maxBytes?: number | undefined
}

/**
 * What a page asks for.
 *
 * - `Prompt`: a message of the user. Under an id that the conversation has, it is the same message again; `replaces` says
 *   that it stands in its place, and what came after goes. `answers` came
 *   with the message: the model reads what becomes of them first. `earlier` are messages of the user right before it, of
 *   which the conversation may have some.
 * - `Again`: another answer to the message of this id, the last one unless given.
 * - `Answers`: to requests that wait, by their ids, or of client tools by the ids of the calls.
 *
 * @category models
 */
export type Action =
  | {
      readonly _tag: "Prompt"
      readonly id: string | undefined
      readonly content: ReadonlyArray<Content.Part>
      readonly replaces: boolean
      readonly answers?: ReadonlyArray<Answer>
      readonly earlier?: ReadonlyArray<{ readonly id: unknown; readonly content: ReadonlyArray<Content.Part> }>
    }
  | { readonly _tag: "Again"; readonly to: string | undefined }
  | {
      readonly _tag: "Answers"
      readonly answers: ReadonlyArray<Answer>
      /** Every request that waits has to be answered, but for those of client tools. */
      readonly isWhole?: boolean
    }

/**
 * An answer. A `Payload` is read by what its request waits for: the reply to a question; of an approval,
 * `{ approved, editedArgs?, reason? }`.
 *
 * @category models
 */
export type Answer = ({ readonly request: string } | { readonly call: string }) & {
  readonly response: Response.Response | { readonly _tag: "Payload"; readonly value: Json.Json }
}

/**
 * A tool of a page.
 *
 * @category models
 */
export interface PageTool {
  readonly name: string
  readonly description?: string | undefined
  readonly parameters?: Json.JsonObject | undefined
}

/**
 * A run that a page reads.
 *
 * @category models
 */
export interface Reading {
  /** The id of the message that the run goes on in; `undefined` where it begins one. */
  readonly message: string | undefined
  /** What the conversation has before it, the message that it answers included. */
  readonly past: Past
  /** The event of this number, from 0; `"over"` behind the last, `"gone"` where too many came since. */
  readonly read: (number: number) => Event | "over" | "gone" | Promise<void>
  /** Says that the page has gone. */
  readonly leave: () => void
}

/**
 * What a conversation has before what goes on in it.
 *
 * @category models
 */
export interface Past {
  readonly entries: ReadonlyArray<Conversation.Entry>
  /** The requests that wait. */
  readonly requests: ReadonlyArray<DeferredCall.DeferredCall>
}

/**
 * The conversations of pages. `UiMessages.handler` and `AgUi.handler` make of it what a web server takes.
 *
 * @category models
 */
export interface Chat {
  /** Fails unless the program knows who asks. The other operations ask the same, once for each request. */
  readonly admit: (request: Request) => Effect.Effect<void, Refused>
  /** Begins a run. The same request again, while it goes on, reads the same run. */
  readonly begin: (
    request: Request,
    conversation: string,
    action: Action,
    tools?: ReadonlyArray<PageTool>
  ) => Effect.Effect<Reading, Refused>
  /** Reads the run that goes on, from its start; `undefined` where nothing runs. */
  readonly join: (request: Request, conversation: string) => Effect.Effect<Reading | undefined, Refused>
  /** Stops the run that goes on, and waits for its end. */
  readonly stop: (request: Request, conversation: string) => Effect.Effect<void, Refused>
  /** What came before the run that goes on, which `join` tells. */
  readonly past: (request: Request, conversation: string) => Effect.Effect<Past, Refused>
  readonly show: Show.Show
  readonly maxBytes: number
  /** Runs what a web server has asked for, with the services that the chat was made with. */
  readonly runtime: Runtime.Runtime<never>
}

/**
 * The metadata of a conversation that a program makes for a user's page: `store.create({ metadata: Chat.metadataOf(user) })`.
 * One without it belongs to no user, and no page gets it.
 *
 * @category constructors
 */
export const metadataOf = (user: string): Json.JsonObject => ownerOf(user)

/**
 * Makes a chat. Its runs end with its scope; its conversations stand in the `ConversationStore`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent, ConversationStore } from "@wield/agent"
 * import { Chat, UiMessages } from "@wield/chat"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const agent = yield* Agent.make({ model: yield* ScriptedModel.make([ScriptedModel.text("Good morning.")]) })
 *   const chat = yield* Chat.make({
 *     agent,
 *     authorize: (request) => Effect.succeed(request.headers.has("cookie") ? { user: "ada" } : undefined)
 *   })
 *   const handle = UiMessages.handler(chat)
 *   // What `useChat` sends.
 *   const body = { id: "chat 1", messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hello?" }] }] }
 *   const headers = { "content-type": "application/json", cookie: "session=1" }
 *   const request = new Request("http://localhost/api/chat", { method: "POST", headers, body: JSON.stringify(body) })
 *   return yield* Effect.promise(async () => (await handle(request)).text())
 * })
 * Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(ConversationStore.layerMemory))).then((stream) =>
 *   assert.match(stream, /"type":"text-delta","id":"[^"]+","delta":"Good mor"/)
 * )
 * ```
 *
 * @category constructors
 */
export const make = <Tools, Output, R, E, MakeE = never, MakeR = never, AuthorizeE = never, AuthorizeR = never>(
  options: Options<Tools, Output, R, E, MakeE, MakeR, AuthorizeE, AuthorizeR>
): Effect.Effect<Chat, never, ConversationStore | Scope.Scope | R | MakeR | AuthorizeR> =>
  Effect.gen(function* () {
    orThrow(ofChat(options), "What `Chat.make` takes")
    const context = yield* Effect.context<R | MakeR | AuthorizeR>()
    const agentOf = yield* makeAgents(options.agent, context)
    return yield* makeOver({
      ...options,
      runnerOf: (tools) => Effect.map(agentOf(tools), (agent) => agentRunner(agent, context)),
      authorize: (request) => Effect.provide(anEffect(options.authorize(request)), context)
    })
  })

type Common = Pick<
  Options<{}, unknown, never, never, never, never, never, never>,
  "show" | "whenPageLeaves" | "maxBytes"
>

/**
 * A chat over the conversations of a cluster: a run goes on whatever process dies, and a page reads on from any process.
 * The `ConversationStore` is that of the cluster (`Cluster.layerFile`, `layerPostgres`, `layerClient`).
 *
 * A page can neither alter a message that it has sent nor have another answer to it: a durable prompt is answered once.
 *
 * @category constructors
 */
export const fromClient = <Context, Output, AuthorizeE = never, AuthorizeR = never>(
  options: Common & {
    readonly client: AgentClient.AgentClient<Context, Output>
    readonly authorize: (
      request: Request
    ) => Effect.Effect<
      ({ readonly user: string } & AgentClient.WithContext<Context>) | undefined,
      AuthorizeE,
      AuthorizeR
    >
  }
): Effect.Effect<Chat, never, ConversationStore | Scope.Scope | AuthorizeR> =>
  Effect.gen(function* () {
    orThrow(ofClient(options), "What `Chat.fromClient` takes")
    const context = yield* Effect.context<AuthorizeR>()
    // What `authorize` gives is what the client takes.
    const runner = durableRunner(options.client as unknown as AnyClient)
    return yield* makeOver({
      ...options,
      runnerOf: () => Effect.succeed(runner),
      elsewhere: runner,
      authorize: (request) => Effect.provide(anEffect(options.authorize(request)), context)
    })
  })

// Of a name that is misspelt, a page would see everything.
const common = {
  authorize: aFunction,
  show: aFunction,
  whenPageLeaves: oneOf("stop", "goOn"),
  maxBytes: aCount
}

const anAgent = holds(
  "an agent, such as `yield* Agent.make(…)` gives, or a function that makes one",
  (value) => typeof value === "function" || Predicate.hasProperty(value, Agent.TypeId)
)

const ofChat = fields(
  { ...common, agent: anAgent, whenWaiting: oneOf("refuse", "deny") } satisfies Checks<
    Options<{}, unknown, never, never, never, never, never, never>
  >,
  ["agent", "authorize"]
)

const ofClient = fields({ ...common, client: anything }, ["client", "authorize"])

const makeOver = (
  options: Common & {
    readonly runnerOf: Surroundings["runnerOf"]
    readonly elsewhere?: Elsewhere
    readonly whenWaiting?: "refuse" | "deny" | undefined
    readonly authorize: (request: Request) => Effect.Effect<Asking | undefined, unknown>
  }
): Effect.Effect<Chat, never, ConversationStore | Scope.Scope> =>
  Effect.gen(function* () {
    const { elsewhere, runnerOf, whenPageLeaves = "stop", whenWaiting = "refuse", maxBytes = 5_000_000 } = options
    const runtime = yield* Effect.runtime<never>()
    const show = safely(options.show ?? Show.everything, (cause) =>
      Runtime.runFork(runtime)(Effect.logError("`show` of a chat failed, and what it was given is hidden", cause))
    )
    const callerOf = callers(options.authorize)
    const runs = new Runs({
      conversations: new Conversations(yield* ConversationStore),
      scope: yield* Effect.scope,
      runnerOf,
      elsewhere,
      whenPageLeaves,
      whenWaiting
    })
    return {
      admit: (request) => Effect.asVoid(callerOf(request)),
      begin: (request, conversation, action, tools = []) =>
        isName(conversation)
          ? Effect.flatMap(callerOf(request), (caller) => runs.begin(caller, conversation, action, tools))
          : refuse("InvalidRequest", "The id of a conversation is a text of 1 to 255 characters"),
      join: (request, conversation) => Effect.flatMap(callerOf(request), (caller) => runs.join(caller, conversation)),
      stop: (request, conversation) => Effect.flatMap(callerOf(request), (caller) => runs.stop(caller, conversation)),
      past: (request, conversation) => Effect.flatMap(callerOf(request), (caller) => runs.past(caller, conversation)),
      show,
      maxBytes,
      runtime
    }
  })

/** Without types, `authorize` may be asynchronous. */
const anEffect = <A, E, R>(given: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  orThrow(holds("an effect, such as `Effect.promise(() => …)`", Effect.isEffect)(given), "What `authorize` gives")
  return given
}

/** A session may have more; a `context` that is misspelt would be lost. */
const aCaller: Check = (caller, path = []) => {
  const { context, ...others }: { readonly [name: string]: unknown } = Json.isObject(caller) ? caller : {}
  const slip = Object.keys(others).find((name) => name !== "user" && nearest(name, ["context"]) !== undefined)
  if (slip !== undefined) return unknownName([...path, slip], "an option", ["context"])
  return context === undefined ? undefined : aContext(context, [...path, "context"])
}

/** Finds out who asks, once for each request. */
const callers = (authorize: (request: Request) => Effect.Effect<Asking | undefined, unknown>) => {
  const known = new WeakMap<Request, Asking>()
  const ask = (request: Request) =>
    Effect.suspend(() => authorize(request)).pipe(
      Effect.catchAllCause((cause) => internal("who asks could not be found out", cause)),
      Effect.flatMap((caller) =>
        typeof caller?.user !== "string" || caller.user === ""
          ? refuse("NotAuthorized", "Sign in first")
          : Effect.succeed(caller)
      ),
      Effect.tap((caller) => {
        const problem = aCaller(caller)
        if (problem === undefined) return Effect.void
        return internal("who asks could not be found out", Cause.fail(toText(problem, "What `authorize` gives")))
      }),
      Effect.tap((caller) => Effect.sync(() => known.set(request, caller)))
    )
  return (request: Request): Effect.Effect<Asking, Refused> =>
    Effect.suspend(() => {
      const caller = known.get(request)
      return caller === undefined ? ask(request) : Effect.succeed(caller)
    })
}

/** What the program chooses, as JSON; where it fails, nothing is seen. */
const safely = (show: Show.Show, log: (cause: Cause.Cause<unknown>) => void): Show.Show =>
  show === Show.everything
    ? show
    : (item) => {
        try {
          const value = show(item)
          return value === undefined ? undefined : Json.attempt(value)
        } catch (error) {
          log(Cause.die(error))
          return undefined
        }
      }

const isName = (text: string): boolean => text.length >= 1 && text.length <= 255
