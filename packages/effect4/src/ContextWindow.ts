/** What of a long conversation a model is shown. */
import { ContextWindow as ContextWindow3 } from "@wield/effect3"
import type * as Duration from "effect/Duration"
import { modelTo3 } from "./internal/models.js"
import { summaryOptionsTo3, windowOptionsTo3 } from "./internal/policies.js"
import { summariserFrom3, windowFrom3 } from "./internal/stops.js"
import type { Model } from "./Model.js"

/**
 * @category type ids
 */
export declare const TypeId: unique symbol

/**
 * What of a conversation a model is shown.
 *
 * @category models
 */
export interface ContextWindow {
  readonly [TypeId]: unknown
}

/**
 * A model that summarises what is left out.
 *
 * @category models
 */
export interface Summariser {
  readonly [TypeId]: unknown
  readonly isSummariser: true
}

/**
 * The whole conversation.
 *
 * @category constructors
 */
export const everything: ContextWindow = windowFrom3(ContextWindow3.everything)

/**
 * A window that is bounded by tokens, which are estimated: of what would be too
 * long, the oldest exchanges are left out, or a summary stands for them.
 *
 * @category constructors
 */
export const make = (options: {
  /** Tokens of a request and its answer together: the context of the model, or less where that is cheaper. */
  readonly budget: number
  /** Tokens of it that are kept free for the answer. A tenth of the budget unless given. */
  readonly reserve?: number | undefined
  /** To which part a request is cut down, once it is too long: 0.6 unless given. */
  readonly keep?: number | undefined
  /** What becomes of what is too long: it is left out (`drop`, unless given), or a summary stands for it. */
  readonly overflow?: "drop" | Summariser | undefined
}): ContextWindow => windowFrom3(ContextWindow3.make(windowOptionsTo3(options)))

/**
 * Lets a model summarise what is left out. The summary becomes an entry of the
 * conversation.
 *
 * @category constructors
 */
export const summarise = (
  model: Model,
  options: {
    /** What matters in this application. */
    readonly instructions?: string | undefined
    /** The most that a summary may take, in tokens: 1,000 unless given. */
    readonly length?: number | undefined
    /** How long the model may take before the step goes on without a summary: a minute unless given. */
    readonly timeLimit?: Duration.Input | undefined
  } = {}
): Summariser => summariserFrom3(ContextWindow3.summarise(modelTo3(model), summaryOptionsTo3(options)))
