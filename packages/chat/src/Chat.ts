/**
 * Conversations of pages: who may, what runs, what pages hear. `UiMessages` and `AgUi` speak of it in the protocols of
 * pages.
 */
import type * as Agent from "@wield/agent/Agent"
import * as AgentEvent from "@wield/agent/AgentEvent"
import * as Conversation from "@wield/agent/Conversation"
import type { ConversationNotFound, StoreError } from "@wield/agent/ConversationError"
import { ConversationStore } from "@wield/agent/ConversationStore"
import * as DeferredCall from "@wield/agent/DeferredCall"
import * as WaitingCalls from "@wield/agent/WaitingCalls"
import type { AgentClient } from "@wield/cluster"
import type { CallContext, Content } from "@wield/core"
import type * as Response from "@wield/core/Response"
import * as Digest from "@wield/core/Digest"
import * as Json from "@wield/core/Json"
import type * as Toolset from "@wield/core/Toolset"
import * as Turn from "@wield/core/Turn"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Refused } from "./ChatError.js"
import { agentRunner, makeAgents } from "./internal/agents.js"
import { type AnyClient, durableRunner } from "./internal/durable.js"
import { Log } from "./internal/Log.js"
import { messageOf, planOf, waitingOf } from "./internal/plan.js"
import { internal, refuse, refuseStore, unknown, whyOf } from "./internal/refuse.js"
import type { Elsewhere, Given, Runner } from "./internal/runner.js"
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
   * disable its input would otherwise keep a message that is never answered.
   */
  readonly whenWaiting?: "refuse" | "deny" | undefined
  /** The most bytes of a request's body. 5,000,000 unless given. */
  readonly maxBytes?: number | undefined
}

/**
 * What a page asks for.
 *
 * - `Prompt`: a message of the user. Under an id that the conversation has, it is the same message again; `replaces` says
 *   that it stands in its place, and what came after goes.
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
export const metadataOf = (user: string): Json.JsonObject => ({ [metadataKey]: { user, requests: [] } })

const metadataKey = "chat"

/** How long the events of a run that is over are kept for a page that saw it going on. */
const grace = "30 seconds"

/** How much is kept of requests that were answered, so that an answer that comes twice is known. */
const kept = { requests: 100, characters: 200_000 }

/** As `Options` and the client of a cluster type it. */
interface Asking {
  readonly user: string
  readonly context?: unknown
}

/** A run as the chat has it. */
interface Live {
  readonly conversation: string
  readonly key: string
  /** How many entries stood before it. */
  from: number
  message: string | undefined
  past: Past
  readonly log: Log<Event>
  /** It is known what comes before the run, or that it does not begin. */
  readonly ready: Deferred.Deferred<void>
  /** Succeeds with the first event. */
  readonly begun: Deferred.Deferred<void, Refused>
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
  readers: number
  isStopping: boolean
  /** Pages that were given the past without this run, and have not read it yet. */
  missed: number
}

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
    const context = yield* Effect.context<R | MakeR | AuthorizeR>()
    const agentOf = yield* makeAgents(options.agent, context)
    return yield* makeOver({
      ...options,
      runnerOf: (tools) => Effect.map(agentOf(tools), (agent) => agentRunner(agent, context)),
      authorize: (request) => Effect.provide(options.authorize(request), context)
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
    const context = yield* Effect.context<AuthorizeR>()
    // What `authorize` gives is what the client takes.
    const runner = durableRunner(options.client as unknown as AnyClient)
    return yield* makeOver({
      ...options,
      runnerOf: () => Effect.succeed(runner),
      elsewhere: runner,
      authorize: (request) => Effect.provide(options.authorize(request), context)
    })
  })

