/** The model of an agent. */
import * as Effect from "effect/Effect"
import * as Ai from "./internal/effectAi.js"
import { fromLanguageModel as adapt, modelFrom3 } from "./internal/models.js"

/**
 * @category type ids
 */
export declare const TypeId: unique symbol

/**
 * A model, for agents.
 *
 * @category models
 */
export interface Model {
  readonly [TypeId]: unknown
  /** What the API calls the model. */
  readonly id: string
  readonly format: string
}

/**
 * The `LanguageModel` of Effect 4 that is in the context, of any provider
 * package, as the model of an agent. It runs no tool: a name that nothing has
 * and arguments that do not fit come back as calls, and the agent tells the
 * model what to mend.
 *
 * @category constructors
 */
export const fromLanguageModel = (options: {
  /** What the API calls the model, such as `gpt-5-mini`: a `LanguageModel` does not tell. */
  readonly id: string
  /** Whether responses are streamed. They are unless this is `false`. */
  readonly isStreaming?: boolean | undefined
}): Effect.Effect<Model, never, Ai.LanguageModel.LanguageModel> =>
  Effect.flatMap(Ai.LanguageModel.LanguageModel, (model) => Effect.map(adapt(model, options), modelFrom3))
