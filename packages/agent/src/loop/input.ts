/** What a run is given, and what is changed before each of its steps. */
import type { CallContext, Content, Toolset, Turn } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import type * as Json from "@wield/core/Json"
import type { Deferred, Effect } from "effect"
import type * as Conversation from "../Conversation.js"
import type { Answer } from "../DeferredCall.js"
import type { Model } from "../Model.js"

/**
 * What `prepare` knows of the next step.
 *
 * @category models
 */
export interface Step {
  /** 1 for the first turn of the run. */
  readonly number: number
  readonly model: Model
  readonly instructions: string | undefined
  readonly entries: ReadonlyArray<Conversation.Entry>
  readonly usage: Turn.Usage
}

/**
 * What `prepare` changes, for one step.
 *
 * @category models
 */
export interface Changes<Tools = Toolset.DynamicTools> {
  readonly model?: Model | undefined
  readonly instructions?: string | undefined
  /**
   * The tools on offer; others cannot be called in this step. Write `as const`
   * behind names that the compiler takes for any string.
   */
  readonly offered?: ReadonlyArray<ToolName<Tools>> | undefined
  /** Laid over the agent's options. */
  readonly options?: WireFormat.ToolsOptions | undefined
  /** Laid over the agent's settings. */
  readonly settings?: Json.JsonObject | undefined
}

/** Any name, where only the run time knows them all. */
export type ToolName<Tools> = Tools extends Toolset.DynamicTools ? string : keyof Tools & string

/**
 * What a user says while a run goes on.
 *
 * @category models
 */
export interface InboxMessage {
  /** Names the message's entry in the conversation: a message is taken once, however often it comes. */
  readonly id: string
  readonly content: string | ReadonlyArray<Content.Part>
}

/**
 * What a run is given. `context` is required where tools have hidden fields.
 * Without a prompt the conversation goes on where it is: with calls that a
 * process did not live to finish, with the model's next turn.
 *
 * @category models
 */
export type Input<Tools, CE = never> = {
  readonly prompt?: string | ReadonlyArray<Content.Part> | undefined
  /** Names the prompt's entry: given again, after a crash, it is not added again, and the requests of waiting calls come again. */
  readonly promptId?: string | undefined
  /** A new one in memory unless given. */
  readonly conversation?: Conversation.Conversation<CE> | undefined
  /** Answers to the requests of a paused run. */
  readonly answers?: ReadonlyArray<Answer> | undefined
  /**
   * Asked between the steps for messages that have come meanwhile: they stand
   * behind the results, for the model's next turn. A message that comes before the
   * model's last answer is given out makes the run go on. Messages that the
   * conversation has already are left out, so it may give all of them each time.
   */
  readonly inbox?: Effect.Effect<ReadonlyArray<InboxMessage>> | undefined
  /**
   * Hands the run over to another process, as a deploy does: once it is done, the
   * run ends at the next step as `Stopped` by `handOver`, and an interruption
   * records no call as interrupted. Run it again with the same input.
   */
  readonly handOver?: Deferred.Deferred<void> | undefined
} & (NeedsNoContext<Tools> extends true
  ? { readonly context?: CallContext.Values | undefined }
  : { readonly context: Toolset.ContextOf<Tools> & CallContext.Values })

export type NeedsNoContext<Tools> = [keyof Toolset.ContextOf<Tools>] extends [never] ? true : false
