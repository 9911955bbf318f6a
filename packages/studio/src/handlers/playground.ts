/** Chats with the agent's model or with a script. One session a conversation; its runs live as long as the studio. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type { Conversation, ConversationStore, DeferredCall } from "@wield/agent"
import * as Agent from "@wield/agent/Agent"
import * as WaitingCalls from "@wield/agent/WaitingCalls"
import type { CallContext, Policy, Toolset } from "@wield/core"
import * as ScriptedModel from "@wield/testing/ScriptedModel"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Api, Conflict, type Failed, type NotFound, type Prompt, type ScriptedPart, type Session } from "../Api.js"
import { recordEvents, type Service as Recorder } from "../Recorder.js"
import { failureOf, notFound, type Parts } from "./parts.js"

export const playgroundHandlers = ({ playground }: Parts) =>
  HttpApiBuilder.group(Api, "playground", (handlers) =>
    handlers
      .handle("list", () => Effect.map(playground.sessions, (sessions) => ({ sessions })))
      .handle("start", ({ payload: { conversation, model } }) => playground.start(model, conversation))
      .handle("prompt", ({ path: { id }, payload }) => playground.prompt(id, payload))
      .handle("stop", ({ path: { id } }) => playground.stop(id))
  )

type AnyAgent = Agent.Agent<Toolset.DynamicTools, unknown, never, unknown>

export interface Playground {
  readonly sessions: Effect.Effect<ReadonlyArray<Session>>
  readonly start: (
    model: Session["model"],
    conversation: string | undefined
  ) => Effect.Effect<Session, NotFound | Failed>
  readonly prompt: (id: string, prompt: Prompt) => Effect.Effect<Session, NotFound | Conflict | Failed>
  readonly stop: (id: string) => Effect.Effect<Session, NotFound>
  /** Goes on with a conversation that waits, in its session, or with the agent; gives the run. Fails as the answer is refused. */
  readonly answer: (conversation: string, answers: ReadonlyArray<DeferredCall.Answer>) => Effect.Effect<string, unknown>
}

interface Open {
  session: Session
  script: ScriptedModel.ScriptedModel | undefined
  /** The first prompt, until the conversation has it. */
  said: string | undefined
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
  /** Held from the look at what goes on to the beginning of more: of two tabs, the second sees what the first began. */
  readonly beginning: Effect.Semaphore
}

