/**
 * The loop around a model, for programs that use promises.
 *
 * More than half of the file is types and their documentation.
 */
import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { AgentEvent, AgentResult, Conversation, DeferredCall, Stop } from "@wield/agent"
import type * as Agents from "@wield/agent/Agent"
import * as ConversationStore from "@wield/agent/ConversationStore"
import type * as Model from "@wield/agent/Model"
import type { Show } from "@wield/chat/Show"
import type { Content, Policy, Toolset, Turn } from "@wield/core"
import { isPart } from "@wield/core/Content"
import { once } from "@wield/core/Fibers"
import * as Json from "@wield/core/Json"
import { activeSpan } from "@wield/core/OpenTelemetry"
import type { Reply } from "@wield/interop/approval"
import type { LanguageModel } from "@wield/interop/ai-sdk-model"
import type { WireFormat } from "@wield/providers"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { checkAgent } from "./internal/checkAgent.js"
import { checkContext, checkKind, checkNames, checkSignal } from "./internal/checkNames.js"
import { handOverOf } from "./internal/handOver.js"
import { listen } from "./internal/listen.js"
import { nothing, partialJson } from "./internal/partialJson.js"
import type { Answer as ChatAnswer } from "./internal/chat.js"
import { Closed, type Running, type Services } from "./internal/Running.js"
import { type Abortable, type FormatName, responseTo } from "./run.js"
import type { CallValues, Tool } from "./tool.js"

/** Milliseconds, or a text such as `"30 seconds"`. */
export type Time =
  | number
  | `${number} ${"millis" | "second" | "seconds" | "minute" | "minutes" | "hour" | "hours" | "day" | "days" | "week" | "weeks"}`

/** A model over HTTP. */
export interface ModelOptions extends Omit<Model.WireOptions, "key" | "headers" | "prepareRequest" | "onLosses"> {
  /** The API. Servers that speak another one's format take its name: most take `openai-chat`. */
  readonly format: FormatName
  /** The API's key. It is sent to the API, and stands in no error, log or trace. */
  readonly key?: string | undefined
  /** Further headers. Their values are treated as the key is. */
  readonly headers?: { readonly [name: string]: string }
}

/**
 * A model over HTTP, one of the AI SDK's (`anthropic("claude-sonnet-4-5")`, which needs its package and its key), or one
 * of `@wield/agent` or `@wield/testing`.
 */
export type AnyModel = ModelOptions | LanguageModel | MadeModel | Effect.Effect<Model.Model>

/** Its format may be any text: among the others, only that of `ModelOptions` is one that a compiler checks. */
type MadeModel = Omit<Model.Model, "format">

/** Aborts with the run. */
export interface WithSignal {
  readonly signal: AbortSignal
}

/** What `prepare` knows of the next step. */
export interface Step extends WithSignal {
  /** 1 for the first turn of the run. */
  readonly number: number
  readonly instructions: string | undefined
  readonly entries: ReadonlyArray<Conversation.Entry>
  /** Tokens of the run so far. */
  readonly usage: Turn.Usage
  readonly context: CallValues
}

/** What `prepare` changes, for one step. */
export interface Changes {
  readonly model?: AnyModel
  readonly instructions?: string
  /** The names of the tools on offer; others cannot be called in this step. */
  readonly offered?: ReadonlyArray<string>
  /** Laid over the agent's. */
  readonly options?: WireFormat.ToolsOptions
  /** Laid over the agent's. */
  readonly settings?: Json.JsonObject
}

/** When a run stops, beside `steps`: by the first limit that a step has reached, once the results of its calls are there. */
export interface StopOptions {
  /** Input and output together. */
  readonly tokens?: number
  /** In the currency of the prices, which are per million tokens; `other` is that of models without one. */
  readonly cost?: { readonly limit: number; readonly prices: Stop.Prices; readonly other?: Stop.Price }
  readonly time?: Time
  /** A tool that has answered. */
  readonly call?: string
  readonly when?: (state: Stop.State) => boolean | Promise<boolean>
}

/** What of a long conversation the model is shown. */
export interface WindowOptions {
  /** Tokens of a request and its answer together. */
  readonly budget: number
  /** Tokens of it for the answer: a tenth of the budget unless given. */
  readonly reserve?: number
  /** To which part of the rest a request is cut that is too long: 0.6 unless given. */
  readonly keep?: number
  /** What is too long is left out (`drop`, unless given), or a model, the agent's own unless given, summarises it. */
  readonly overflow?:
    | "drop"
    | {
        readonly model?: AnyModel
        readonly instructions?: string
        /** Tokens: 1,000 unless given. */
        readonly length?: number
        readonly timeLimit?: Time
      }
}