const makeOver = (
  options: Common & {
    readonly runnerOf: (tools: ReadonlyArray<PageTool>) => Effect.Effect<Runner, Refused>
    readonly elsewhere?: Elsewhere
    readonly whenWaiting?: "refuse" | "deny" | undefined
    readonly authorize: (request: Request) => Effect.Effect<Asking | undefined, unknown>
  }
): Effect.Effect<Chat, never, ConversationStore | Scope.Scope> =>
  Effect.gen(function* () {
    const store = yield* ConversationStore
    const scope = yield* Effect.scope
    const { elsewhere, runnerOf, whenPageLeaves = "stop", whenWaiting, maxBytes = 5_000_000 } = options
    const runtime = yield* Effect.runtime<never>()
    const show = safely(options.show ?? Show.everything, (cause) =>
      Runtime.runFork(runtime)(Effect.logError("`show` of a chat failed, and what it was given is hidden", cause))
    )
    const lives = new Map<string, Live>()

    const callers = new WeakMap<Request, Asking>()

    const callerOf = (request: Request) =>
      Effect.suspend(() => {
        const known = callers.get(request)
        return known === undefined ? askWho(request) : Effect.succeed(known)
      })

    const askWho = (request: Request) =>
      Effect.suspend(() => options.authorize(request)).pipe(
        Effect.catchAllCause((cause) => internal("who asks could not be found out", cause)),
        Effect.flatMap((caller) =>
          caller === undefined || typeof caller.user !== "string" || caller.user === ""
            ? refuse("NotAuthorized", "Sign in first")
            : Effect.succeed(caller)
        ),
        Effect.tap((caller) => Effect.sync(() => callers.set(request, caller)))
      )

    /** Fails unless the conversation is the caller's. */
    const metaOf = (conversation: string, user: string) =>
      Effect.gen(function* () {
        const { metadata } = yield* store.summary(conversation)
        const meta = metadata[metadataKey]
        if (!Json.isObject(meta) || meta["user"] !== user) return yield* unknown(conversation)
        return { requests: yield* requestsOf(meta["requests"]) }
      }).pipe(refuseStore)

    /** Fails unless the conversation is the caller's; a first message makes it. */
    const own = (conversation: string, user: string, action: Action) =>
      Effect.gen(function* () {
        if (action._tag === "Prompt") {
          const title = titleOf(action.content)
          // One that is there is looked at below.
          yield* store
            .create({ id: conversation, metadata: metadataOf(user), ...(title === "" ? {} : { title }) })
            .pipe(
              Effect.catchTag("ConversationExists", () => Effect.void),
              refuseStore
            )
        }
        yield* metaOf(conversation, user)
      })

    const open = (conversation: string, user: string) =>
      Effect.gen(function* () {
        const { requests } = yield* metaOf(conversation, user)
        const opened = yield* store.open(conversation)
        return { requests, opened, entries: yield* opened.entries }
      }).pipe(refuseStore)

    /** Keeps what waits, for other pages, other processes and the studio. */
    const remember = (
      conversation: string,
      waiting: ReadonlyArray<DeferredCall.DeferredCall>
    ): Effect.Effect<void, ConversationNotFound | StoreError> =>
      Effect.gen(function* () {
        if (waiting.length > 0) {
          // Read again: the program may have changed it during the run.
          const { metadata } = yield* store.summary(conversation)
          const meta = metadata[metadataKey]
          const known = Json.isObject(meta) ? Json.fromObject(meta) : {}
          const before = yield* requestsOf(known["requests"])
          const past = before.filter(({ id }) => waiting.every((one) => one.id !== id))
          yield* store.update(conversation, {
            metadata: { ...metadata, [metadataKey]: { ...known, requests: encodeKept(past, waiting) } }
          })
        }
        yield* WaitingCalls.remember(store, conversation, waiting)
      })

    const begin: Chat["begin"] = (request, conversation, action, tools = []) =>
      Effect.gen(function* () {
        if (!isName(conversation)) {
          return yield* refuse("InvalidRequest", "The id of a conversation is a text of 1 to 255 characters")
        }
        const caller = yield* callerOf(request)
        const runner = yield* runnerOf(tools)
        // Before it is held: who may not have it keeps its user from it no more.
        yield* own(conversation, caller.user, action)
        const key = Digest.ofValues(caller.user, action, tools)
        while (true) {
          const live = lives.get(conversation)
          if (live === undefined || live.log.isOver) break
          if (live.isStopping) yield* Effect.promise(() => live.log.over)
          else if (live.key === key) {
            yield* Deferred.await(live.begun)
            return readingOf(live)
          } else {
            yield* Effect.ignore(Deferred.await(live.begun))
            if (!live.log.isOver && !live.isStopping) {
              return yield* refuse("RunGoesOn", "An answer is still being written here: wait for its end, or stop it")
            }
          }
        }
        const live = yield* makeLive(conversation, key)
        lives.set(conversation, live)
        // Counted before the run begins: a page that leaves at once stops it too.
        const reading = readingOf(live)
        yield* start(live, caller, action, runner).pipe(
          Effect.onError((cause) =>
            Effect.sync(() => {
              live.log.end()
              if (lives.get(conversation) === live) lives.delete(conversation)
            }).pipe(Effect.zipRight(Deferred.failCause(live.begun, cause)))
          ),
          Effect.ensuring(Deferred.succeed(live.ready, undefined))
        )
        yield* Effect.onInterrupt(Deferred.await(live.begun), () => Effect.sync(reading.leave))
        return reading
      }).pipe(Effect.catchAllDefect((defect) => internal("a request could not be handled", Cause.die(defect))))

    const start = (live: Live, caller: Asking, action: Action, runner: Runner): Effect.Effect<void, Refused> =>
      Effect.gen(function* () {
        const { conversation } = live
        const state = yield* open(conversation, caller.user)
        const other = yield* runningIn(state.opened)
        if (other !== undefined && action._tag !== "Answers" && !(action._tag === "Prompt" && action.id === other.id)) {
          return yield* refuse("RunGoesOn", "An answer is still being written here: wait for its end, or stop it")
        }
        const plan = yield* planOf(state, action, whenWaiting)
        if (plan.after !== undefined && elsewhere !== undefined) {
          return yield* refuse("InvalidRequest", "A message is answered once here: send another one")
        }
        if (plan.after !== undefined) yield* refuseStore(store.truncate(conversation, plan.after.id))
        live.from = plan.entries.length
        live.message = messageOf(plan)
        const asked =
          action._tag === "Prompt" && plan.entries.every(({ id }) => id !== action.id)
            ? [
                yield* Conversation.entry(
                  Conversation.user(action.content),
                  action.id === undefined ? {} : { id: action.id }
                )
              ]
            : []
        live.past = { entries: [...plan.entries, ...asked], requests: waitingOf(plan.entries, state.requests) }
        // A run that goes on elsewhere tells its events itself; one that is over there has none left.
        const isSentAgain = elsewhere !== undefined && action._tag === "Prompt" && plan.isRepeated
        yield* launch(live, {
          state,
          context: caller.context,
          missed: isSentAgain && other !== undefined ? [] : plan.missed,
          run: (given) =>
            plan.isOver || (isSentAgain && other === undefined)
              ? given.tell(nothingLeft(conversation))
              : runner.run({
                  ...given,
                  ...plan.input,
                  answers: plan.answers?.map((answer) => DeferredCall.withBy(answer, { who: caller.user, way: "chat" }))
                }),
          // This process alone knows what a run that broke off has asked.
          askAgain: elsewhere === undefined ? runner.run : undefined
        })
      })

    /** Begins what `run` is, and tells the page of it. */
    const launch = (
      live: Live,
      {
        askAgain,
        context,
        missed,
        run,
        state
      }: {
        readonly state: Effect.Effect.Success<ReturnType<typeof open>>
        readonly context: unknown
        readonly missed: ReadonlyArray<AgentEvent.AgentEvent>
        readonly run: Runner["run"]
        readonly askAgain: Runner["run"] | undefined
      }
    ): Effect.Effect<void> =>
      Effect.gen(function* () {
        const { conversation } = live
        // Until the run is done, the page may have been asked what no other page knows of.
        let isAsking = false
        const over = new Set<string>()
        const tell = (event: Event) =>
          Effect.suspend(() => {
            if (event._tag === "CallFinished" && event.outcome._tag === "Deferred") isAsking = true
            else if (event._tag === "CallFinished") over.add(event.call.id)
            live.log.push(event, sizeOf(event))
            return Deferred.succeed(live.begun, undefined)
          })
        const given: Given = {
          conversation: state.opened,
          context,
          answers: undefined,
          tell,
          keep: (requests) => {
            isAsking = false
            return remember(conversation, requests)
          }
        }
        const toldBy = (event: AgentEvent.AgentEvent) => tell(AgentEvent.toJson(event))
        yield* Effect.forEach(missed, toldBy, { discard: true })
        const fail = (cause: Cause.Cause<unknown>) =>
          Effect.flatMap(whyOf(cause, live.isStopping), (why) =>
            why instanceof Refused
              ? Effect.flatMap(Deferred.fail(live.begun, why), (isFirst) =>
                  isFirst ? Effect.void : tell({ _tag: "Failed", code: why.code, message: why.detail })
                )
              : tell(why)
          )
        /** A call that was stopped has its end in the conversation, and no event says so. */
        const tellEnds = Effect.flatMap(store.open(conversation), ({ entries }) => entries).pipe(
          Effect.flatMap((entries) =>
            Effect.forEach(
              AgentEvent.fromEntries(entries, live.from),
              (event) => (event._tag === "CallFinished" && !over.has(event.call.id) ? toldBy(event) : Effect.void),
              { discard: true }
            )
          ),
          Effect.catchAll((error) => Effect.logWarning("How stopped calls ended could not be read", error))
        )
        const end = Effect.suspend(() => {
          live.log.end()
          const forget = Effect.sync(() => {
            if (lives.get(conversation) === live) lives.delete(conversation)
          })
          // A page that saw it going on has a while to come for its events.
          return live.missed === 0
            ? forget
            : Effect.asVoid(Effect.forkIn(Effect.interruptible(Effect.delay(forget, grace)), scope))
        })
        const whole = Effect.interruptible(run(given)).pipe(
          Effect.catchAllCause((cause) =>
            // It ended with calls that wait and were shown: asked about once more, they are known, and nothing else is done.
            Effect.zipRight(
              isAsking && askAgain !== undefined
                ? Effect.catchAllCause(askAgain({ ...given, tell: () => Effect.void }), (failure) =>
                    Effect.logWarning("What waits in a chat could not be kept", failure)
                  )
                : Effect.void,
              Effect.zipRight(live.isStopping ? tellEnds : Effect.void, fail(cause))
            )
          ),
          Effect.ensuring(end)
        )
        // However early it is stopped, it says that it has ended.
        const fiber = yield* Effect.uninterruptible(Effect.forkIn(whole, scope))
        live.fiber = fiber
        if (live.isStopping) yield* stopLive(live)
      })

    /** Reads the run that another process has begun, if there is one. */
    const joinOther = (conversation: string, { context, user }: Asking): Effect.Effect<void, Refused> =>
      Effect.gen(function* () {
        if (elsewhere === undefined) return
        const state = yield* open(conversation, user)
        const other = yield* runningIn(state.opened)
        const known = lives.get(conversation)
        if (other === undefined || (known !== undefined && !known.log.isOver)) return
        const live = yield* makeLive(conversation, other.id)
        lives.set(conversation, live)
        yield* launch(live, { state, context, missed: [], run: other.run, askAgain: undefined })
        yield* Deferred.await(live.begun)
        // The run began where its first event is.
        const entries = yield* refuseStore(state.opened.entries)
        live.from = placeOf(entries, live.log.read(0))
        const before = entries.slice(0, live.from)
        const asked = before.findLastIndex(({ message }) => message._tag === "User")
        live.message = before.find(({ message }, place) => place > asked && message._tag === "Assistant")?.id
        live.past = { entries: before, requests: waitingOf(before, state.requests) }
        yield* Deferred.succeed(live.ready, undefined)
      })

    const stopLive = (live: Live): Effect.Effect<void> =>
      Effect.suspend(() => {
        live.isStopping = true
        const { conversation, fiber } = live
        if (fiber === undefined) return Effect.void
        if (elsewhere === undefined) return Fiber.interruptFork(fiber)
        // It ends here as it ends there. A process that only reads, and closes, stops nothing.
        return Effect.catchAll(elsewhere.stop(conversation), (error) =>
          Effect.zipRight(
            Effect.logWarning(`A run of the conversation ${conversation} could not be stopped`, error),
            Fiber.interruptFork(fiber)
          )
        )
      })

    const runningIn = (conversation: Conversation.Conversation<StoreError>) =>
      elsewhere === undefined ? Effect.succeed(undefined) : refuseStore(elsewhere.running(conversation))

    const readingOf = (live: Live): Reading => {
      let isHere = true
      live.readers++
      return {
        get message() {
          return live.message
        },
        get past() {
          return live.past
        },
        read: (number) => live.log.read(number),
        leave: () => {
          if (!isHere) return
          isHere = false
          live.readers--
          if (live.readers === 0 && whenPageLeaves === "stop" && !live.log.isOver) Effect.runFork(stopLive(live))
        }
      }
    }

    const liveOf = (request: Request, conversation: string) =>
      Effect.gen(function* () {
        const caller = yield* callerOf(request)
        yield* metaOf(conversation, caller.user)
        yield* joinOther(conversation, caller)
        const { requests } = yield* metaOf(conversation, caller.user)
        const live = lives.get(conversation)
        if (live !== undefined) yield* Deferred.await(live.ready)
        return { live: lives.get(conversation) === live ? live : undefined, requests }
      })

    return {
      admit: (request) => Effect.asVoid(callerOf(request)),
      begin,
      join: (request, conversation) =>
        Effect.map(liveOf(request, conversation), ({ live }) => {
          if (live === undefined || (live.log.isOver && live.missed === 0)) return undefined
          live.missed = Math.max(0, live.missed - 1)
          return readingOf(live)
        }),
      stop: (request, conversation) =>
        Effect.flatMap(liveOf(request, conversation), ({ live }) =>
          live === undefined || live.log.isOver
            ? Effect.void
            : Effect.zipRight(
                stopLive(live),
                Effect.promise(() => live.log.over)
              )
        ),
      past: (request, conversation) =>
        Effect.gen(function* () {
          const { live, requests } = yield* liveOf(request, conversation)
          const entries = yield* Effect.flatMap(store.open(conversation), (opened) => opened.entries).pipe(refuseStore)
          if (live === undefined || live.log.isOver) return { entries, requests: waitingOf(entries, requests) }
          live.missed++
          const before = entries.slice(0, live.from)
          const prompt = entries[live.from]
          const seen = prompt?.message._tag === "User" ? [...before, prompt] : before
          return { entries: seen, requests: waitingOf(seen, requests) }
        }),
      show,
      maxBytes,
      runtime
    }
  })

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

