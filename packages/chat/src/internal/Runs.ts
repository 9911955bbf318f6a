/** The runs of conversations: each has one at most, whose events all pages read that ask for it. */
import * as AgentEvent from "@wield/agent/AgentEvent"
import * as Conversation from "@wield/agent/Conversation"
import * as DeferredCall from "@wield/agent/DeferredCall"
import * as Digest from "@wield/core/Digest"
import * as Turn from "@wield/core/Turn"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type * as Scope from "effect/Scope"
import type { Action, Event, PageTool, Past, Reading } from "../Chat.js"
import { Refused } from "../ChatError.js"
import { Log } from "./Log.js"
import type { Conversations, State } from "./Conversations.js"
import { messageOf, planOf, waitingOf } from "./plan.js"
import { internal, refuse, refuseStore, whyOf } from "./refuse.js"
import type { Elsewhere, Given, Runner } from "./runner.js"

/** Who asks, as `Options` and the client of a cluster type it. */
export interface Asking {
  readonly user: string
  readonly context?: unknown
}

/** What the runs of a chat have. */
export interface Surroundings {
  readonly conversations: Conversations
  readonly runnerOf: (tools: ReadonlyArray<PageTool>) => Effect.Effect<Runner, Refused>
  readonly elsewhere: Elsewhere | undefined
  readonly whenPageLeaves: "stop" | "goOn"
  readonly whenWaiting: "refuse" | "deny"
  readonly scope: Scope.Scope
}

/** A run as the chat has it. */
class Live {
  /** How many entries stood before it. */
  from = 0
  message: string | undefined = undefined
  past: Past = { entries: [], requests: [] }
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined = undefined
  readers = 0
  isStopping = false
  /** Pages that were given the past without this run, and have not read it yet. */
  missed = 0
  /** Pages that were given all of it since it is over, and will ask whether one goes on. */
  upToDate = 0
  readonly log = new Log<Event>()
  /** It is known what comes before the run, or that it does not begin. */
  readonly ready = Deferred.unsafeMake<void>(FiberId.none)
  /** Succeeds with the first event. */
  readonly begun = Deferred.unsafeMake<void, Refused>(FiberId.none)

  constructor(
    readonly conversation: string,
    /** Says which request began it. */
    readonly key: string
  ) {}
}

/** How long the events of a run that is over are kept for a page that saw it going on. */
const grace = "30 seconds"

const goesOn = () => refuse("RunGoesOn", "An answer is still being written here: wait for its end, or stop it")

export class Runs {
  readonly #of: Surroundings
  readonly #lives = new Map<string, Live>()

  constructor(surroundings: Surroundings) {
    this.#of = surroundings
  }

