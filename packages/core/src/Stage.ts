/** The stages of a call, to see where it is and what takes its time. */
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
 * import { Stage } from "@wield/core"
 * import { Console, Effect } from "effect"
 *
 * const log: Stage.Hear = (call, stage) => console.log(`${call.name}: ${stage}`)
 * const listened = Effect.provideService(Console.log("a run of calls"), Stage.Listener, log)
 * ```
 *
 * @category references
 */
export class Listener extends Context.Reference<Listener>()("@wield/core/Stage/Listener", {
  defaultValue: (): Hear | undefined => undefined
}) {}