/** Which of many tools a model is shown, and how it finds the others. */
export interface SearchOptions {
  /** The names of the tools that are always shown. None unless given. */
  readonly pinned?: ReadonlyArray<string>
  /** How many tools a search finds at most. 5 unless given. */
  readonly limit?: number
  /** Requests in a user's words, by the tool that is right for them: nothing helps more. */
  readonly requests?: { readonly [tool: string]: ReadonlyArray<string> }
  /** More of them: what `shop.conversations.learnRequests()` gives. Tools that are gone are passed over; `embed` is given them. */
  readonly learnt?: { readonly [tool: string]: ReadonlyArray<string> }
  /**
   * How the model is shown what was found: `native` in its API's own form (Anthropic, OpenAI Responses), `hosted` by its
   * API's own search, `call-through` by one tool that calls those found, `activation` as further tools. Unless given,
   * `native` where models are known to take it, else `call-through`.
   */
  readonly form?: "native" | "hosted" | "call-through" | "activation"
  /** Finds by meaning, too: one vector a text. Where it fails or takes more than 2 seconds, words alone are searched. */
  readonly embed?: (
    texts: ReadonlyArray<string>,
    about: WithSignal
  ) => ReadonlyArray<ArrayLike<number>> | Promise<ReadonlyArray<ArrayLike<number>>>
}

/** How an agent is made. */
export interface AgentOptions<Output> {
  readonly model: AnyModel
  /** Asked in their order where the model is down, limited or refuses. */
  readonly fallbacks?: ReadonlyArray<AnyModel>
  /** Names the agent in traces. */
  readonly name?: string
  /** What traces say of it as well. */
  readonly about?: { readonly id?: string; readonly description?: string; readonly version?: string }
  /** The system text; as a function, it is asked before each request to the model. */
  readonly instructions?: string | ((context: CallValues, about: WithSignal) => string | Promise<string>)
  /** Changes the step to come: its model, instructions, the tools on offer, options, settings. */
  readonly prepare?: (step: Step) => Changes | undefined | Promise<Changes | undefined>
  /** Shows the model the `pinned` tools and one that finds others, instead of all. */
  readonly search?: SearchOptions
  /** What the model must answer with. It is given a tool for it, and text is not an answer then. */
  readonly output?: StandardSchemaV1<unknown, Output>
  /** Names and describes that tool; `final_answer` unless given. */
  readonly outputTool?: { readonly name?: string; readonly description?: string }
  /** The most requests to the model in a run. 20 unless given. */
  readonly steps?: number
  /** Other limits of a run. */
  readonly stop?: StopOptions
  /** How many mistakes the model may make: with one tool in a row (3 unless given), and in a run (10 unless given). */
  readonly mistakes?: { readonly perTool?: number; readonly total?: number }
  /** What of a long conversation the model is shown. Everything unless given. */
  readonly window?: WindowOptions
  /** Answers a call that waits, at once; `undefined` leaves it waiting, and the run ends as `Paused`. */
  readonly answer?: (
    request: DeferredCall.DeferredCall,
    about: WithSignal
  ) => Reply | undefined | Promise<Reply | undefined>
  /**
   * Signs the requests of a paused run with a secret of at least 16 bytes, and takes answers to those only. The first of
   * several secrets signs, all verify. A request can be answered for `timeToLive`; without end unless given.
   */
  readonly signing?: string | { readonly secrets: string | ReadonlyArray<string>; readonly timeToLive?: Time }
  /** Whether a call begins while the model still streams: `safe` (only read-only tools) where there is a store, else `always`. */
  readonly startEarly?: "always" | "safe" | "never"
  /** Whether the words of an answer that a signal or a page stops are kept, for the page and the model, or not, unless given. */
  readonly whenInterrupted?: "forget" | "keep"
  /** How the tools are offered: choice, parallel calls, strictness, caching. */
  readonly options?: WireFormat.ToolsOptions
  /** Keys of the provider's request body (`temperature`, …), as its API spells them. */
  readonly settings?: Json.JsonObject
  /** How often in a row a response that broke off is asked for again. 2 unless given. */
  readonly retries?: number
  /** How the agent serves chat pages. */
  readonly chat?: ChatOptions
}

