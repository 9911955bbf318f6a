/**
 * Stage `encode`: the handler's exit as an outcome, by branch: a success with
 * the success schema, a failure with the failure schema, never their union.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { type Convert, failed } from "../internal/codec.js"
import { jsonOf, jsonText, type NotJson } from "../internal/json.js"
import { CallLost } from "../CallLost.js"
import * as Content from "../Content.js"
import { NeedsInput } from "../NeedsInput.js"
import { Defect, Failure, Interrupted, type Outcome, Success, TimedOut } from "../Outcome.js"
import type { Entry } from "../toolset/model.js"
import { convertStep } from "./decode.js"
import type { Execution, Step } from "./execution.js"
import { askForInput } from "./input.js"
import { reference } from "./reference.js"
import { invalidResult, notJson, uncertain } from "./uncertain.js"

export const encode = (execution: Execution): Step => {
  const { call, exit, notes, timedOutAfter } = execution
  if (timedOutAfter !== undefined)
    return new TimedOut({ call, notes, limit: timedOutAfter, isReadOnly: isReadOnly(execution) })
  if (exit === undefined) return new Interrupted({ call, notes, isReadOnly: isReadOnly(execution) })
  if (Exit.isSuccess(exit)) return success(execution, exit.value)
  const typed = Cause.failureOrCause(exit.cause)
  if (Either.isLeft(typed)) {
    if (NeedsInput.is(typed.left)) return askForInput(execution, typed.left)
    if (!CallLost.is(typed.left)) return failure(execution, typed.left)
    return isReadOnly(execution) ? new Interrupted({ call, notes, isReadOnly: true }) : uncertain(execution, "lost")
  }
  return Cause.isInterruptedOnly(exit.cause)
    ? new Interrupted({ call, notes, isReadOnly: isReadOnly(execution) })
    : new Defect({ call, notes, reference: reference(), cause: exit.cause })
}

const isReadOnly = (execution: Execution): boolean => execution.entry.definition.facts.isReadOnly

const success = (execution: Execution, given: unknown): Step => {
  const { call, entry, notes } = execution
  // Else its readers would find the class that stands for it.
  const result = Content.Answer.is(given) && given.parts.length === 0 ? "" : given
  return encodeValue(
    execution,
    entry.encodeSuccess,
    result,
    (encoded, text) => new Success({ call, notes, result, encoded, text, content: contentOf(entry, result) })
  )
}

const failure = (execution: Execution, error: unknown): Step => {
  const { call, entry, notes } = execution
  return encodeValue(
    execution,
    entry.encodeFailure,
    error,
    (encoded, text) => new Failure({ call, notes, failure: error, encoded, text, isRaised: entry.isRaising })
  )
}

/** The outcome of an encoded value, or of one that cannot be encoded. */
const encodeValue = (
  execution: Execution,
  convert: Convert,
  result: unknown,
  outcome: (encoded: unknown, text: string) => Outcome
): Step => {
  const { generated } = convert
  const attempt = generated === undefined ? failed : generated.attempt(result)
  if (attempt !== failed) return withText(execution, attempt === undefined ? null : attempt, outcome)
  let encoded: unknown
  const invalid = convertStep(
    (generated?.otherwise ?? convert)(result),
    (value) => {
      // A tool without a result has `null`: no API takes a missing one.
      encoded = value === undefined ? null : value
    },
    (issues) => invalidResult(execution, issues)
  )
  const finished = (problem: Outcome | undefined): Outcome => {
    if (problem !== undefined) return problem
    return withText(execution, encoded, outcome)
  }
  return Effect.isEffect(invalid) ? Effect.map(invalid, finished) : finished(invalid)
}

const withText = (
  execution: Execution,
  encoded: unknown,
  outcome: (encoded: unknown, text: string) => Outcome
): Outcome => {
  let problems: ReadonlyArray<NotJson> | undefined
  const json = jsonOf(encoded, (found) => (problems = found))
  const text = problems === undefined ? jsonText(json) : undefined
  if (typeof text === "string") return outcome(json, text)
  return notJson(execution, problems ?? (text === undefined ? [] : [text]))
}

/** The content that a success is; `undefined` for one that is a JSON value. */
export const contentOf = (entry: Entry, value: unknown): ReadonlyArray<Content.Part> | undefined =>
  entry.content !== undefined
    ? entry.content(value)?.map(asJson)
    : entry.isContent
      ? // Decoded by `Content.Parts`, or made by a dynamic tool that says so.
        (value as ReadonlyArray<Content.Part>).map(asJson)
      : Content.Answer.is(value)
        ? value.parts.map(asJson)
        : undefined

/** That each value can be said was found before. */
const asJson = (part: Content.Part): Content.Part => {
  if (part._tag !== "JsonValue") return part
  const value = jsonOf(part.value, () => {})
  return value === part.value ? part : Content.json(value)
}
