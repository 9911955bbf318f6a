/** One response body on its way: its format found, its calls run, the calls that wait answered, the results written. */
import { type ResponseError, Turn } from "@wield/core"
import { type WireError, WireFormat } from "@wield/providers"
import { Effect, Schema } from "effect"
import { answer } from "./answer.js"
import type { Body } from "./bodies.js"
import { callContext, type ShopOutcome, type ShopRunner } from "./shop/runner.js"

export class UnknownFormat extends Schema.TaggedError<UnknownFormat>()("UnknownFormat", { fileName: Schema.String }) {
  override get message(): string {
    return `${this.fileName} is a response of none of the APIs that Wield knows`
  }
}

export interface Exchange {
  readonly fileName: string
  readonly format: WireFormat.WireFormat
  readonly turn: Turn.Turn
  /** One outcome per call, in the order of the calls. */
  readonly outcomes: ReadonlyArray<ShopOutcome>
  /** The same after the calls that waited were answered. */
  readonly settled: ReadonlyArray<ShopOutcome>
  /** What the next request must add to the conversation. */
  readonly fragment: WireFormat.EncodedResults
}

export const exchange = (
  runner: ShopRunner,
  { fileName, json }: Body
): Effect.Effect<Exchange, UnknownFormat | WireError.WireError | ResponseError> =>
  Effect.gen(function* () {
    const format = yield* Effect.mapError(WireFormat.detect(json), () => new UnknownFormat({ fileName }))
    const run = runner.forRun({ id: fileName, context: callContext })
    const turn = yield* format.decodeTurn(json, { definitions: yield* run.definitions })
    const outcomes = yield* run.runAll(Turn.calls(turn))
    const settled = yield* run.resumeAll(outcomes, (deferred) => answer(deferred).response)
    return { fileName, format, turn, outcomes, settled, fragment: format.encodeResults(turn, settled) }
  })
