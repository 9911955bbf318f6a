/** The laws of arguments: valid ones give an outcome; invalid ones run no handler. */
import * as Outcome from "@wield/core/Outcome"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { asSent, callOnce, checkedTools, endingOf, forEachTool, withValid } from "./calling.js"
import { applyDamage, damages } from "./inputs.js"
import type { LawReport } from "../Laws.js"
import { skipped, type Verdict } from "./property.js"
import type { Subject } from "./subject.js"

export const invalidArguments = <R, E>(subject: Subject<R, E>): Effect.Effect<LawReport, E, R> =>
  forEachTool("invalid-arguments", subject, checkedTools(subject), {
    arbitrary: (valid) => FastCheck.tuple(valid, damages, FastCheck.boolean()),
    holds: (tool, [value, damage, isText], encode, entry) =>
      withValid(encode(value), (args) =>
        Effect.gen(function* () {
          const input = applyDamage(args, damage)
          if (input === undefined) return skipped
          // The tool's own schema decides whether the damage made it invalid.
          if (!input.isText && Either.isRight(yield* Effect.either(entry.decode(input.sent)))) return skipped
          // The runner reads a string as JSON text, so a JSON string is sent as text.
          const sent = input.isText ? input.sent : asSent(input.sent, isText || typeof input.sent === "string")
          // null and "" mean no arguments.
          if (!input.isText && (input.sent === null || input.sent === "")) return skipped
          const { outcome, received } = yield* callOnce(subject.dry, tool, sent)
          return verdict(input.sent, received.length, outcome)
        })
      )
  })

const verdict = (input: unknown, handled: number, outcome: Parameters<typeof endingOf>[0]): Verdict => {
  if (handled > 0) return { message: "an invalid call reached the handler", input }
  if (outcome?._tag !== "InvalidArguments") return { message: `an invalid call ${endingOf(outcome)}`, input }
  return outcome.issues.length === 0
    ? { message: "an invalid call ended as InvalidArguments without an issue", input }
    : undefined
}

export const validArguments = <R, E>(subject: Subject<R, E>): Effect.Effect<LawReport, E, R> =>
  forEachTool("valid-arguments", subject, checkedTools(subject), {
    arbitrary: (valid) => FastCheck.tuple(valid, FastCheck.boolean()),
    holds: (tool, [value, isText], encode) =>
      withValid(encode(value), (args) =>
        Effect.map(callOnce(subject.running, tool, asSent(args, isText)), ({ outcome }) => {
          const problem = problemOf(outcome)
          return problem === undefined ? undefined : { message: problem, input: args }
        })
      )
  })

const problemOf = (outcome: Outcome.Outcome | undefined): string | undefined => {
  switch (outcome?._tag) {
    case "Success":
    case "Failure":
      return unreadable(outcome)
    // The client has yet to answer; a handler may interrupt itself.
    case "Deferred":
    case "Interrupted":
      return undefined
    default:
      return `a valid call ${endingOf(outcome)}`
  }
}

const unreadable = (outcome: Outcome.Success | Outcome.Failure): string | undefined => {
  if (outcome.encoded === undefined) return "the encoded result is undefined"
  const result = Outcome.render(outcome)
  if (result === undefined) return "the model has nothing to read"
  // Its type leaves out that nothing has no text.
  const isWhole = (JSON.stringify(result.content) as string | undefined) !== undefined
  return isWhole ? undefined : "the model's text cannot be encoded as JSON"
}
