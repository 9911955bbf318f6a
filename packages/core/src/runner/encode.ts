/**
 * Stage `encode`: the handler's exit as an outcome, by branch: a success with
 * the success schema, a failure with the failure schema, never their union.
 */
import * as Cause from "effect/Cause"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { jsonText } from "../internal/jsonText.js"
import { Defect, Failure, Interrupted, InvalidResult, Success, TimedOut } from "../Outcome.js"
import { settled } from "./decode.js"
import type { Execution, Step } from "./execution.js"
import { reference } from "./reference.js"
import { contentOf } from "./replay.js"
import type { Outcome } from "../Outcome.js"
import * as Effect from "effect/Effect"

export const encode = (execution: Execution): Step => {
  const { call, exit, name, notes, timedOutAfter } = execution
  if (timedOutAfter !== undefined) return new TimedOut(call, name, notes, timedOutAfter)
  if (exit === undefined) return new Interrupted(call, name, notes)
  if (Exit.isSuccess(exit)) return success(execution, exit.value)
  const failure = Cause.failureOrCause(exit.cause)
  if (Either.isLeft(failure)) return failed(execution, failure.left)
  return Cause.isInterruptedOnly(exit.cause)
    ? new Interrupted(call, name, notes)
    : new Defect(call, name, notes, reference(), exit.cause)
}

const success = (execution: Execution, result: unknown): Step => {
  const { call, entry, name, notes } = execution
  return ended(
    execution,
    entry.encodeSuccess(result),
    (encoded, text) =>
      new Success(call, name, notes, result, encoded, text, entry.isContent ? contentOf(result) : undefined)
  )
}

const failed = (execution: Execution, failure: unknown): Step => {
  const { call, entry, name, notes } = execution
  return ended(
    execution,
    entry.encodeFailure(failure),
    (encoded, text) => new Failure(call, name, notes, failure, encoded, text, entry.isRaising)
  )
}

/** The outcome of an encoded value, or of one that cannot be encoded. */
const ended = (
  execution: Execution,
  encoding: ReturnType<Execution["entry"]["encodeSuccess"]>,
  outcome: (encoded: unknown, text: string) => Outcome
): Step => {
  let encoded: unknown
  const { call, name, notes } = execution
  const invalid = settled(
    encoding,
    (value) => {
      // A tool without a result has `null`: no API takes a missing one.
      encoded = value === undefined ? null : value
    },
    (issues) => new InvalidResult(call, name, notes, reference(), issues)
  )
  const finished = (problem: Outcome | undefined): Outcome => {
    if (problem !== undefined) return problem
    const text = jsonText(encoded)
    return Either.isRight(text)
      ? outcome(encoded, text.right)
      : new InvalidResult(call, name, notes, reference(), [
          { path: [], expected: "a value that JSON can say", received: text.left, message: `not JSON: ${text.left}` }
        ])
  }
  return Effect.isEffect(invalid) ? Effect.map(invalid, finished) : finished(invalid)
}
