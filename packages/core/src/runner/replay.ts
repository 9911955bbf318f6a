/**
 * The outcome of a call that is already over, from what the journal kept of it,
 * and what the journal keeps of an outcome.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Content from "../Content.js"
import type * as Journal from "../Journal.js"
import type { JsonObject } from "../Json.js"
import type { Note } from "../Note.js"
import { Defect, Denied, Failure, InvalidResult, type Outcome, Success, TimedOut } from "../Outcome.js"
import type { Entry } from "../toolset/model.js"
import type { Execution } from "./execution.js"
import { reference } from "./reference.js"

/** What a journal keeps of an outcome; nothing of one that another attempt may change. */
export const endingOf = (outcome: Outcome): Journal.Ending | undefined => {
  const ending = plainEndingOf(outcome)
  // Most calls have no notes at all.
  const edited =
    ending === undefined || outcome.notes.length === 0 ? undefined : outcome.notes.find(isEdited)?.arguments
  return ending === undefined || edited === undefined ? ending : { ...ending, edited }
}

const isEdited = (note: Note): note is Extract<Note, { readonly _tag: "Edited" }> => note._tag === "Edited"

const plainEndingOf = (outcome: Outcome): Journal.Ending | undefined => {
  switch (outcome._tag) {
    case "Success":
    case "Failure":
      return { _tag: outcome._tag, encoded: outcome.encoded }
    case "Denied":
      return { _tag: "Denied", reason: outcome.reason }
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
  retellEdit(notes, ending.edited)
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
            ? new Success(call, name, notes, value, encoded, text, contentOf(entry, value))
            : new Failure(call, name, notes, value, encoded, text, entry.isRaising),
        // The tool's schema is another one than when the call was made.
        onFailure: (issues) => new InvalidResult(call, name, notes, reference(), issues)
      })
    }
    case "Denied":
      return Effect.succeed(new Denied(call, name, notes, ending.reason))
    case "TimedOut":
      return Effect.succeed(new TimedOut(call, name, notes, ending.limit, entry.definition.facts.isReadOnly))
    case "InvalidResult":
      return Effect.succeed(new InvalidResult(call, name, notes, ending.reference, []))
    case "Defect":
      return Effect.succeed(new Defect(call, name, notes, ending.reference, Cause.empty))
  }
}

/** It ran with the arguments that it ran with, whatever this response says. */
const retellEdit = (notes: Array<Note>, edited: JsonObject | undefined): void => {
  const told = notes.findIndex(isEdited)
  if (told >= 0) notes.splice(told, 1)
  if (edited !== undefined) notes.push({ _tag: "Edited", arguments: edited })
}

/** The outcome of the same call, which was handled just now. */
export const replayed = (execution: Execution, outcome: Outcome): Effect.Effect<Outcome> => {
  const ending = endingOf(outcome)
  return ending === undefined ? Effect.succeed(outcome) : replay(execution, ending)
}

/** The content that a success is; `undefined` for one that is a JSON value. */
export const contentOf = (entry: Entry, value: unknown): ReadonlyArray<Content.Part> | undefined =>
  entry.isContent
    ? // Decoded by `Content.Parts`, or made by a dynamic tool that says so.
      (value as ReadonlyArray<Content.Part>)
    : value instanceof Content.Answer
      ? value.parts
      : undefined
