/** The agent runs in a fiber of its own, so that cancelling it leaves the message to be answered. */
import * as Agent from "@wield/agent/Agent"
import * as AgentEvent from "@wield/agent/AgentEvent"
import type { Conversation, DeferredCall } from "@wield/agent"
import * as ConversationError from "@wield/agent/ConversationError"
import * as ModelError from "@wield/agent/ModelError"
import type { Content } from "@wield/core"
import * as Journal from "@wield/core/Journal"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Tracer from "effect/Tracer"
import type { Active, Home } from "./home.js"
import type { Hub } from "./hub.js"

/** What a message asks the agent for. */
export interface Input {
  readonly prompt?: ReadonlyArray<Content.Part>
  readonly promptId?: string
  readonly answers?: ReadonlyArray<DeferredCall.Answer>
  readonly context: unknown
}

export const runAgent = (
  home: Home,
  run: Active,
  opened: Conversation.Conversation<unknown>,
  input: Input,
  hub: Hub,
  isAgain: boolean,
  tellRecorded: (before?: string) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const inbox = Effect.sync(() => run.inbox.map(({ content, id }) => ({ content, id })))
    const conversation = { ...opened, isOfOneProcess: true } as const
    const given = { ...input, conversation, handOver: home.handOver, inbox }
    // Another process may record a turn while this one takes or looks for it, and tells nothing of it.
    let isUntold = isAgain
    const publish = (event: AgentEvent.AgentEvent): void => {
      if (event._tag === "TurnStarted" || event._tag === "Done") isUntold = true
      if (event._tag === "TurnFinished" || event._tag === "TurnBroken") isUntold = false
      if (event._tag === "MessageTaken") {
        const steering = run.inbox.find(({ id }) => id === event.entry)
        if (steering !== undefined) Deferred.unsafeDone(steering.taken, Effect.void)
      }
      if (event._tag !== "Done") hub.publish(AgentEvent.toHappening(event))
    }
    const onEvent = (erased: AgentEvent.AgentEvent<{}, unknown, unknown>): Effect.Effect<void> | undefined => {
      // Inside, types are erased.
      const event = erased as AgentEvent.AgentEvent
      if (isUntold && (event._tag === "TurnStarted" || event._tag === "Done")) {
        // The turn that begins may be over already.
        const before = event._tag === "TurnStarted" ? event.entry : undefined
        return Effect.map(tellRecorded(before), () => publish(event))
      }
      publish(event)
      return undefined
    }
    const ask = (given: object) =>
      // The context was decoded by its schema.
      Agent.run(home.served.agent, given as unknown as Agent.Input<{}, unknown>, { onEvent })
    const askAgain = () => ask({ ...given, answers: undefined })
    const once = ask(given).pipe(
      // The tool or the secret is another one than the answer was given for, or it came too late: it is asked about as it is now.
      Effect.catchTags({
        StaleResponse: askAgain,
        NotWaiting: askAgain,
        ExpiredRequest: askAgain,
        TamperedRequest: askAgain
      })
    )
    let isFirst = true
    const attempt = Effect.suspend(() => {
      // A turn is recorded without a word where the database dies between the two.
      const before = isFirst ? Effect.void : tellRecorded()
      isFirst = false
      return Effect.zipRight(before, once)
    })
    const span = yield* Effect.serviceOption(Tracer.ParentSpan)
    const begun = attempt.pipe(
      // Calls are recorded beside the runner that began them.
      Effect.provideService(Journal.BegunBy, home.owner),
      Effect.retry({ while: ModelError.isPassing, schedule: Schedule.exponential("500 millis"), times: 2 }),
      Effect.retry({ while: isOfTheStore, schedule: Schedule.spaced("1 second") }),
      annotateSpans(home, run.id)
    )
    const traced = Option.isSome(span) ? Effect.withParentSpan(begun, span.value) : begun
    // In one step: what is cancelled before begins nothing.
    const fiber = yield* Effect.sync(() => {
      const forked = run.isCancelled ? undefined : home.served.fork(traced)
      run.fiber = forked
      return forked
    })
    if (fiber === undefined) return Exit.interrupt(FiberId.none)
    return yield* Fiber.await(fiber).pipe(
      // Nothing else interrupts a handler than the process that closes or has lost the conversation.
      Effect.onInterrupt(() => Effect.zipRight(Deferred.succeed(home.handOver, undefined), Fiber.interrupt(fiber)))
    )
  })

export const annotateSpans = ({ conversation, owner }: Home, run: string) =>
  Effect.annotateSpans({ conversation, run, runner: owner })

const isOfTheStore = (error: unknown): boolean =>
  error instanceof ConversationError.StoreError || error instanceof ConversationError.AppendConflict
