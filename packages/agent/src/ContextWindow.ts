/** What of a long conversation a model is shown. */
import type { Message, ToolDefinition } from "@wield/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Entry, messages } from "./Conversation.js"
import type { Model } from "./Model.js"
import type { ModelError } from "./ModelError.js"
import { checkSummary, checkWindow } from "./model/options.js"
import type { Counter } from "./Tokens.js"
import * as Tokens from "./Tokens.js"
import { makeBounded } from "./window/bounded.js"

/**
 * What a model is shown of a conversation.
 *
 * @category models
 */
export interface View {
  readonly messages: ReadonlyArray<Message.Message>
  /** How many entries are left out. */
  readonly dropped: number
  /** A summary that was made now, to be appended to the conversation, so that it need not be made again. */
  readonly summary: Entry | undefined
}

/**
 * Chooses what a model is shown. The same entries, with more after them, give
 * the same beginning for as long as possible, so that a provider's cache of
 * prefixes holds.
 *
 * @category models
 */
export interface ContextWindow {
  readonly view: (
    entries: ReadonlyArray<Entry>,
    /** What else counts: instructions and the tools on offer. */
    beside: {
      readonly instructions: string | undefined
      readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
    }
  ) => Effect.Effect<View, ModelError>
}

/**
 * Shows a model the whole conversation.
 *
 * @category constructors
 */
export const everything: ContextWindow = {
  view: (entries) => Effect.succeed({ messages: messages(entries), dropped: 0, summary: undefined })
}

/**
 * Summarises what a model is no longer shown.
 *
 * @category models
 */
export interface Summariser {
  readonly model: Model
  readonly instructions: string | undefined
  /** The most that a summary may take, in tokens. */
  readonly length: number
  /** How long the model may take for it. */
  readonly timeLimit: Duration.Duration
}

/**
 * A window that is bounded by tokens.
 *
 * @category models
 */
export interface Options {
  /** Tokens of a request and its answer together: the context of the model, or less where that is cheaper. */
  readonly budget: number
  /** Tokens of it that are kept free for the answer. A tenth of the budget unless given. */
  readonly reserve?: number | undefined
  /**
   * To which part of what a request may take it is cut down, once it is too
   * long: 0.6 unless given. The less is kept, the more steps go by until the
   * beginning of the request changes again, and the longer a provider's cache
   * of prefixes serves.
   */
  readonly keep?: number | undefined
  /** How tokens are counted: `Tokens.estimate` unless given. */
  readonly count?: Counter | undefined
  /** What becomes of what is too long: it is left out (`drop`, unless given), or a summary stands for it. */
  readonly overflow?: "drop" | Summariser | undefined
}

/**
 * Shows as much of a conversation as a budget of tokens allows.
 *
 * When a request would be too long, the oldest exchanges are left out: an
 * exchange is a user's message with everything up to the next one. Where one
 * exchange alone is too long, its oldest turns are, each with its results. A
 * call is never parted from its result. The first system messages, the newest
 * user's message and the newest turn are always shown; where they alone are too
 * much, the view fails with `ContextOverflow`. Only a turn that is too long beside
 * a user's message after it is left out.
 *
 * What is left out depends on the entries and on what counts beside them, and
 * on nothing else: a restart leaves out the same. Once something is left out,
 * it is so much that the next steps only append.
 *
 * @example
 * ```ts
 * import { ContextWindow, Tokens } from "@wield/agent"
 *
 * const window = ContextWindow.make({ budget: 128_000, count: Tokens.forModel("openai-responses", "gpt-5-mini") })
 * ```
 *
 * @category constructors
 */
export const make = (options: Options): ContextWindow => {
  checkWindow(options)
  return makeBounded({
    limit: Math.max(0, options.budget - (options.reserve ?? options.budget / 10)),
    keep: options.keep ?? 0.6,
    counter: options.count ?? Tokens.estimate(),
    summariser: options.overflow === "drop" ? undefined : options.overflow
  })
}

/**
 * Lets a model summarise what is left out. The summary is an entry of its own,
 * which the agent appends to the conversation; from then on it is shown as a
 * message of the user in place of what it stands for, and the next summary
 * builds on it. What the tools were called with and what they returned goes to
 * that model. Where it gives no whole summary, because it fails, hangs or is cut
 * off, what would be in it is left out, and a warning in the log says so.
 *
 * @category constructors
 */
export const summarise = (
  model: Model,
  options?: {
    /** What matters in this application, added to the instructions for the summary. */
    readonly instructions?: string | undefined
    /** The most that a summary may take, in tokens: 1,000 unless given, and never more than an eighth of the budget. */
    readonly length?: number | undefined
    /** How long the model may take before the step goes on without a summary: a minute unless given. */
    readonly timeLimit?: Duration.DurationInput | undefined
  }
): Summariser => {
  checkSummary(model, options ?? {})
  return {
    model,
    instructions: options?.instructions,
    length: options?.length ?? 1000,
    timeLimit: Duration.decode(options?.timeLimit ?? "1 minute")
  }
}
