/** What the ledger is given when a call has come to its end, and those who wait for the same call. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { effectOf } from "../internal/effectOf.js"
import type * as Journal from "../Journal.js"
import type { JournalError } from "../JournalError.js"
import type { Outcome } from "../Outcome.js"
import type { Execution } from "./execution.js"
import { isEdited, recordOf, remember } from "./input.js"
import type { AnyJournal } from "./ledger.js"

/** Those who wait for the same call go on. */
export const land = (execution: Execution, outcome: Outcome): void => {
  if (execution.flight !== undefined) execution.ledger?.land(execution, outcome)
}

/** Writes down how a call ended; one that never came to its handler leaves no entry, so it may be made again. */
export const recordEnd = (execution: Execution, outcome: Outcome): Effect.Effect<void> | undefined => {
  const { attempt, key, wasBegun } = execution
  const ledger = key === undefined ? undefined : execution.ledger
  if (key === undefined || ledger === undefined) return undefined
  execution.key = undefined
  const ending = isOver(execution, outcome) ? endingOf(execution, outcome) : undefined
  remember(execution, ending)
  const write = (journal: AnyJournal): void | Effect.Effect<void, JournalError> =>
    ending !== undefined
      ? journal.finish(key, ending)
      : attempt > 0 || wasBegun
        ? journal.interrupt(key)
        : journal.abandon(key)
  const { ledger: lasting } = execution.run
  // What a tool that changes nothing asks for is answered in another process, too.
  const isLent = ending?._tag === "Asked" && lasting !== undefined && lasting !== ledger
  if (ledger.isInMemory) {
    write(ledger.journal)
    if (ending !== undefined)
      ledger.grow(entrySize + execution.sent.size + ("text" in outcome ? outcome.text.length : 0))
    if (!isLent) return undefined
  }
  const written = Effect.suspend(() => effectOf(write(isLent ? lasting.journal : ledger.journal)))
  // The effect has happened; that its end is not recorded makes it uncertain after a restart, but not now.
  return Effect.catchAllCause(written, (cause) =>
    Effect.logError(
      `The journal did not record the end of a call of ${execution.name}`,
      // What else a cause says may hold the result.
      Option.match(Cause.failureOption(cause), { onNone: () => "defect", onSome: ({ operation }) => operation })
    )
  )
}

/** What a call in memory takes beside its texts: some 400 bytes were measured. */
const entrySize = 512

const isOver = ({ answer, attempt }: Execution, outcome: Outcome): boolean => {
  // What a client answered did not fit, and it may answer again; or something failed before the handler was run.
  if (outcome._tag === "InvalidResult" || outcome._tag === "Defect") return attempt > 0
  // A person's no is the last word; an approval rule is asked again.
  return outcome._tag !== "Denied" || answer?.response._tag === "Deny"
}

/** What a journal keeps of an outcome; nothing of one that another attempt may change. */
export const endingOf = (execution: Execution, outcome: Outcome): Journal.Ending | undefined => {
  if (outcome._tag === "Deferred" && outcome.input !== undefined) {
    return { _tag: "Asked", ...recordOf(execution, outcome, outcome.input) }
  }
  const ending = plainEndingOf(outcome)
  // Most calls have no notes at all.
  const edited =
    ending === undefined || outcome.notes.length === 0 ? undefined : outcome.notes.find(isEdited)?.arguments
  return ending === undefined || edited === undefined ? ending : { ...ending, edited }
}

const plainEndingOf = (outcome: Outcome): Journal.Ending | undefined => {
  switch (outcome._tag) {
    case "Success":
    case "Failure":
      return { _tag: outcome._tag, encoded: outcome.encoded }
    case "Denied":
      return { _tag: "Denied", reason: outcome.reason }
    case "TimedOut":
      return { _tag: "TimedOut", limit: outcome.limit }
    case "Withheld":
      // A guard is asked again about a result that is replayed.
      return plainEndingOf(outcome.of)
    case "InvalidResult":
    case "Defect":
      return { _tag: outcome._tag, reference: outcome.reference }
    default:
      return undefined
  }
}
