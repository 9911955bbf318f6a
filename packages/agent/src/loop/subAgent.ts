/** A run within the call of a tool, by which another agent's model gives this one a task. */
import type { CallContext } from "@wield/core"
import * as CurrentCall from "@wield/core/CurrentCall"
import { NeedsInput } from "@wield/core/NeedsInput"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Conversation from "../Conversation.js"
import { checkAnswers } from "./answers.js"
import { loop } from "./loop.js"
import { type Emit, Outer, type Plan } from "./plan.js"
import { askWithin, goingOn, tellWithin } from "./within.js"

/**
 * Why a sub-agent gave no answer, as the model that called it reads it. What kind
 * of error it was is in the log.
 *
 * @category errors
 */
export class SubAgentFailed extends Schema.TaggedError<SubAgentFailed>("@wield/agent/SubAgentFailed")(
  "SubAgentFailed",
  {
    /** The name of the tool. */
    agent: Schema.String,
    reason: Schema.String
  }
) {
  override get message(): string {
    return `The agent ${this.agent} gave no answer: ${this.reason}`
  }
}

/**
 * Runs a sub-agent within the call of its tool; its events are the call's
 * progress. Where it has to ask a person, the call waits, and goes on with the answers.
 */
export const runWithin = (
  plan: Plan,
  tool: string,
  prompt: string,
  context: CallContext.Values
): Effect.Effect<unknown, SubAgentFailed | NeedsInput> =>
  Effect.gen(function* () {
    const call = yield* CurrentCall.CurrentCall
    const before = call.input === undefined ? undefined : yield* goingOn(call.input)
    // Each call has a conversation of its own, by a name that tells which call it was.
    const conversation = yield* Conversation.make({ id: call.idempotencyKey, entries: before?.entries })
    const emit: Emit = (event) => tellWithin(call, event)
    // It takes all of the answers, or none, and asks again.
    const refusal =
      before === undefined
        ? Option.none()
        : yield* Effect.option(
            Effect.flip(
              Effect.flatMap(conversation.entries, (entries) =>
                checkAnswers(
                  { conversation, entries, plan, run: plan.forRun({ id: conversation.id, context }) },
                  before.answers
                )
              )
            )
          )
    if (Option.isSome(refusal)) yield* Effect.logWarning(`The sub-agent ${tool} asks again: ${tagOf(refusal.value)}`)
    const answers = Option.isSome(refusal) ? undefined : before?.answers
    const taken = Option.isSome(refusal) ? (before?.takenBefore ?? []) : (before?.taken ?? [])
    const input = before === undefined ? { prompt } : { answers }
    const result = yield* loop(plan, { ...input, conversation, context }, emit)
    switch (result._tag) {
      case "Finished":
        return result.output
      case "Stopped":
        return yield* new SubAgentFailed({ agent: tool, reason: `it was stopped by ${result.by}` })
      case "Paused":
        // Only the run of an agent gives requests out.
        if (!(yield* Outer).isWithin) {
          return yield* new SubAgentFailed({ agent: tool, reason: "it has to ask a person, and cannot" })
        }
        return yield* askWithin(tool, result.entries, result.requests, taken)
    }
  }).pipe(
    Effect.catchAll((error) =>
      error instanceof SubAgentFailed || NeedsInput.is(error)
        ? Effect.fail(error)
        : Effect.zipRight(
            Effect.logWarning(`The sub-agent ${tool} failed with ${tagOf(error)}`),
            new SubAgentFailed({ agent: tool, reason: reasonOf(error) })
          )
    )
  )

const tagOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "an error without a tag"

/** The kind of failure, not its words: those may hold what is not for a model, nor for a log. */
const reasonOf = (error: unknown): string =>
  Object.hasOwn(reasons, tagOf(error)) ? (reasons[tagOf(error)] ?? "it failed") : "it failed"

const reasons: { readonly [tag: string]: string } = {
  TooManyMistakes: "its model made too many mistakes",
  ContextOverflow: "its conversation grew too long",
  ContentFiltered: "its model's provider refused the content",
  RateLimited: "its model is not available now",
  ProviderUnavailable: "its model is not available now",
  Unreachable: "its model is not available now",
  ModelTimedOut: "its model is not available now",
  GuardBlocked: "a guard keeps its answer back"
}
