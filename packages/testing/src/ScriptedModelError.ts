/**
 * The errors of a script. They are defects: they end the test, and the code under
 * test does not handle them as errors of a model.
 */
import * as Schema from "effect/Schema"

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

/**
 * The script has no turn for a request.
 *
 * @category errors
 */
export class ScriptExhausted extends Schema.TaggedError<ScriptExhausted>("@wield/testing/ScriptExhausted")(
  "ScriptExhausted",
  {
    model: Schema.String,
    /** The number of the request, from 1. */
    request: Schema.Number,
    /** The number of turns in the script. */
    turns: Schema.Number,
    /** The request in one line. */
    description: Schema.String
  }
) {
  override get message(): string {
    return `The script of ${this.model} has ${count(this.turns, "turn")}, but request ${this.request} came (${this.description}). Write one more turn, or find out why the model was asked again`
  }
}

/**
 * The script has turns without a request.
 *
 * @category errors
 */
export class TurnsLeft extends Schema.TaggedError<TurnsLeft>("@wield/testing/TurnsLeft")("TurnsLeft", {
  model: Schema.String,
  /** The number of requests. */
  requests: Schema.Number,
  /** The turns without a request, one line each. */
  left: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The script of ${this.model} has ${count(this.left.length, "turn")} left after ${count(this.requests, "request")} (next: ${this.left[0] ?? "none"}). Remove them, or find out why the model was not asked`
  }
}
