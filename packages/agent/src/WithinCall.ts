/**
 * Calls that wait within a call: for a handler that runs calls of its own, as a sub-agent and a program do. Its call
 * waits for what they wait for; the run around it gives their requests out, and goes on with the handler once some of
 * them are answered.
 */
import type { CurrentCall, Outcome, Response, ToolRunner } from "@wield/core"
import * as CurrentCalls from "@wield/core/CurrentCall"
import type { NeedsInput } from "@wield/core/NeedsInput"
import * as Responses from "@wield/core/Response"
import * as Effect from "effect/Effect"
import type { AlreadyAnswered, InvalidAnswer } from "./AnswerError.js"
import type { AgentEvent } from "./AgentEvent.js"
import type { Answer, DeferredCall } from "./DeferredCall.js"
import { Outer } from "./loop/plan.js"
import type { Taken } from "./loop/settle.js"
import { askWithin, eventsWithin, goingOn, repliesTo, tellWithin, waitsWithin } from "./loop/within.js"

/**
 * What a handler goes on with: answers to some of what it asked, and what was taken before, which it hands on when it
 * asks again.
 *
 * @category models
 */
export interface Answers {
  readonly answers: ReadonlyArray<Answer>
  readonly taken: ReadonlyArray<Taken>
}

/**
 * Ends the handler's pass: its call waits for answers to these requests. `name` is that of its tool.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent, DeferredCall, WithinCall } from "@wield/agent"
 * import { Approval, CurrentCall, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const bank = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.succeed("paid") }])
 *   const payments = (yield* ToolRunner.make(bank, { approval: () => Approval.ask("it costs") })).forRun({ id: "wages" })
 *   const execute = () =>
 *     Effect.gen(function* () {
 *       const { input } = yield* CurrentCall.CurrentCall
 *       const [answer] = input === undefined ? [] : (yield* WithinCall.answersIn(input)).answers
 *       const asked = yield* payments.run(ToolCall.make("1", "pay", {}))
 *       if (!Outcome.isDeferred(asked)) return Outcome.text(asked)
 *       if (answer === undefined) return yield* WithinCall.ask("clerk", [DeferredCall.fromOutcome(asked)])
 *       return Outcome.text(yield* Effect.orDie(payments.resume(asked, answer.response)))
 *     })
 *   const toolset = yield* Toolset.dynamic([{ name: "clerk", execute }])
 *   const model = yield* ScriptedModel.make([ScriptedModel.call("clerk"), ScriptedModel.text("Done.")])
 *   const agent = yield* Agent.make({ model, toolset })
 *   const paused = yield* Agent.run(agent, "Pay")
 *   const requests = paused._tag === "Paused" ? paused.requests : []
 *   assert.deepStrictEqual(requests.map(({ name, within }) => [within?.[0]?.name, name]), [["clerk", "pay"]])
 *   const answers = requests.map((request) => DeferredCall.approve(request))
 *   return (yield* Agent.run(agent, { conversation: paused.conversation, answers })).text
 * })
 * Effect.runPromise(program).then((text) => assert.strictEqual(text, "Done."))
 * ```
 *
 * @category asking
 */
export const ask = (
  name: string,
  requests: ReadonlyArray<DeferredCall>,
  taken: ReadonlyArray<Taken> = []
): Effect.Effect<never, NeedsInput> => askWithin(name, [], requests, taken)

/**
 * Hands on the events of calls that a handler runs, as the progress of its own: pages and the studio show them within it.
 *
 * @category asking
 */
export const watcher = (call: CurrentCall.Call): ToolRunner.Watcher =>
  call.progress === CurrentCalls.unheard
    ? { started: () => undefined, progress: () => CurrentCalls.unheard, finished: () => undefined }
    : {
        started: (inner) => tellWithin(call, { _tag: "CallStarted", call: inner }),
        progress: (inner) => (value) => tellWithin(call, { _tag: "CallProgress", call: inner, value }),
        finished: (inner, outcome) => tellWithin(call, { _tag: "CallFinished", call: inner, outcome })
      }

/**
 * The event that a call's progress is, where it happened within the call and in this process.
 *
 * @category asking
 */
export const eventIn = (progress: unknown): AgentEvent | undefined => eventsWithin.get(Object(progress))

/**
 * The answers in what a handler goes on with (`CurrentCall.input`).
 *
 * @category asking
 */
export const answersIn = (
  input: Outcome.Input & { readonly reply: Responses.Reply["value"] }
): Effect.Effect<Answers> => Effect.map(goingOn(input), ({ answers, taken }) => ({ answers, taken }))

/**
 * What asks a person at once, where the run around the handler has it; otherwise the handler asks by `ask`.
 *
 * @category asking
 */
export const answerAtOnce: Effect.Effect<
  ((request: DeferredCall) => Effect.Effect<Response.Response | undefined, unknown>) | undefined
> = Effect.map(Outer, ({ answer }) => answer)

/**
 * What a call waits for, where it waits for calls within it; `undefined` where it waits for something else. An agent
 * gives these out by itself: this is for programs that run calls without one.
 *
 * @category answering
 */
export const requestsIn = (deferred: Outcome.Deferred): ReadonlyArray<DeferredCall> | undefined =>
  waitsWithin(deferred)?.requests

/**
 * The response by which such a call goes on (`Run.resume`); `undefined` where all of these answers were taken before.
 *
 * @category answering
 */
export const replyTo = (
  deferred: Outcome.Deferred,
  answers: ReadonlyArray<Answer>
): Effect.Effect<Responses.Reply | undefined, AlreadyAnswered | InvalidAnswer> =>
  Effect.map(repliesTo(deferred, answers), (replies) =>
    replies === undefined ? undefined : Responses.reply(replies.reply)
  )