/** How an agent serves chat pages. */
export interface ChatOptions {
  /** Gives what pages see in place of a result, arguments, progress, an error, reasoning; `undefined` hides it. */
  readonly show?: Show
  /** Whether a run stops (unless given) when its page has gone, or goes on, and the page reads on when it is back. */
  readonly whenPageLeaves?: "stop" | "goOn"
  /** Whether a message is refused (unless given) while calls wait for answers, or denies them. */
  readonly whenWaiting?: "refuse" | "deny"
  /** The most bytes of a request's body. 5,000,000 unless given. */
  readonly maxBytes?: number
  /** The page's version of the AI SDK: 6 unless given, which 7 reads as well. */
  readonly version?: 5 | 6 | 7
}

/** Who uses a chat page, as your session knows it. Conversations belong to the `user` who began them. */
export type Visitor<Needed> = { readonly user: string | undefined } & ({} extends Needed
  ? { readonly context?: CallValues }
  : { readonly context: Needed & CallValues })

/** What a run is given beside the prompt. `context` is required where tools have hidden parameters. */
export type AskOptions<Needed, Output = unknown> = Abortable & {
  /** The id of the conversation to go on with, or to begin. A new id unless given. */
  readonly conversation?: string
  /** Names the prompt: given again, as after a crash, it is not added again. */
  readonly promptId?: string
  /** Answers to the requests of a paused run. */
  readonly answers?: ReadonlyArray<{
    readonly to: DeferredCall.DeferredCall
    readonly reply: Reply
    /** Who gave it, and by which way: the conversation keeps it. */
    readonly by?: DeferredCall.By
  }>
  /** Asked between the steps for what was said meanwhile. Messages that the conversation has already are left out. */
  readonly inbox?: () => ReadonlyArray<Agents.InboxMessage> | Promise<ReadonlyArray<Agents.InboxMessage>>
  /** Once it aborts, as on SIGTERM, the run ends at the next step as `Stopped` by `handOver`: another process goes on. */
  readonly handOver?: AbortSignal
  /** Gets each event. The run waits for its promise; where it fails, the log has why, and the run goes on. */
  readonly onEvent?: (event: Event<Output>) => unknown
} & ({} extends Needed ? { readonly context?: CallValues } : { readonly context: Needed & CallValues })

type Ended<Result> = Result extends unknown ? Omit<Result, "conversation"> & { readonly conversation: string } : never

/**
 * How a run ended: `Finished` with `output`, `Paused` with the `requests` that wait for a person, or `Stopped` `by` a
 * limit. `conversation` is its id.
 */
export type Result<Output> = Ended<AgentResult.AgentResult<Output>>

/** A value of which only the beginning may have come. */
export type Partial<Value> = Value extends object
  ? Value extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Partial<Item>>
    : { readonly [Key in keyof Value]?: Partial<Value[Key]> }
  : Value

/**
 * What happens in a run: text, calls, turns. `PartialOutput` has the beginning of an `output` that the model still writes,
 * before its schema has read it. The last one is `Done`.
 */
export type Event<Output> =
  | Exclude<AgentEvent.AgentEvent, { readonly _tag: "Done" }>
  | { readonly _tag: "PartialOutput"; readonly output: Partial<Output> }
  | { readonly _tag: "Done"; readonly result: Result<Output> }

type Prompt = string | ReadonlyArray<Content.Part> | undefined
type Given<Needed, Output> =
  {} extends AskOptions<Needed> ? [options?: AskOptions<Needed, Output>] : [options: AskOptions<Needed, Output>]

