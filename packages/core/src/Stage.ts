/**
 * The stages of a call, to see where it is and what takes its time.
 */
import * as Context from "effect/Context"
import type { ToolCall } from "./ToolCall.js"

/**
 * The stages in their order. A call that ends early has fewer; `handle` covers
 * waiting for room under a limit, all attempts and the pauses between them.
 *
 * @category models
 */
export type Stage =
  | "find"
  | "parse"
  | "strip"
  | "decode"
  | "inject"
  | "authorize"
  | "begin"
  | "limit"
  | "handle"
  | "encode"

/**
 * What hears the stages of calls.
 *
 * @category models
 */
export type Hear = (call: ToolCall, stage: Stage) => void

/**
 * Hears each stage that a call enters, when it enters it; `undefined` unless
 * provided. It holds up the call, so it is to return at once. What it throws
 * ends the call as `Defect`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Stage, ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const stages: Array<string> = []
 *   const toolset = yield* Toolset.dynamic([{ name: "tidy", execute: () => Effect.succeed("tidied") }])
 *   const runner = yield* ToolRunner.make(toolset)
 *   const hear: Stage.Hear = (call, stage) => void stages.push(`${call.name}: ${stage}`)
 *   yield* runner.run(ToolCall.make("call_1", "tidy", "not JSON")).pipe(Effect.provideService(Stage.Listener, hear))
 *   return stages
 * })
 * Effect.runPromise(program).then((stages) => assert.deepStrictEqual(stages, ["tidy: find", "tidy: parse"]))
 * ```
 *
 * @category references
 */
export class Listener extends Context.Reference<Listener>()("@wield/core/Stage/Listener", {
  defaultValue: (): Hear | undefined => undefined
}) {}