export const makePlayground = (given: {
  readonly agent: AnyAgent | undefined
  readonly toolset: Toolset.Toolset<Toolset.DynamicTools, never, unknown>
  readonly policy: Policy.Policy
  readonly context: CallContext.Values
  readonly store: ConversationStore.Service
  readonly recorder: Recorder
  readonly changed: Effect.Effect<unknown>
  readonly titleOf: Parts["titleOf"]
}): Effect.Effect<Playground, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { changed, context, policy, recorder, store, titleOf, toolset } = given
    const scope = yield* Effect.scope
    const open = new Map<string, Open>()

    const find = (id: string) =>
      Effect.suspend(() => {
        const found = open.get(id)
        return found === undefined ? notFound("session", id) : Effect.succeed(found)
      })

    const look = (one: Open) =>
      Effect.gen(function* () {
        const waiting = yield* Effect.flatMap(store.summary(one.session.conversation), WaitingCalls.of).pipe(
          Effect.orElseSucceed(() => [])
        )
        const { changedAt, title } = yield* Effect.orElseSucceed(store.summary(one.session.conversation), () => ({
          changedAt: one.session.changedAt,
          title: undefined
        }))
        const named = title ?? (yield* titleOf(one.session.conversation)) ?? one.said
        const status = one.fiber !== undefined ? "running" : waiting.length > 0 ? "waiting" : "idle"
        const left = one.script === undefined ? 0 : (yield* one.script.left).length
        return { ...one.session, ...(named === undefined ? {} : { title: named }), changedAt, status, left } as const
      })

    /** What it gives completes at the first event of the run: what is wrong with answers shows before that. */
    const begin = (one: Open, agent: AnyAgent, input: Agent.Input<Toolset.DynamicTools, unknown>) =>
      Effect.gen(function* () {
        const { conversation } = one.session
        const recording = yield* recorder.begin({
          name: agent.name,
          kind: "playground",
          conversation,
          prompt: typeof input.prompt === "string" ? input.prompt : undefined
        })
        const begun = yield* Deferred.make<void, unknown>()
        one.session = { ...one.session, run: recording.id }
        const run = Agent.stream(agent, { ...input, context: { ...context, conversation } }).pipe(
          recordEvents(recorder, recording),
          Stream.runForEach((event) =>
            Effect.zipRight(
              Deferred.succeed(begun, undefined),
              event._tag === "Done"
                ? WaitingCalls.remember(
                    store,
                    conversation,
                    event.result._tag === "Paused" ? event.result.requests : []
                  )
                : Effect.void
            )
          ),
          Effect.onExit((exit) =>
            Effect.sync(() => {
              one.fiber = undefined
              // An exit of another success: where it has begun, it is done already.
            }).pipe(Effect.zipRight(Deferred.done(begun, Effect.exit(exit) as never)), Effect.zipRight(changed))
          )
        )
        one.fiber = yield* Effect.forkIn(Effect.interruptible(run), scope)
        yield* changed
        return Effect.as(Deferred.await(begun), recording.id)
      })

    const agentOf = (one: Open): Effect.Effect<AnyAgent, Failed> =>
      one.session.model === "agent" && given.agent !== undefined
        ? Effect.succeed(given.agent)
        : Effect.gen(function* () {
            one.script ??= yield* ScriptedModel.make([])
            return yield* Agent.make({ name: "script", model: one.script, toolset, policy })
          }).pipe(Effect.mapError(failureOf))

    const openSession = (model: Session["model"], { id }: Conversation.Conversation<unknown>): Open => {
      const session = { id, conversation: id, model, status: "idle", left: 0, changedAt: 0 } as const
      const one: Open = {
        session,
        script: undefined,
        said: undefined,
        fiber: undefined,
        beginning: Effect.unsafeMakeSemaphore(1)
      }
      open.set(id, one)
      return one
    }

    return {
      sessions: Effect.suspend(() => Effect.forEach([...open.values()], look)),
      start: (model, id) =>
        Effect.gen(function* () {
          if (model === "agent" && given.agent === undefined) {
            return yield* failureOf("This studio was made without an agent: use a scripted model")
          }
          const before = id === undefined ? undefined : open.get(id)
          if (before?.fiber !== undefined || before?.session.model === model) return yield* look(before)
          const conversation = yield* id === undefined
            ? Effect.mapError(store.create(), failureOf)
            : Effect.mapError(store.open(id), (error) =>
                error._tag === "ConversationNotFound" ? notFound("conversation", id) : failureOf(error)
              )
          const one = openSession(model, conversation)
          yield* changed
          return yield* look(one)
        }),
      prompt: (id, { prompt, script = [] }) =>
        Effect.gen(function* () {
          const one = yield* find(id)
          const begun = Effect.gen(function* () {
            const { status } = yield* look(one)
            if (status === "running")
              return yield* new Conflict({ message: "The model is still answering: stop it, or wait" })
            if (status === "waiting")
              return yield* new Conflict({ message: "Calls wait for an answer: answer them first" })
            if (script.length > 0) {
              const left = one.script === undefined ? [] : yield* one.script.left
              one.script = yield* ScriptedModel.make([...left, ...script.map(turnOf)])
            }
            one.said ??= prompt
            const conversation = yield* Effect.mapError(store.open(one.session.conversation), failureOf)
            return yield* begin(one, yield* agentOf(one), { prompt, conversation })
          })
          yield* Effect.mapError(yield* one.beginning.withPermits(1)(begun), failureOf)
          return yield* look(one)
        }),
      stop: (id) =>
        Effect.gen(function* () {
          const one = yield* find(id)
          if (one.fiber !== undefined) yield* Fiber.interrupt(one.fiber)
          return yield* look(one)
        }),
      answer: (id, answers) =>
        Effect.gen(function* () {
          const conversation = yield* store.open(id)
          const one = open.get(id) ?? openSession("agent", conversation)
          const begun = Effect.gen(function* () {
            if (one.fiber !== undefined) return yield* new Conflict({ message: "The conversation goes on already" })
            if (one.session.model === "agent" && given.agent === undefined) {
              return yield* failureOf("This studio was made without an agent, which would have to go on")
            }
            const agent = yield* agentOf(one)
            // What is refused is asked again: no run of it has failed.
            yield* Agent.check(agent, { conversation, answers, context: { ...context, conversation: id } })
            return yield* begin(one, agent, { conversation, answers })
          })
          return yield* yield* one.beginning.withPermits(1)(begun)
        })
    }
  })

const turnOf = (parts: ReadonlyArray<ScriptedPart>): ScriptedModel.ScriptedTurn =>
  ScriptedModel.turn(
    ...parts.map((part) =>
      part._tag === "Call"
        ? ScriptedModel.call(part.name, part.arguments, { id: `call_${crypto.randomUUID()}` })
        : { _tag: part._tag, text: part.text }
    )
  )