/** A model that uses tools. */
export interface Agent<Needed, Output> {
  /** Runs until the model has answered. Without a prompt a conversation goes on where it is. */
  readonly ask: (prompt: Prompt, ...options: Given<Needed, Output>) => Promise<Result<Output>>
  /** The same as events. Leaving the loop aborts the run. */
  readonly stream: (prompt: Prompt, ...options: Given<Needed, Output>) => AsyncIterable<Event<Output>>
  /**
   * Says something to the run that goes on in a conversation, by `ask` or `stream` of any agent of these tools: the model
   * reads it in its next turn. Resolves with `false` where none goes on in this process, or it ends before: then `ask`.
   * A run of `chat` is not reached: its page sends a message.
   */
  readonly steer: (conversation: string, content: NonNullable<Prompt>) => Promise<boolean>
  /**
   * Rejects as `ask` would where a conversation does not take these answers, and changes nothing: for a handler that has to
   * say so, by status 409, before a stream begins.
   */
  readonly check: (
    conversation: string,
    answers: NonNullable<AskOptions<Needed>["answers"]>,
    ...options: {} extends Needed
      ? [options?: Abortable & { readonly context?: CallValues }]
      : [options: Abortable & { readonly context: Needed & CallValues }]
  ) => Promise<void>
  /**
   * Answers a chat page, of the AI SDK (`useChat`) or of AG-UI: `export const POST = (request) => agent.chat(request, { user })`.
   * A `user` of `undefined` is not signed in, and gets a 401.
   */
  readonly chat: (request: Request, visitor: Visitor<Needed>) => Promise<Response>
  /**
   * The agent as a tool, by which the model of another agent gives it a task. Its calls that wait go to its own `answer`,
   * or that of the other; without one, the run of the other waits for them.
   */
  readonly toTool: <const Name extends string>(
    name: Name,
    options: { readonly description: string; readonly task?: string }
  ) => Tool<Name, { readonly task: string } & Needed, Output, keyof Needed & string, never>
}

type AnyToolset = Toolset.Toolset<Toolset.DynamicTools>
type Entry = Effect.Effect.Success<AnyToolset["offer"]>["entries"] extends ReadonlyMap<string, infer One> ? One : never

const askNames = ["conversation", "promptId", "answers", "inbox", "handOver", "onEvent", "context", "signal"]

/** What is not a part would stay in the conversation, and each later request be refused for it. */
const checkPrompt = (prompt: unknown): void =>
  checkKind(
    "The prompt",
    prompt,
    'a text or an array of parts, such as { _tag: "Text", text } or `image(…)`',
    typeof prompt === "string" || (Array.isArray(prompt) && prompt.every(isPart))
  )

const checkAsk = (prompt: unknown, given: AskOptions<unknown, never>): void => {
  checkNames("`ask`", given, askNames)
  checkPrompt(prompt)
  const { answers, context, conversation, handOver, inbox, onEvent, promptId } = given
  checkKind("`answers`", answers, "an array of { to, reply }", Array.isArray(answers))
  checkKind("`conversation`", conversation, "an id, a text", typeof conversation === "string" && conversation !== "")
  checkKind("`promptId`", promptId, "a text", typeof promptId === "string")
  checkKind("`inbox`", inbox, "a function that gives messages", typeof inbox === "function")
  checkKind("`onEvent`", onEvent, "a function", typeof onEvent === "function")
  checkContext("`ask`", context)
  checkSignal("`ask`", handOver, "handOver")
}

const checkTool = (name: unknown, about?: { readonly description?: unknown; readonly task?: unknown }): void => {
  checkKind("The name of `toTool`", name ?? null, "a text: toTool(name, { description })", typeof name === "string")
  checkNames("`toTool`", about, ["description", "task"])
  const { description = null, task } = about ?? {}
  checkKind("`task` of `toTool`", task, "a text", typeof task === "string")
  checkKind("`description` of `toTool`", description, "a text", typeof description === "string")
}

const isRequest = (request: unknown): boolean =>
  Json.isObject(request) && Predicate.hasProperty(request["headers"], "get") && typeof request["url"] === "string"

