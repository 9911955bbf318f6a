/**
 * A model: what turns a request into a stream of turn events. The loop knows
 * nothing else of a provider.
 *
 * @since 0.1.0
 */
import type { Json, Message, ToolDefinition, TurnEvent } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import type * as Stream from "effect/Stream"
import type { ModelError } from "./ModelError.js"

/**
 * What a model is asked: the conversation so far and the tools on offer.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelRequest {
  readonly messages: ReadonlyArray<Message.Message>
  readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  readonly options?: WireFormat.ToolsOptions | undefined
  /** Keys of the provider's request body (temperature, reasoning effort, …), as its API spells them. */
  readonly settings?: Json.JsonObject | undefined
}

/**
 * A model.
 *
 * `stream` ends with `Finished`, exactly once. Where it fails after it began,
 * it first yields `Finished` with the turn as far as it came, marked
 * incomplete; a request that never came to a turn yields nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface Model {
  /** What the API calls the model, such as `gpt-5-mini`. */
  readonly id: string
  /** Name of the format whose native messages it takes and gives, such as `openai-chat`. */
  readonly format: string
  readonly stream: (request: ModelRequest) => Stream.Stream<TurnEvent.TurnEvent, ModelError>
}
