/**
 * What is wrong with a script: the model was asked more, or less, than is
 * written in it. These are defects: they end a test, and no code under test can
 * take them for an error of a model.
 */
import * as Schema from "effect/Schema"

const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

/**
 * A request came for which the script has no turn.
 *
 * @category errors
 */
export class ScriptExhausted extends Schema.TaggedError<ScriptExhausted>("@wield/testing/ScriptExhausted")(
  "ScriptExhausted",
  {
    model: Schema.String,
    /** Which request it was, from 1. */
    request: Schema.Number,
    /** How many turns the script has. */
    turns: Schema.Number,
    /** The request in one line. */
    description: Schema.String
  }
) {
  override get message(): string {
    return `The script of ${this.model} has ${counted(this.turns, "turn")}, but request ${this.request} came (${this.description}): write one more turn, or find out why the model was asked again`
  }
}

/**
 * The script has turns that no request came for.
 *
 * @category errors
 */
export class TurnsLeft extends Schema.TaggedError<TurnsLeft>("@wield/testing/TurnsLeft")("TurnsLeft", {
  model: Schema.String,
  /** How many requests came. */
  requests: Schema.Number,
  /** The turns that are left, one line each. */
  left: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The script of ${this.model} has ${counted(this.left.length, "turn")} left after ${counted(this.requests, "request")} (next: ${this.left[0] ?? "none"}): take them away, or find out why the model was not asked`
  }
}
