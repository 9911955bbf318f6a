/**
 * `finish`, the last of what follows a call: the journal, the metrics, and a log line for what went wrong
 * inside. Every call comes here, however it ended.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { InvalidDecision } from "../Approval.js"
import { CallLost } from "../CallLost.js"
import { type Issue, pathToText, toText } from "../Issue.js"
import type { Defect, Outcome } from "../Outcome.js"
import { outsideTraces } from "../Secret.js"
import { RuleFailed, RuleTookTooLong } from "./authorize.js"
import { CallContext } from "../CallContext.js"
import type { Execution } from "./execution.js"
import { land, recordEnd } from "./ending.js"
import { count } from "./metrics.js"
import { closeSpan } from "./span.js"
import * as JsonPointer from "../JsonPointer.js"
import { journalErrorOf } from "./render.js"

export const finish = (execution: Execution, outcome: Outcome): Outcome | Effect.Effect<Outcome> => {
  execution.outcome = outcome
  count(execution, outcome)
  closeSpan(execution, outcome)
  const recorded = recordEnd(execution, outcome)
  const reported = report(execution, outcome)
  if (recorded === undefined && reported === undefined) {
    land(execution, outcome)
    return outcome
  }
  // Neither a journal nor a logger that dies may take the outcome with it.
  const written = Effect.catchAllCause(
    Effect.zipRight(
      recorded ?? Effect.void,
      // A logger may know by it whose call it is.
      reported === undefined ? Effect.void : Effect.provideService(reported, CallContext, execution.values)
    ),
    () => Effect.void
  )
  return Effect.map(written, () => {
    land(execution, outcome)
    return outcome
  })
}

const isReplayed = (outcome: Outcome): boolean => outcome.notes.some((note) => note._tag === "Replayed")

/** Names the reference that the model was given. No arguments, no result, no words of a cause unless asked for. */
const report = (execution: Execution, outcome: Outcome): Effect.Effect<void> | undefined => {
  // It was logged when it happened.
  if (isReplayed(outcome)) return undefined
  const hasCauses = execution.machine.policy.observe?.causes === true
  switch (outcome._tag) {
    case "Defect":
      return Effect.suspend(() => {
        const unrecorded = journalErrorOf(outcome)
        if (unrecorded?.expected !== undefined) {
          return Effect.logInfo(`A call of ${outcome.name} was not run: ${unrecorded.expected}`)
        }
        const error = Cause.squash(outcome.cause)
        if (error instanceof RuleFailed) return reportRule(outcome, error.cause, hasCauses)
        const line =
          unrecorded !== undefined
            ? `A call of ${outcome.name} was not run, since the journal could not record it (reference ${outcome.reference})`
            : `The tool ${outcome.name} failed internally (reference ${outcome.reference})`
        return hasCauses
          ? outsideTraces(Effect.logError(line, outcome.cause))
          : Effect.logError(`${line}${originOf(unrecorded?.cause ?? error)}. ${howToSeeMore}`)
      })
    case "InvalidResult": {
      if (!outcome.isJson) {
        // Places and kinds only: nothing of what the result holds.
        const where = outcome.issues.map(
          ({ path, received }) => `${JsonPointer.make(path).slice(0, longestPlace) || "the whole"}: ${received}`
        )
        return Effect.logError(
          `The tool ${outcome.name} gave a result that is not JSON (reference ${outcome.reference}): ${where.join("; ")}`
        )
      }
      const line = `The tool ${outcome.name} gave a result that does not fit its schema (reference ${outcome.reference})`
      return hasCauses
        ? outsideTraces(Effect.logError(line, outcome.issues.map(toText).join("; ")))
        : Effect.logError(`${line}. ${howToSeeMore}`)
    }
    case "MissingContext":
      return Effect.logError(
        `The call context lacks what the tool ${outcome.name} needs, or has it in another form (reference ${outcome.reference}): ${outcome.issues
          .map((issue) => pathToText(issue.path))
          .join(", ")} (${outcome.issues.map(lackOf).join("; ")})`
      )
    case "Interrupted":
    case "Uncertain":
      return reportLost(execution)
    default:
      return undefined
  }
}

/** A place can be as deep as the result is. */
const longestPlace = 200

/** An answer that is no decision is the program's own word. */
const reportRule = ({ name, reference }: Defect, error: unknown, hasCauses: boolean): Effect.Effect<void> => {
  const line = `The approval rule for ${name} failed, so the call was not run (reference ${reference})`
  if (InvalidDecision.is(error) || error instanceof RuleTookTooLong) return Effect.logError(`${line}: ${error.message}`)
  return hasCauses
    ? outsideTraces(Effect.logError(line, Cause.die(error)))
    : Effect.logError(`${line}${originOf(error)}. ${howToSeeMore}`)
}

const howToSeeMore = "The policy `observe: { causes: true }` logs why"

const reportLost = ({ call, exit }: Execution): Effect.Effect<void> | undefined => {
  const lost = exit?._tag === "Failure" ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
  return CallLost.is(lost)
    ? outsideTraces(Effect.logWarning(`The end of the call ${call.id} of ${call.name} is not known: ${lost.reason}`))
    : undefined
}

/** The class of an error and the line that threw it. Its message may hold a secret. */
const originOf = (error: unknown): string => {
  if (!(error instanceof Error) || error.stack === undefined) return ""
  const frames = error.stack.slice(error.stack.indexOf(error.message) + error.message.length).split("\n")
  const frame = frames.find((line) => /^\s+at /.test(line) && !/node:|[/\\]node_modules[/\\]/.test(line))
  const place = /([^/\\(\s]+:\d+:\d+)\)?$/.exec(frame ?? "")?.[1]
  return `: ${error.constructor.name}${place === undefined ? "" : ` at ${place}`}`
}

/** The kind, never the value: hidden fields may hold secrets, and so may what a library says of them. */
const lackOf = ({ expected, message, received }: Issue): string => {
  if (message !== undefined) return "it does not pass the check of its schema"
  return `expected ${expected}, ${received === undefined ? "but it is missing" : `received ${kindOf(received)}`}`
}

/** Of JSON text. */
const kindOf = (received: string): string => {
  if (received.startsWith('"')) return "a text"
  if (received.startsWith("[")) return "a list"
  if (received.startsWith("{")) return "an object"
  return /^-?\d/.test(received)
    ? "a number"
    : received === "true" || received === "false"
      ? "true or false"
      : "another value"
}
