/**
 * Where a run looks up which calls were made before: over the journal of its
 * policy, or over one in memory. It also knows which of them are being handled
 * in this process, so that the same call is waited for.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { endOf, type Running } from "../Fibers.js"
import { effectOf } from "../internal/effectOf.js"
import { show } from "../Issue.js"
import { MemoryJournal, memoryJournalOf } from "../internal/memoryJournal.js"
import type * as Journal from "../Journal.js"
import { JournalError } from "../JournalError.js"
import type { Outcome } from "../Outcome.js"

/** A call that is being handled in this process. */
export interface Flight {
  readonly key: Journal.Key
  /** The fiber that runs it. If it has ended, no outcome will come. */
  readonly fiber: Running
  /** Made for the first that waits for the outcome. */
  landing: Deferred.Deferred<Outcome> | undefined
}

/** What the ledger knows of the call itself. */
interface Passenger {
  readonly fiber: Flight["fiber"]
  flight: Flight | undefined
}

/** An outcome that ends the call, or `undefined` where it goes on; as a stage answers. */
type Found = Outcome | undefined | Effect.Effect<Outcome | undefined>

/** What a call has asked for, and under which conditions. */
export type Asked = Omit<Extract<Journal.Ending, { readonly _tag: "Asked" }>, "_tag">

/** A journal elsewhere answers with effects, one in memory at once. */
export type AnyJournal = Journal.Service | MemoryJournal

/** Where calls are looked up, begun and ended. */
export class Ledger {
  /** Whether it lasts no longer than its run. */
  readonly isOwn: boolean
  readonly isInMemory: boolean
  readonly journal: AnyJournal
  /** Characters of what it keeps, and who is to learn of more. */
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
    onKnown: (known: Journal.Known) => Found,
    onError: (error: JournalError) => Outcome
  ): Found {
    const { journal } = this
    const asked = this.isInMemory ? question(journal) : attempt(operation, () => question(journal))
    if (!Effect.isEffect(asked)) return onKnown(asked)
    return Effect.matchEffect(asked, {
      onSuccess: (known) => effectOf(isKnown(known) ? onKnown(known) : onError(unknownAnswer(operation, known))),
      onFailure: (error) => Effect.succeed(onError(error))
    })
  }

  /** The flight of the same call, if there is one that will land; else the call itself takes off. */
  takeOff(call: Passenger, key: Journal.Key): Flight | undefined {
    const ofId = this.#flights.get(key.call)
    // The digests last: they have to be worked out.
    const same = ofId?.find((flight) => flight.key.run === key.run && flight.key.digest === key.digest)
    if (same !== undefined && endOf(same.fiber) === undefined) return same
    const own: Flight = { key, fiber: call.fiber, landing: undefined }
    if (ofId === undefined) this.#flights.set(key.call, [own])
    else if (same === undefined) ofId.push(own)
    else ofId[ofId.indexOf(same)] = own
    call.flight = own
    return undefined
  }

  /** Gives the outcome to those who wait for the same call. */
  land(call: Passenger, outcome: Outcome): void {
    const { flight } = call
    if (flight === undefined) return
    call.flight = undefined
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

const tags = { Fresh: true, Running: true, Begun: true, Interrupted: true, Finished: true } satisfies {
  readonly [Tag in Journal.Known["_tag"]]: true
}
const endings = {
  Success: true,
  Failure: true,
  Denied: true,
  TimedOut: true,
  InvalidResult: true,
  Defect: true,
  Asked: true
} satisfies { readonly [Tag in Journal.Ending["_tag"]]: true }

/** A journal may be a user's, or one of another version: by an answer that says nothing here, a call would run. */
const isKnown = (known: unknown): boolean => {
  if (!Predicate.hasProperty(known, "_tag") || !hasOwn(tags, known._tag)) return false
  if (known._tag === "Running") return Predicate.hasProperty(known, "over") && Effect.isEffect(known.over)
  if (known._tag !== "Finished") return true
  const ending = Predicate.hasProperty(known, "ending") ? known.ending : undefined
  return Predicate.hasProperty(ending, "_tag") && hasOwn(endings, ending._tag)
}

const hasOwn = (names: object, name: unknown): boolean => typeof name === "string" && Object.hasOwn(names, name)

const unknownAnswer = (operation: string, known: unknown): JournalError => {
  const cause = new TypeError(
    `The journal answers ${show(known)}; a call is Fresh, Running, Begun, Interrupted or Finished with an ending`
  )
  return new JournalError({ operation, cause })
}

/** A journal in memory answers at once. One that throws or dies has written no more than one that fails. */
export const attempt = <A>(
  operation: string,
  question: () => A | Effect.Effect<A, JournalError>
): Effect.Effect<A, JournalError> =>
  Effect.catchAllDefect(
    Effect.suspend(() => effectOf(question())),
    (cause) => new JournalError({ operation, cause })
  )