  begin(
    caller: Asking,
    conversation: string,
    action: Action,
    tools: ReadonlyArray<PageTool>
  ): Effect.Effect<Reading, Refused> {
    const of = this.#of
    const lives = this.#lives
    return Effect.gen(this, function* () {
      const runner = yield* of.runnerOf(tools)
      // Before it is held: who may not have it keeps its user from it no more.
      yield* of.conversations.claim(conversation, caller.user, textsOf(action))
      const key = Digest.ofValues(caller.user, action, tools)
      while (true) {
        const live = lives.get(conversation)
        if (live === undefined || live.log.isOver) break
        if (live.isStopping) yield* Effect.promise(() => live.log.over)
        else if (live.key === key) {
          yield* Deferred.await(live.begun)
          return this.#read(live)
        } else {
          yield* Effect.ignore(Deferred.await(live.begun))
          if (!live.log.isOver && !live.isStopping) return yield* goesOn()
        }
      }
      // No effect since the look: another request would begin one meanwhile.
      const live = new Live(conversation, key)
      lives.set(conversation, live)
      // Counted before the run begins: a page that leaves at once stops it too.
      const reading = this.#read(live)
      yield* this.#start(live, caller, action, runner).pipe(
        Effect.onError((cause) =>
          Effect.suspend(() => {
            live.log.end()
            this.#forget(live)
            return Deferred.failCause(live.begun, cause)
          })
        ),
        Effect.ensuring(Deferred.succeed(live.ready, undefined))
      )
      yield* Effect.onInterrupt(Deferred.await(live.begun), () => Effect.sync(reading.leave))
      return reading
    }).pipe(Effect.catchAllDefect((defect) => internal("a request could not be handled", Cause.die(defect))))
  }

  join(caller: Asking, conversation: string): Effect.Effect<Reading | undefined, Refused> {
    return Effect.map(this.#liveOf(caller, conversation), ({ live }) => {
      if (live === undefined || (live.log.isOver && live.missed === 0)) return undefined
      if (live.log.isOver && live.upToDate > 0) {
        live.upToDate--
        return undefined
      }
      live.missed = Math.max(0, live.missed - 1)
      return this.#read(live)
    })
  }

  stop(caller: Asking, conversation: string): Effect.Effect<void, Refused> {
    return Effect.flatMap(this.#liveOf(caller, conversation), ({ live }) =>
      live === undefined || live.log.isOver
        ? Effect.void
        : Effect.zipRight(
            this.#stop(live),
            Effect.promise(() => live.log.over)
          )
    )
  }

  past(caller: Asking, conversation: string): Effect.Effect<Past, Refused> {
    const { conversations } = this.#of
    return Effect.gen(this, function* () {
      const { live, requests } = yield* this.#liveOf(caller, conversation)
      const entries = yield* refuseStore(conversations.entries(conversation))
      if (live !== undefined && live.log.isOver) live.upToDate++
      if (live === undefined || live.log.isOver) return { entries, requests: waitingOf(entries, requests) }
      live.missed++
      const before = entries.slice(0, live.from)
      const prompt = entries[live.from]
      const seen = prompt?.message._tag === "User" ? [...before, prompt] : before
      return { entries: seen, requests: waitingOf(seen, requests) }
    })
  }

  #start(live: Live, caller: Asking, action: Action, runner: Runner): Effect.Effect<void, Refused> {
    const { elsewhere, conversations, whenWaiting } = this.#of
    const { conversation } = live
    return Effect.gen(this, function* () {
      const state = yield* conversations.open(conversation, caller.user)
      const other = yield* this.#runningIn(state)
      if (other !== undefined && action._tag !== "Answers" && !(action._tag === "Prompt" && action.id === other.id)) {
        return yield* goesOn()
      }
      if (action._tag !== "Answers" && (yield* runner.isRunElsewhere(state.opened))) {
        return yield* refuse("RunGoesOn", "An answer is still being written by another process: wait for its end")
      }
      const plan = yield* planOf(state, action, whenWaiting)
      if (plan.after !== undefined && elsewhere !== undefined) {
        return yield* refuse("InvalidRequest", "A message is answered once here: send another one")
      }
      if (plan.after !== undefined) yield* conversations.truncate(conversation, plan.after.id)
      live.from = plan.entries.length
      live.message = messageOf(plan)
      const asked =
        action._tag === "Prompt" && plan.entries.every(({ id }) => id !== action.id)
          ? [
              yield* Conversation.entry(
                Conversation.user(plan.input.prompt ?? []),
                action.id === undefined ? {} : { id: action.id }
              )
            ]
          : []
      live.past = { entries: [...plan.entries, ...asked], requests: waitingOf(plan.entries, state.requests) }
      // A run that goes on elsewhere tells its events itself; one that is over there has none left.
      const isSentAgain = elsewhere !== undefined && action._tag === "Prompt" && plan.isRepeated
      yield* this.#launch(live, {
        state,
        context: caller.context,
        cut: plan.after === undefined ? [] : state.entries.slice(live.from),
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
  }

  /** Begins what `run` is, and tells the page of it. */
  #launch(
    live: Live,
    {
      askAgain,
      context,
      cut,
      missed,
      run,
      state
    }: {
      readonly state: State
      readonly context: unknown
      /** What was taken away for it. */
      readonly cut: State["entries"]
      readonly missed: ReadonlyArray<AgentEvent.AgentEvent>
      readonly run: Runner["run"]
      readonly askAgain: Runner["run"] | undefined
    }
  ): Effect.Effect<void> {
    const { conversations, scope } = this.#of
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
        return conversations.remember(live.conversation, requests)
      }
    }
    const toldBy = (event: AgentEvent.AgentEvent) => tell(AgentEvent.toJson(event))
    const fail = (cause: Cause.Cause<unknown>) =>
      Effect.flatMap(whyOf(cause, live.isStopping), (why) =>
        why instanceof Refused
          ? Effect.flatMap(Deferred.fail(live.begun, why), (isFirst) =>
              isFirst ? Effect.void : tell({ _tag: "Failed", code: why.code, message: why.detail })
            )
          : tell(why)
      )
    /** A call that was stopped has its end in the conversation, and no event says so. */
    const tellEnds = Effect.flatMap(conversations.entries(live.conversation), (entries) =>
      Effect.forEach(
        AgentEvent.fromEntries(entries, live.from),
        (event) => (event._tag === "CallFinished" && !over.has(event.call.id) ? toldBy(event) : Effect.void),
        { discard: true }
      )
    ).pipe(Effect.catchAll((error) => Effect.logWarning("How stopped calls ended could not be read", error)))
    /** A run that came to nothing has not replaced what was there. */
    const restore = Effect.flatMap(conversations.entries(live.conversation), (entries) =>
      cut.length === 0 || entries.length > live.from ? Effect.void : state.opened.append(cut, entries.at(-1)?.id)
    ).pipe(Effect.catchAll((error) => Effect.logWarning("What an answer was to replace could not be put back", error)))
    const whole = Effect.interruptible(run(given)).pipe(
      Effect.tapErrorCause(() => restore),
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
      Effect.ensuring(this.#end(live))
    )
    return Effect.gen(this, function* () {
      yield* Effect.forEach(missed, toldBy, { discard: true })
      // However early it is stopped, it says that it has ended.
      live.fiber = yield* Effect.uninterruptible(Effect.forkIn(whole, scope))
      if (live.isStopping) yield* this.#stop(live)
    })
  }

  #end(live: Live): Effect.Effect<void> {
    return Effect.suspend(() => {
      live.log.end()
      const forget = Effect.sync(() => this.#forget(live))
      // A page that saw it going on has a while to come for its events.
      return live.missed === 0
        ? forget
        : Effect.asVoid(Effect.forkIn(Effect.interruptible(Effect.delay(forget, grace)), this.#of.scope))
    })
  }

  #forget(live: Live): void {
    if (this.#lives.get(live.conversation) === live) this.#lives.delete(live.conversation)
  }

  #stop(live: Live): Effect.Effect<void> {
    const { elsewhere } = this.#of
    return Effect.suspend(() => {
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
  }

  #read(live: Live): Reading {
    const isStopped = this.#of.whenPageLeaves === "stop"
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
        if (live.readers === 0 && isStopped && !live.log.isOver) Effect.runFork(this.#stop(live))
      }
    }
  }

  /** The run of a conversation that is the caller's, of whatever process, and what it was asked. */
  #liveOf(caller: Asking, conversation: string) {
    const { conversations } = this.#of
    return Effect.gen(this, function* () {
      yield* conversations.requests(conversation, caller.user)
      yield* this.#joinOther(conversation, caller)
      const requests = yield* conversations.requests(conversation, caller.user)
      const live = this.#lives.get(conversation)
      if (live !== undefined) yield* Deferred.await(live.ready)
      return { live: this.#lives.get(conversation) === live ? live : undefined, requests }
    })
  }

  /** Reads the run that another process has begun, if there is one. */
  #joinOther(conversation: string, { context, user }: Asking): Effect.Effect<void, Refused> {
    const { elsewhere, conversations } = this.#of
    if (elsewhere === undefined) return Effect.void
    return Effect.gen(this, function* () {
      const state = yield* conversations.open(conversation, user)
      const other = yield* this.#runningIn(state)
      const known = this.#lives.get(conversation)
      if (other === undefined || (known !== undefined && !known.log.isOver)) return
      const live = new Live(conversation, other.id)
      this.#lives.set(conversation, live)
      yield* this.#launch(live, { state, context, missed: [], cut: [], run: other.run, askAgain: undefined })
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
  }

  #runningIn({ opened }: State) {
    const { elsewhere } = this.#of
    return elsewhere === undefined ? Effect.succeed(undefined) : refuseStore(elsewhere.running(opened))
  }
}

const textsOf = (action: Action) =>
  action._tag === "Prompt"
    ? [...(action.earlier ?? []).flatMap(({ content }) => content), ...action.content]
    : undefined

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

const nothingLeft = (conversation: string): Event => ({
  _tag: "Done",
  result: { _tag: "Finished", conversation, text: "", steps: 0, usage: {}, output: null }
})

/** Texts come by the thousand; their length says enough. */
const sizeOf = (event: Event): number => ("text" in event ? event.text.length + 100 : JSON.stringify(event).length)
