/**
 * Stage `begin`: was this call made before? What the ledger knows to be
 * finished is replayed; what is being handled is waited for; what was begun and
 * never finished is run again only if the tool is idempotent.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { effectOf } from "../internal/effectOf.js"
import { MemoryJournal } from "../internal/memoryJournal.js"
import type { JsonObject } from "../Json.js"
import type * as Journal from "../Journal.js"
import type { JournalError } from "../JournalError.js"
import type { Note } from "../Note.js"
import { Defect, Denied, Failure, type Outcome, Success, TimedOut, type Uncertainty } from "../Outcome.js"
import { contentOf, encode } from "./encode.js"
import { endingOf } from "./ending.js"
import type { Execution, Step } from "./execution.js"
import { fromAnswer } from "./handle.js"
import { isEdited, keyOfReply, recall, waiting } from "./input.js"
import type { Asked, Ledger } from "./ledger.js"
import { reference } from "./reference.js"
import { invalidResult, mayRunAgain, uncertain } from "./uncertain.js"

export const begin = (execution: Execution): Step => {
  const { isRecovered } = execution.run
  execution.isFresh = false
  const known = recall(execution)
  if (known !== undefined) return stillWaiting(execution, known)
  const { ledger } = execution
  const key = ledger === undefined ? undefined : keyOf(execution, ledger)
  // Only a journal knows what an earlier process began.
  if (isRecovered && !execution.run.isKnown && !mayRunAgain(execution) && !isOfClient(execution)) {
    const isHere = key !== undefined && memoryOf(ledger)?.look(key)._tag !== "Fresh"
    if (!isHere) return uncertain(execution, "unrecorded")
  }
  if (ledger === undefined || key === undefined) return undefined
  const same = ledger.takeOff(execution, key)
  if (same === undefined) return beginAt(execution, key, ledger)
  const landing = (same.landing ??= Deferred.unsafeMake<Outcome>(execution.fiber.id()))
  return Effect.flatMap(execution.interruptible(Deferred.await(landing)), (outcome) => replayOf(execution, outcome))
}

const memoryOf = (ledger: Ledger | undefined): MemoryJournal | undefined =>
  ledger?.journal instanceof MemoryJournal ? ledger.journal : undefined

const reasonOf = { Begun: "begun", Interrupted: "interrupted" } as const

const beginAt = (execution: Execution, key: Journal.Key, ledger: Ledger): Step => {
  const ending = endingAtOnce(execution, ledger)
  return Effect.isEffect(ending)
    ? Effect.flatMap(ending, (known) => effectOf(beginWith(execution, key, ledger, known)))
    : beginWith(execution, key, ledger, ending)
}

const beginWith = (execution: Execution, key: Journal.Key, ledger: Ledger, ending: Journal.Ending | undefined): Step =>
  ledger.ask(
    "begin",
    (journal) => journal.begin(key, execution.name, ending),
    (known) => {
      switch (known._tag) {
        case "Fresh":
          execution.isFresh = !execution.run.isRecovered || execution.run.isKnown
          execution.key = key
          return undefined
        case "Running":
          return Effect.matchEffect(execution.interruptible(known.over), {
            onSuccess: () => effectOf(beginAt(execution, key, ledger)),
            onFailure: (error) => Effect.succeed(unrecordedOutcome(execution, error, true))
          })
        case "Finished":
          return replay(execution, known.ending)
        case "Begun":
        case "Interrupted":
          if (!mayGoOn(execution)) return uncertain(execution, reasonOf[known._tag])
          execution.wasBegun = true
          execution.key = key
          return undefined
      }
    },
    (error) => unrecordedOutcome(execution, error, execution.run.isRecovered)
  )

/** How a call ends that runs nothing here, since it is denied or its client has answered: its begin is its end. */
const endingAtOnce = (
  execution: Execution,
  { isInMemory }: Ledger
): Journal.Ending | undefined | Effect.Effect<Journal.Ending | undefined> => {
  const { answer, call, notes } = execution
  if (answer?.response._tag === "Deny") {
    return endingOf(execution, new Denied({ call, notes, reason: answer.response.reason }))
  }
  // What ends with the process needs no second record.
  if (isInMemory || !isOfClient(execution)) return undefined
  const outcome = Effect.flatMap(effectOf(fromAnswer(execution)), (invalid) => effectOf(invalid ?? encode(execution)))
  return Effect.map(outcome, (ended) => {
    // The stages that follow take it again.
    execution.exit = undefined
    return ended?._tag === "Success" || ended?._tag === "Failure" ? endingOf(execution, ended) : undefined
  })
}

/** Whether a call goes on that was begun before and never finished. To deny it does not undo it. */
const mayGoOn = (execution: Execution): boolean =>
  execution.answer?.response._tag === "Deny"
    ? execution.entry.definition.facts.isReadOnly
    : mayRunAgain(execution) || isOfClient(execution)

/** What a client has answered is taken again: the call runs nothing here. */
export const isOfClient = ({ answer }: Execution): boolean =>
  answer?.response._tag === "Result" || answer?.response._tag === "Failure"

/**
 * What became of a call that would wait for a person or a client, so that no one
 * is asked twice. `undefined` if it was begun: it was approved then, and the stage
 * `begin` goes on.
 */
export const before = (execution: Execution, otherwise: () => Outcome): Step => {
  const { isRecovered, ledger } = execution.run
  if (ledger === undefined) return otherwise()
  const asked = recall(execution)
  if (asked !== undefined) return stillWaiting(execution, asked)
  const key = keyOf(execution, ledger)
  return ledger.ask(
    "look",
    (journal) => journal.look(key),
    (known) => {
      switch (known._tag) {
        case "Fresh":
          return otherwise()
        case "Finished":
          return replay(execution, known.ending)
        case "Running":
        case "Begun":
        case "Interrupted":
          return undefined
      }
    },
    (error) => unrecordedOutcome(execution, error, isRecovered)
  )
}

