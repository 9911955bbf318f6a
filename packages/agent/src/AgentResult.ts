/** How a run ended. */
import type { Turn } from "@wield/core"
import * as Effect from "effect/Effect"
import { NotFinished } from "./AgentError.js"
import type { Conversation, Entry } from "./Conversation.js"
import type { DeferredCall } from "./DeferredCall.js"

/**
 * What every result has.
 *
 * @category models
 */
export interface Ended<CE> {
  readonly conversation: Conversation<CE>
  /** All entries of the conversation, as the run left them. */
  readonly entries: ReadonlyArray<Entry>
  /** The text of the model's last turn. */
  readonly text: string
  /** How many turns the model took in this run. */
  readonly steps: number
  /** Tokens of all turns of this run, sub-agents included. */
  readonly usage: Turn.Usage
  /** The same by the model's id. */
  readonly usageByModel: ReadonlyMap<string, Turn.Usage>
}

/**
 * The model has answered.
 *
 * @category models
 */
export interface Finished<out Output, out CE = never> extends Ended<CE> {
  readonly _tag: "Finished"
  /** The decoded final output where the agent has a schema for it, otherwise the text. */
  readonly output: Output
}

/**
 * Calls wait for a person or a client. Give the answers to `Agent.run`, with
 * the same conversation, in this process or another.
 *
 * @category models
 */
export interface Paused<out CE = never> extends Ended<CE> {
  readonly _tag: "Paused"
  /** The calls that wait, as JSON. Answer each by `DeferredCall`, and give the answers to the next run. */
  readonly requests: ReadonlyArray<DeferredCall>
}

/**
 * The run ended before the model had answered. The conversation can be gone on
 * with.
 *
 * @category models
 */
export interface Stopped<out CE = never> extends Ended<CE> {
  readonly _tag: "Stopped"
  /**
   * The name of the stop condition; `length`, `filter`, `background`, `error`,
   * `other` when the model's own response ended by one of these; `handOver`,
   * when another process is to go on; or `interruption`, of a run that is gone on with
   * after its answer was stopped and kept.
   */
  readonly by: string
}

/**
 * How a run ended.
 *
 * @category models
 */
export type AgentResult<Output = string, CE = never> = Finished<Output, CE> | Paused<CE> | Stopped<CE>

/**
 * The output of a run that must have finished; fails with `NotFinished` if it
 * paused or was stopped.
 *
 * @category accessors
 */
export const output = <Output, CE>(result: AgentResult<Output, CE>): Effect.Effect<Output, NotFinished> => {
  switch (result._tag) {
    case "Finished":
      return Effect.succeed(result.output)
    case "Paused":
      return Effect.fail(
        new NotFinished({
          conversation: result.conversation.id,
          ending: `it waits for answers to ${result.requests.map((request) => request.call.id).join(", ")}`
        })
      )
    case "Stopped":
      return Effect.fail(new NotFinished({ conversation: result.conversation.id, ending: `stopped by ${result.by}` }))
  }
}
