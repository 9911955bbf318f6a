/**
 * Was this call made before? Each run has a ledger: over the journal of its
 * policy, or over one in memory that lasts as long as the run. What the ledger
 * knows to be finished is replayed; what is being handled is waited for; what
 * was begun and never finished is run again only if the tool is idempotent.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Digest from "../Digest.js"
import { canonical, isObject, type JsonObject } from "../Json.js"
import { effectOf } from "../internal/effectOf.js"
import { jsonValue, NotJson } from "../internal/json.js"
import { MemoryJournal, memoryJournalOf } from "../internal/memoryJournal.js"
import { repair } from "../internal/repair.js"
import type * as Journal from "../Journal.js"
import { JournalError } from "../JournalError.js"
import type { Note } from "../Note.js"
import { Defect, Denied, Failure, type Outcome, Success, TimedOut, type Uncertainty } from "../Outcome.js"
import type { ToolCall } from "../ToolCall.js"
import type { HiddenCodec } from "../toolset/hidden.js"
import type { Entry } from "../toolset/model.js"
import { contentOf } from "./encode.js"
import type { Execution, Step } from "./execution.js"
import { type Asked, recordOf, isEdited, keyOfReply, waiting } from "./input.js"
import { reference } from "./reference.js"
import { stripHidden } from "./strip.js"
import { invalidResult, mayRunAgain, uncertain } from "./uncertain.js"

/** A call that is being handled in this process. */
export interface Flight {
  readonly key: Journal.Key
  /** The fiber that runs it. If it has ended, no outcome will come. */
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  /** Made for the first that waits for the outcome. */
  landing: Deferred.Deferred<Outcome> | undefined
}

/** A journal elsewhere answers with effects, one in memory at once. */
type AnyJournal = Journal.Service | MemoryJournal

/** Where calls are looked up, begun and ended. */
export class Ledger {
  /** Whether it lasts no longer than its run. */
  readonly isOwn: boolean
  readonly isInMemory: boolean
  readonly journal: AnyJournal
  /** Characters of the results that it keeps, and who is to learn of more. */
  size = 0
  onGrowth: ((characters: number) => void) | undefined
  /** The turns that were begun in this process. */
  readonly turns = new Set<string>()
  readonly #flights = new Map<string, Array<Flight>>()

  /** Of a run of its own, unless a journal is given. */
  constructor(given: Journal.Service | undefined) {
    this.isOwn = given === undefined
    this.journal = given === undefined ? new MemoryJournal() : (memoryJournalOf(given) ?? given)
    this.isInMemory = this.journal instanceof MemoryJournal
  }

  grow(characters: number): void {
    this.size += characters
    this.onGrowth?.(characters)
  }

  /** What follows from the journal's answer to a question. */
  ask(
    operation: string,
    question: (journal: AnyJournal) => Journal.Known | Effect.Effect<Journal.Known, JournalError>,
    onKnown: (known: Journal.Known) => Step,
    onError: (error: JournalError) => Outcome
  ): Step {
    const { journal } = this
    // A journal that throws or dies has written no more than one that fails.
    const asked = this.isInMemory
      ? question(journal)
      : Effect.catchAllDefect(
          Effect.suspend(() => effectOf(question(journal))),
          (cause) => new JournalError({ operation, cause })
        )
    if (!Effect.isEffect(asked)) return onKnown(asked)
    return Effect.matchEffect(asked, {
      onSuccess: (known) => effectOf(onKnown(known)),
      onFailure: (error) => Effect.succeed(onError(error))
    })
  }

  /** The flight of the same call, if there is one that will land; else the call itself takes off. */
  takeOff(execution: Execution, key: Journal.Key): Flight | undefined {
    const ofId = this.#flights.get(key.call)
    // The digests last: they have to be worked out.
    const same = ofId?.find((flight) => flight.key.run === key.run && flight.key.digest === key.digest)
    if (same !== undefined && same.fiber.unsafePoll() === null) return same
    const own: Flight = { key, fiber: execution.fiber, landing: undefined }
    if (ofId === undefined) this.#flights.set(key.call, [own])
    else if (same === undefined) ofId.push(own)
    else ofId[ofId.indexOf(same)] = own
    execution.flight = own
    return undefined
  }

