/**
 * The run that a toolset makes its offer to, and the turn within it. What is on
 * offer can depend on it: on the conversation that the run belongs to, or on
 * what was offered when the turn began.
 */
import * as Context from "effect/Context"

/**
 * A run, with the options that `ToolRunner.forRun` got.
 *
 * @category models
 */
export interface RunOfOffer {
  /** As `forRun` was given it; otherwise random, and the same for all of the run. An agent gives its conversation's. */
  readonly id: string
  /** As `forRun` was given it: the same for the offer of a turn and for the calls that the model made of it. */
  readonly turn: string | undefined
}

/**
 * The run that an offer is made to; `undefined` outside of `forRun`. It is a
 * reference, so an offer that reads it needs nothing in its requirements.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { CurrentRun, ToolRunner, Toolset } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const isEditors = Effect.map(CurrentRun.CurrentRun, (run) => () => run?.id === "editors")
 * const toolset = Effect.map(
 *   Toolset.dynamic([{ name: "publish", execute: () => Effect.succeed("done") }]),
 *   Toolset.filterEffect(isEditors)
 * )
 * const runner = Effect.flatMap(toolset, (tools) => ToolRunner.make(tools))
 * const offered = Effect.flatMap(runner, (made) => made.forRun({ id: "guests" }).definitions)
 * Effect.runPromise(offered).then((definitions) => assert.deepStrictEqual(definitions, []))
 * ```
 *
 * @category references
 */
export class CurrentRun extends Context.Reference<CurrentRun>()("@wield/core/CurrentRun", {
  defaultValue: (): RunOfOffer | undefined => undefined
}) {}