export const makeAgent = <Needed, Output>(
  running: Running,
  toolset: Toolset.Toolset<Toolset.DynamicTools, never, unknown>,
  policy: Policy.Policy,
  options: AgentOptions<Output>
): Agent<Needed, Output> => {
  // Its output is not looked at.
  checkAgent(options as AgentOptions<never>)
  // The loop, models and their client of HTTP: only a program that asks an agent loads them.
  const made = once(
    Effect.flatMap(
      Effect.promise(() => import("./internal/loop.js")),
      ({ agentOf, ...loop }) => Effect.map(agentOf(toolset, policy, options), (agent) => ({ agent, ...loop }))
    )
  )
  const outputTool = options.output === undefined ? undefined : (options.outputTool?.name ?? "final_answer")

  let chat: Promise<ChatAnswer> | undefined

  /** What `Agents.run` and `Agents.stream` are given, and what becomes of their events. It closes with its scope. */
  const open = (prompt: Prompt, given: AskOptions<unknown, Output> = {}) =>
    Effect.gen(function* () {
      checkAsk(prompt, given)
      const { context, conversation: id, inbox: theirs, promptId } = given
      // The run goes on from here: what is said while the loop and the conversation load waits for it.
      const early = id === undefined ? undefined : yield* running.inboxes.open(id)
      const loop = yield* made
      const store = yield* ConversationStore.ConversationStore
      const conversation = id === undefined ? yield* store.create() : yield* store.openOrCreate(id)
      const answers =
        given.answers &&
        Array.from(given.answers, (answer) => ({ response: responseTo(answer), request: answer.to, by: answer.by }))
      const said = early ?? (yield* running.inboxes.open(conversation.id))
      const inbox =
        theirs === undefined
          ? Effect.sync(() => said.messages)
          : Effect.map(
              Effect.promise(async () => theirs()),
              (all) => {
                checkKind("What `inbox` gives", all ?? null, "an array of { id, content }", Array.isArray(all))
                return [...all, ...said.messages]
              }
            )
      const handOver = yield* handOverOf(given.handOver)
      const partial = partialOutputs<Output>(outputTool)
      return {
        loop,
        input: { prompt, promptId, conversation, answers, context, inbox, handOver },
        eventsOf: (event: AgentEvent.AgentEvent): Array<Event<Output>> => {
          if (event._tag === "Done") return [{ _tag: "Done", result: resultOf(event.result) }]
          if (event._tag === "CallProgress") return [{ ...event, value: progressOf(event.value) }]
          if (event._tag === "MessageTaken") said.take(event.entry)
          const output = partial(event)
          return output === undefined ? [event] : [event, output]
        }
      }
    })

  return {
    ask: (prompt, ...[given]) =>
      running.run(
        Effect.flatMap(open(prompt, given), ({ eventsOf, input, loop }) => {
          const hear = given?.onEvent && listen(given.onEvent)
          const onEvent = (event: AgentEvent.AgentEvent) => {
            const events = eventsOf(event)
            return hear && Effect.forEach(events, (one) => hear(one) ?? Effect.void, { discard: true })
          }
          return Effect.map(loop.run(loop.agent, input, { onEvent }), (result) => resultOf<Output>(result))
        }).pipe(Effect.scoped),
        given?.signal
      ),
    stream: (prompt, ...[given]) => {
      const events = Effect.map(open(prompt, given), ({ eventsOf, input, loop }) => {
        const all = Stream.mapConcat(loop.stream(loop.agent, input), eventsOf)
        if (given?.onEvent === undefined) return all
        const hear = listen(given.onEvent)
        return Stream.tap(all, (event) => hear(event) ?? Effect.void)
      })
      return { [Symbol.asyncIterator]: () => iterate(running, Stream.unwrapScoped(events), given) }
    },
    check: (conversation, answers, ...[given]) =>
      running.run(
        Effect.gen(function* () {
          checkKind("`conversation`", conversation ?? null, "an id, a text", typeof conversation === "string")
          checkKind("`answers`", answers ?? null, "an array of { to, reply }", Array.isArray(answers))
          checkNames("`check`", given, ["context", "signal"])
          checkContext("`check`", given?.context)
          const { agent, check } = yield* made
          const store = yield* ConversationStore.ConversationStore
          const there = yield* store.open(conversation)
          const read = Array.from(answers, (answer) => ({ response: responseTo(answer), request: answer.to }))
          yield* check(agent, { conversation: there, answers: read, context: given?.context })
        }),
        given?.signal
      ),
    chat: async (request, visitor) => {
      checkNames("`chat`", visitor, ["user", "context"])
      if (typeof visitor !== "object" || visitor === null || !("user" in visitor)) {
        throw new TypeError(
          "`chat` needs to know who asks: agent.chat(request, { user }), with the user of your session"
        )
      }
      const { context, user } = visitor
      checkContext("`chat`", context)
      // A request of another framework's own is given easily in its place.
      checkKind("What `chat` answers", request ?? null, "a Request, as `fetch` has it", isRequest(request))
      checkKind("`user` of `chat`", user ?? undefined, "a text, such as `String(id)`", typeof user === "string")
      // Only a program with a page loads it.
      chat ??= import("./internal/chat.js").then(({ makeChat }) =>
        // As for `checkAgent`.
        makeChat(running, toolset, policy, options as AgentOptions<never>)
      )
      const answer = await chat
      // Rejects once the tools are closed.
      await running.run(Effect.void, request.signal)
      return answer(request, visitor)
    },
    steer: async (conversation, content) => {
      checkKind("`conversation`", conversation ?? null, "an id, a text", typeof conversation === "string")
      checkPrompt(content ?? null)
      return running.inboxes.say(conversation, content)
    },
    toTool: (name, about) => {
      checkTool(name, about)
      // The agent ends with its own tools, also for others.
      const isOpen = Effect.orDie(running.open)
      const toolset = Effect.gen(function* () {
        yield* isOpen
        // It runs with the services of its own tools, within a call of the other agent's.
        const { context } = yield* running.managed.runtimeEffect
        const { agent, toToolset } = yield* Effect.provide(made, context)
        // The one tool is known by its name to this package's types.
        const asked = (yield* toToolset(agent, { name: String(name), ...about })) as unknown as AnyToolset
        const endWithIt = (entry: Entry): Entry => {
          const { handler } = entry
          if (handler === undefined) return entry
          return {
            ...entry,
            handler: (given) =>
              Effect.catchIf(
                running.within(handler(given)),
                (error): error is Closed => error instanceof Closed,
                Effect.die
              )
          }
        }
        const offer = Effect.map(asked.offer, (now) => ({
          ...now,
          entries: new Map(Array.from(now.entries, ([key, entry]) => [key, endWithIt(entry)]))
        }))
        return { ...asked, offer: Effect.zipRight(isOpen, offer) }
      })
      return { name, dynamic: toolset }
    }
  }
}