const makeLive = (conversation: string, key: string): Effect.Effect<Live> =>
  Effect.all([Deferred.make<void>(), Deferred.make<void, Refused>()]).pipe(
    Effect.map(([ready, begun]) => ({
      conversation,
      key,
      from: 0,
      message: undefined,
      past: { entries: [], requests: [] },
      log: new Log<Event>(),
      ready,
      begun,
      fiber: undefined,
      readers: 0,
      isStopping: false,
      missed: 0
    }))
  )

/** How many entries stand before a run whose first event this is. */
const placeOf = (entries: ReadonlyArray<Conversation.Entry>, first: ReturnType<Log<Event>["read"]>): number => {
  if (typeof first === "string" || first instanceof Promise) return entries.length
  const place = entries.findIndex(({ id, message }) =>
    "entry" in first
      ? id === first.entry
      : "call" in first && message._tag === "Assistant" && Turn.calls(message).some((call) => call.id === first.call.id)
  )
  return place === -1 ? entries.length : "entry" in first ? place : place + 1
}

const requestsOf = (json: unknown): Effect.Effect<ReadonlyArray<DeferredCall.DeferredCall>> =>
  Effect.orElseSucceed(decodeRequests(json), () => [])

const decodeRequests = Schema.decodeUnknown(Schema.Array(DeferredCall.DeferredCall))

