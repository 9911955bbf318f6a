/**
 * The outcome of a call that is already over, from what the journal kept of it,
 * and what the journal keeps of an outcome.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Content from "../Content.js"
import type * as Journal from "../Journal.js"
import { Defect, Failure, InvalidResult, type Outcome, Success, TimedOut } from "../Outcome.js"
import type { Execution } from "./execution.js"
import { reference } from "./reference.js"

/** What a journal keeps of an outcome; nothing of one that another attempt may change. */
export const endingOf = (outcome: Outcome): Journal.Ending | undefined => {
  switch (outcome._tag) {
    case "Success":
    case "Failure":
      return { _tag: outcome._tag, encoded: outcome.encoded }
    case "TimedOut":
      return { _tag: "TimedOut", limit: outcome.limit }
    case "InvalidResult":
    case "Defect":
      return { _tag: outcome._tag, reference: outcome.reference }
    default:
      return undefined
  }
}

export const replay = (execution: Execution, ending: Journal.Ending): Effect.Effect<Outcome> => {
  const { call, entry, name, notes } = execution
  // The outcome shares the notes of the execution, to which later stages add theirs.
  notes.push({ _tag: "Replayed" })
  switch (ending._tag) {
    case "Success":
    case "Failure": {
      const { encoded } = ending
      const text = JSON.stringify(encoded) ?? "null"
      const decode = ending._tag === "Success" ? entry.decodeSuccess : entry.decodeFailure
      // What has no value is kept as `null`, which its schema need not take.
      const decoded = encoded === null ? Effect.orElse(decode(null), () => decode(undefined)) : decode(encoded)
      return Effect.match(decoded, {
        onSuccess: (value) =>
          ending._tag === "Success"
            ? new Success(call, name, notes, value, encoded, text, entry.isContent ? contentOf(value) : undefined)
            : new Failure(call, name, notes, value, encoded, text, entry.isRaising),
        // The tool's schema is another one than when the call was made.
        onFailure: (issues) => new InvalidResult(call, name, notes, reference(), issues)
      })
    }
    case "TimedOut":
      return Effect.succeed(new TimedOut(call, name, notes, ending.limit))
    case "InvalidResult":
      return Effect.succeed(new InvalidResult(call, name, notes, ending.reference, []))
    case "Defect":
      return Effect.succeed(new Defect(call, name, notes, ending.reference, Cause.empty))
  }
}

/** The outcome of the same call, which was handled just now. */
export const replayed = (execution: Execution, outcome: Outcome): Effect.Effect<Outcome> => {
  const ending = endingOf(outcome)
  return ending === undefined ? Effect.succeed(outcome) : replay(execution, ending)
}

export const contentOf = (value: unknown): ReadonlyArray<Content.Part> =>
  // Decoded by `Content.Parts`, or made by a dynamic tool that says so.
  value as ReadonlyArray<Content.Part>
