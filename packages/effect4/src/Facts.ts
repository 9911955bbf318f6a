/** What is stated on a tool, for policies and models. */
import * as Context from "effect/Context"
import type * as Ai from "./internal/effectAi.js"

/**
 * The facts of a tool. Those that `effect/ai` has words for (title, read-only,
 * destructive, idempotent, open world) are stated by its annotations.
 *
 * @category models
 */
export interface Facts {
  readonly kind: "local" | "api" | "client" | "provider"
  /** A name for people. */
  readonly title: string | undefined
  readonly isReadOnly: boolean
  readonly isDestructive: boolean
  readonly isIdempotent: boolean
  readonly isOpenWorld: boolean
  /** Who learns what the tool is given. Unless stated: any. */
  readonly disclosure: "none" | "endpoint" | "any"
  /** In one batch of calls, nothing runs beside this one. */
  readonly isSequential: boolean
  /** Arguments that show a model how the tool is meant to be called. */
  readonly examples: ReadonlyArray<{ readonly [name: string]: unknown }>
}

/**
 * The annotation that carries what `state` states.
 *
 * @category annotations
 */
export const Stated: Context.Reference<Partial<Facts>> = Context.Reference<Partial<Facts>>(
  "@wield/effect4/Facts/Stated",
  { defaultValue: () => ({}) }
)

/**
 * States facts on a tool: `Facts.state(Pay, { isSequential: true })`. With
 * `kind: "client"` a client executes it: its calls wait for a result.
 *
 * @category facts
 */
export const state = <T extends Ai.AnyTool>(tool: T, facts: Partial<Facts>): T =>
  // `annotate` keeps name, schemas and requirements, hence T.
  tool.annotate(Stated, { ...Context.get(tool.annotations, Stated), ...facts }) as unknown as T