/** All that waits, and of what did, the last, as many as there is room for. */
const encodeKept = (
  past: ReadonlyArray<DeferredCall.DeferredCall>,
  waiting: ReadonlyArray<DeferredCall.DeferredCall>
): Json.Json => {
  const texts = waiting.map(textOf)
  let room = kept.characters
  for (const request of past.slice(-kept.requests).reverse()) {
    const text = textOf(request)
    room -= text.length
    if (room < 0) break
    texts.unshift(text)
  }
  return JSON.parse(`[${texts.join(",")}]`)
}

/** Requests are JSON; `undefined` fields go. */
const textOf = (request: DeferredCall.DeferredCall): string => JSON.stringify(encodeRequest(request))

const encodeRequest = Schema.encodeSync(DeferredCall.DeferredCall)

const nothingLeft = (conversation: string): Event => ({
  _tag: "Done",
  result: { _tag: "Finished", conversation, text: "", steps: 0, usage: {}, output: null }
})

/** Texts come by the thousand; their length says enough. */
const sizeOf = (event: Event): number => ("text" in event ? event.text.length + 100 : JSON.stringify(event).length)

const titleOf = (content: ReadonlyArray<Content.Part>): string =>
  content
    .flatMap((part) => (part._tag === "Text" ? [part.text] : []))
    .join(" ")
    .slice(0, 80)

const isName = (text: string): boolean => text.length >= 1 && text.length <= 255
