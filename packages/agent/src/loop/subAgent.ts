/** A run within the call of a tool, by which another agent's model gives this one a task. */
import type { CallContext } from "@wield/core"
import * as CurrentCall from "@wield/core/CurrentCall"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as AgentEvent from "../AgentEvent.js"
import * as Conversation from "../Conversation.js"
import { loop } from "./loop.js"
import type { Emit, Plan } from "./plan.js"
import { tagOf } from "./span.js"

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

/** Runs a sub-agent within the call of its tool; its events are the call's progress. */
export const runWithin = (
  plan: Plan,
  tool: string,
  prompt: string,
  context: CallContext.Values
): Effect.Effect<unknown, SubAgentFailed> =>
  Effect.gen(function* () {
    const call = yield* CurrentCall.CurrentCall
    // Each call has a conversation of its own, by a name that tells which call it was.
    const conversation = yield* Conversation.make({ id: call.idempotencyKey })
    const emit: Emit = (event) => call.progress(withJson(event))
    const result = yield* loop(plan, { prompt, conversation, context }, emit)
    switch (result._tag) {
      case "Finished":
        return result.output
      case "Stopped":
        return yield* new SubAgentFailed({ agent: tool, reason: `it was stopped by ${result.by}` })
      case "Paused":
        return yield* new SubAgentFailed({ agent: tool, reason: "it has to ask a person, and cannot" })
    }
  }).pipe(
    Effect.catchAll((error) =>
      error instanceof SubAgentFailed
        ? error
        : Effect.zipRight(
            Effect.logWarning(`The sub-agent ${tool} failed with ${tagOf(error)}`),
            new SubAgentFailed({ agent: tool, reason: reasonOf(error) })
          )
    )
  )

/**
 * The event itself, whose JSON is that of an event: a page, a log or another process that is given progress gets neither
 * the provider's own message nor the conversation.
 */
const withJson = (event: AgentEvent.AgentEvent): AgentEvent.AgentEvent =>
  Object.defineProperty({ ...event }, "toJSON", { value: () => AgentEvent.toJson(event) })

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