  /** Gives the outcome to those who wait for the same call. */
  land(execution: Execution, outcome: Outcome): void {
    const { flight } = execution
    if (flight === undefined) return
    execution.flight = undefined
    const ofId = this.#flights.get(flight.key.call)
    const index = ofId?.indexOf(flight) ?? -1
    // Unless another has taken its place.
    if (ofId !== undefined && index >= 0) {
      if (ofId.length === 1) this.#flights.delete(flight.key.call)
      else ofId.splice(index, 1)
    }
    if (flight.landing !== undefined) Deferred.unsafeDone(flight.landing, Effect.succeed(outcome))
  }
}

/** Stage `begin`. */
export const begin = (execution: Execution): Step => {
  const { isRecovered } = execution.run
  const known = recall(execution)
  if (known !== undefined) return stillWaiting(execution, known)
  const { ledger } = execution
  const key = ledger === undefined ? undefined : keyOf(execution, ledger)
  // Only a journal knows what an earlier process began.
  if (isRecovered && !execution.run.isKnown && !mayRunAgain(execution)) {
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

const beginAt = (execution: Execution, key: Journal.Key, ledger: Ledger): Step =>
  ledger.ask(
    "begin",
    (journal) => journal.begin(key, execution.name),
    (known) => {
      switch (known._tag) {
        case "Fresh":
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
          if (!mayRunAgain(execution)) return uncertain(execution, reasonOf[known._tag])
          execution.key = key
          return undefined
      }
    },
    (error) => unrecordedOutcome(execution, error, execution.run.isRecovered)
  )

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
const keyOf = (execution: Execution, ledger: Ledger): Journal.Key =>
  execution.asked === undefined ? keyOfCall(execution, ledger) : keyOfReply(execution, execution.asked.input)

const keyOfCall = (execution: Execution, { isInMemory }: Ledger): Journal.Key =>
  isInMemory
    ? execution.sent.keep(execution.arguments)
    : { run: execution.run.id, call: execution.run.nameOf(execution.call.id), digest: execution.digest }

/** Those who wait for the same call go on. */
export const land = (execution: Execution, outcome: Outcome): void => {
  if (execution.flight !== undefined) execution.ledger?.land(execution, outcome)
}

/** Writes down how a call ended; one that never came to its handler leaves no entry, so it may be made again. */
export const end = (execution: Execution, outcome: Outcome): Effect.Effect<void> | undefined => {
  const { attempt, key } = execution
  const ledger = key === undefined ? undefined : execution.ledger
  if (key === undefined || ledger === undefined) return undefined
  execution.key = undefined
  const ending = isOver(execution, outcome) ? endingOf(execution, outcome) : undefined
  remember(execution, ending)
  const write = (journal: AnyJournal): void | Effect.Effect<void, JournalError> =>
    ending !== undefined ? journal.finish(key, ending) : attempt > 0 ? journal.interrupt(key) : journal.abandon(key)
  const { ledger: lasting } = execution.run
  // What a tool that changes nothing asks for is answered in another process, too.
  const isLent = ending?._tag === "Asked" && lasting !== undefined && lasting !== ledger
  if (ledger.isInMemory) {
    write(ledger.journal)
    if ("text" in outcome) ledger.grow(outcome.text.length)
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

const isOver = ({ answer, attempt }: Execution, outcome: Outcome): boolean => {
  // What a client answered did not fit: it may answer again.
  if (outcome._tag === "InvalidResult") return attempt > 0
  // A person's no is the last word; an approval rule is asked again.
  return outcome._tag !== "Denied" || answer?.response._tag === "Deny"
}

/**
 * A call that cannot be recorded is not run: after a crash there would be no trace
 * of it. If it may have been begun before, its end is uncertain.
 */
const unrecordedOutcome = (execution: Execution, error: JournalError, isBegun: boolean): Outcome =>
  isBegun && !mayRunAgain(execution)
    ? uncertain(execution, "unreadable")
    : new Defect({ call: execution.call, notes: execution.notes, reference: reference(), cause: Cause.fail(error) })

/** What a journal keeps of an outcome; nothing of one that another attempt may change. */
const endingOf = (execution: Execution, outcome: Outcome): Journal.Ending | undefined => {
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
    case "InvalidResult":
    case "Defect":
      return { _tag: outcome._tag, reference: outcome.reference }
    default:
      return undefined
  }
}

const replay = (execution: Execution, ending: Journal.Ending): Effect.Effect<Outcome> => {
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
      return Effect.succeed(new Denied({ call, notes, reason: ending.reason }))
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
const restoreEdit = (notes: Array<Note>, edited: JsonObject | undefined): void => {
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
            return replay(execution, known.ending)
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

/** Where there is no journal, what was asked last is known while this process lives. */
const recall = (execution: Execution): Asked | undefined => {
  const { asked, machine, run } = execution
  return machine.inputs.size === 0 || asked !== undefined || run.ledger?.isOwn === false
    ? undefined
    : machine.inputs.get(textOf(execution))
}

const remember = (execution: Execution, ending: Journal.Ending | undefined): void => {
  const {
    machine: { inputs },
    run
  } = execution
  if (run.ledger?.isOwn !== true || (inputs.size === 0 && ending?._tag !== "Asked")) return
  const text = textOf(execution)
  if (ending !== undefined) inputs.delete(text)
  if (ending?._tag !== "Asked") return
  inputs.set(text, ending)
  const [oldest] = inputs.keys()
  if (inputs.size > mostInputs && oldest !== undefined) inputs.delete(oldest)
}

/** So many questions are kept where there is no journal. */
const mostInputs = 10_000

const textOf = ({ call, digest, run }: Execution): string => `${run.id.length}:${run.id}${digest}${run.nameOf(call.id)}`

/**
 * What identifies a call: its run, its id, and a digest of its tool and visible
 * arguments as they were sent. The digest is worked out when it is first read: in
 * memory, that is when an id comes again. A journal in memory keeps it longer than
 * its call, so it holds no more than it needs.
 */
export class Sent implements Journal.Key {
  /** The tool's name. */
  readonly name: string
  private readonly hidden: HiddenCodec | undefined
  /** The arguments, until they are read. */
  private unread: unknown
  private text: string | undefined
  private hash: string | undefined

  constructor(
    /** Empty where the run itself is what remembers. */
    readonly run: string,
    /** The call's id, and its turn where there is one. */
    readonly call: string,
    sent: ToolCall,
    entry: Entry
  ) {
    this.name = entry.definition.name
    this.hidden = entry.hidden
    this.unread = sent.arguments
    this.text = undefined
    this.hash = undefined
  }

  /** To be kept beyond the call: text stays as it is; other arguments are the caller's, who may change them. */
  keep(visible: unknown): this {
    if (typeof this.unread !== "string") this.read(visible)
    return this
  }

  /** Spares reading the arguments again, where they are at hand as they were sent. */
  read(visible: unknown): void {
    if (this.text !== undefined) return
    this.text = canonical(visible)
    this.unread = undefined
  }

  /**
   * The visible arguments as JSON text with sorted keys. A handler may change
   * the values that it is given, so they are read from what was sent.
   */
  get argumentText(): string {
    if (this.text === undefined) this.read(visibleOf(this.unread, this.hidden))
    return this.text ?? ""
  }

  /** SHA-256 over tool and visible arguments. */
  get digest(): string {
    return (this.hash ??= Digest.ofText(`[${JSON.stringify(this.name)},${this.argumentText}]`))
  }
}

const visibleOf = (sent: unknown, hidden: HiddenCodec | undefined): unknown => {
  const value = typeof sent === "string" ? valueOf(sent) : (sent ?? {})
  return isObject(value) && hidden !== undefined ? stripHidden(value, hidden).visible : value
}

const valueOf = (text: string): unknown => {
  const value = jsonValue(text)
  return value instanceof NotJson ? repair(text)?.value : value
}
