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
 * const program = Effect.gen(function* () {
 *   const all = yield* Toolset.dynamic([{ name: "publish", execute: () => Effect.succeed("done") }])
 *   const toolset = Toolset.filterEffect(
 *     all,
 *     Effect.map(CurrentRun.CurrentRun, (run) => () => run?.id === "editors")
 *   )
 *   const runner = yield* ToolRunner.make(toolset)
 *   return [
 *     yield* runner.forRun({ id: "editors" }).definitions,
 *     yield* runner.forRun({ id: "readers" }).definitions
 *   ]
 * })
 * Effect.runPromise(program).then(([editors, readers]) => {
 *   assert.strictEqual(editors?.length, 1)
 *   assert.strictEqual(readers?.length, 0)
 * })
 * ```
 *
 * @category references
 */
export class CurrentRun extends Context.Reference<CurrentRun>()("@wield/core/CurrentRun", {
  defaultValue: (): RunOfOffer | undefined => undefined
}) {}