/** Reads again once the text is a part longer: the more there is, the rarer, so that all reading is linear in its length. */
const partialOutputs = <Output>(tool: string | undefined) => {
  let current: { readonly index: number; text: string; read: number } | undefined
  return (event: AgentEvent.AgentEvent): Event<Output> | undefined => {
    if (event._tag === "TurnStarted") current = undefined
    if (event._tag === "CallAnnounced" && event.name === tool) current = { index: event.index, text: "", read: 0 }
    if (event._tag !== "ArgumentsDelta" || event.index !== current?.index) return undefined
    current.text += event.text
    if (current.text.length < current.read * 1.02) return undefined
    current.read = current.text.length
    const value = partialJson(current.text)
    if (typeof value !== "object" || value === null || !("answer" in value) || value.answer === nothing)
      return undefined
    // What the model sends is what the schema reads, as far as it has come.
    return { _tag: "PartialOutput", output: value.answer as Partial<Output> }
  }
}

async function* iterate<Output>(
  running: Running,
  events: Stream.Stream<Event<Output>, unknown, Services>,
  given: AskOptions<unknown, Output> = {}
): AsyncGenerator<Event<Output>, void> {
  checkNames("`stream`", given, askNames)
  const { signal } = given
  checkSignal("`stream`", signal)
  signal?.throwIfAborted()
  const host = running.host(signal)
  const span = activeSpan()
  const traced = span === undefined ? events : Stream.provideService(events, Tracer.ParentSpan, span)
  const scope = await running.run(Scope.make())
  let ending: Promise<unknown> | undefined
  const end = () => (ending ??= host.run(Effect.uninterruptible(Scope.close(scope, Exit.void))).catch(() => undefined))
  // The run ends also while the loop's body waits.
  const forget = host.onInterrupt(() => void end())
  try {
    const pull = await running.run(Scope.extend(Stream.toPull(traced), scope), signal)
    const next = Effect.catchAll(
      pull,
      Option.match({ onNone: () => Effect.succeed(undefined), onSome: (error) => Effect.fail(error) })
    )
    for (let chunk = await running.run(next, signal); chunk !== undefined; chunk = await running.run(next, signal)) {
      for (const event of chunk) {
        yield event
        signal?.throwIfAborted()
      }
    }
  } finally {
    forget()
    await end()
  }
}

/** The progress of a call. That of a sub-agent is its events, here as this package has them. */
const progressOf = (value: unknown): unknown => {
  if (!Predicate.hasProperty(value, "_tag")) return value
  if (value._tag === "CallProgress" && "value" in value) return { ...value, value: progressOf(value.value) }
  if (value._tag !== "Done" || !Predicate.hasProperty(value, "result") || !isEnd(value.result)) return value
  return { ...value, result: resultOf(value.result) }
}

/** Only the end of a run has a conversation that can be read. */
const isEnd = (value: unknown): value is AgentResult.AgentResult<unknown, unknown> =>
  Predicate.hasProperty(value, "conversation") &&
  Predicate.hasProperty(value.conversation, "entries") &&
  Effect.isEffect(value.conversation.entries)

const resultOf = <Output>(result: AgentResult.AgentResult<unknown, unknown>): Result<Output> =>
  // The same result, but for the conversation, which is its id here.
  ({ ...result, conversation: result.conversation.id }) as unknown as Result<Output>