/** A journal elsewhere reads the digest in any case, and may spread its key. */
export const keyOf = (execution: Execution, ledger: Ledger): Journal.Key =>
  execution.asked === undefined ? keyOfCall(execution, ledger) : keyOfReply(execution, execution.asked.input)

const keyOfCall = (execution: Execution, { isInMemory }: Ledger): Journal.Key =>
  isInMemory
    ? execution.sent.keep(execution.arguments)
    : { run: execution.run.id, call: execution.run.nameOf(execution.call.id), digest: execution.digest }

/**
 * A call that cannot be recorded is not run: after a crash there would be no trace
 * of it. If it may have been begun before, its end is uncertain.
 */
export const unrecordedOutcome = (execution: Execution, error: JournalError, isBegun: boolean): Outcome =>
  isBegun && !mayRunAgain(execution)
    ? uncertain(execution, "unreadable")
    : new Defect({ call: execution.call, notes: execution.notes, reference: reference(), cause: Cause.fail(error) })

/** The outcome that the record has. */
export const replay = (
  execution: Execution,
  ending: Journal.Ending,
  hasAsked = execution.hasAsked
): Effect.Effect<Outcome> => {
  const { call, entry, notes } = execution
  if (ending._tag === "Asked") return afterAsking(execution, ending)
  // The outcome shares the notes of the execution, to which later stages add theirs.
  notes.push({ _tag: "Replayed" })
  restoreEdit(notes, ending.edited)
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
            ? new Success({ call, notes, result: value, encoded, text, content: contentOf(entry, value) })
            : new Failure({ call, notes, failure: value, encoded, text, isRaised: entry.isRaising }),
        // The tool's schema is another one than when the call was made.
        onFailure: (issues) => invalidResult(execution, issues)
      })
    }
    case "Denied":
      return Effect.succeed(new Denied({ call, notes, reason: ending.reason, hasBegun: hasAsked }))
    case "TimedOut":
      return Effect.succeed(
        new TimedOut({ call, notes, limit: ending.limit, isReadOnly: entry.definition.facts.isReadOnly })
      )
    case "InvalidResult":
      return Effect.succeed(invalidResult(execution, [], ending.reference))
    case "Defect":
      return Effect.succeed(new Defect({ call, notes, reference: ending.reference, cause: Cause.empty }))
  }
}

/** It ran with the arguments that it ran with, whatever this response says. */
export const restoreEdit = (notes: Array<Note>, edited: JsonObject | undefined): void => {
  const given = notes.findIndex(isEdited)
  if (given >= 0) notes.splice(given, 1)
  if (edited !== undefined) notes.push({ _tag: "Edited", arguments: edited })
}

/** The outcome of the same call, which was handled just now. */
const replayOf = (execution: Execution, outcome: Outcome): Effect.Effect<Outcome> => {
  const ending = endingOf(execution, outcome)
  return ending === undefined ? Effect.succeed(outcome) : replay(execution, ending)
}

const stillWaiting = (execution: Execution, asked: Asked): Outcome => {
  restoreEdit(execution.notes, asked.edited)
  return waiting(execution, asked)
}

/** What became of a call that had asked for input: it waits for the reply, or ended after it. */
const afterAsking = (execution: Execution, asked: Asked): Effect.Effect<Outcome> => {
  const ledger = execution.run.ledger ?? execution.ledger
  if (ledger === undefined) return Effect.succeed(stillWaiting(execution, asked))
  const key = keyOfReply(execution, asked.input)
  const waitOrStop = (reason: Uncertainty): Outcome =>
    mayRunAgain(execution) ? stillWaiting(execution, asked) : uncertain(execution, reason)
  const look = (question: "look" | "begin"): Effect.Effect<Outcome> => {
    const step = ledger.ask(
      question,
      (journal) => (question === "look" ? journal.look(key) : journal.begin(key, execution.name)),
      (known) => {
        switch (known._tag) {
          case "Finished":
            return replay(execution, known.ending, true)
          case "Fresh":
            // It was given up between the two questions.
            return question === "look"
              ? stillWaiting(execution, asked)
              : Effect.as(Effect.ignore(effectOf(ledger.journal.abandon(key))), stillWaiting(execution, asked))
          case "Running":
            return Effect.matchEffect(known.over, {
              onSuccess: () => look("look"),
              onFailure: () => Effect.succeed(waitOrStop("unreadable"))
            })
          case "Begun":
          case "Interrupted":
            // Whether another process is still at it is said to those who begin.
            return question === "look" && !ledger.isInMemory ? look("begin") : waitOrStop(reasonOf[known._tag])
        }
      },
      () => waitOrStop("unreadable")
    )
    return Effect.map(effectOf(step), (outcome) => outcome ?? waitOrStop("begun"))
  }
  return look("look")
}

/** Everything that the call has asked for, as far as it is recorded, in its order. */
export const asksOf = (execution: Execution): Effect.Effect<ReadonlyArray<Asked>, JournalError> =>
  Effect.gen(function* () {
    const { ledger } = execution.run
    const last = recall(execution)
    if (last !== undefined) return [last]
    const asks: Array<Asked> = []
    if (ledger === undefined) return asks
    let key = keyOfCall(execution, ledger)
    while (true) {
      const known = yield* effectOf(ledger.journal.look(key))
      if (known._tag !== "Finished" || known.ending._tag !== "Asked") return asks
      asks.push(known.ending)
      key = keyOfReply(execution, known.ending.input)
    }
  })
