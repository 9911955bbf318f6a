/** Checks on a streamed response: whole, cut into pieces, and broken off. */
import type { TurnEvent } from "@wield/core"
import { Turn } from "@wield/core"
import type { StreamDecoder } from "@wield/providers"
import { isDeepStrictEqual } from "node:util"
import type { Expected } from "../exchanges.js"
import { attempt, Thrown } from "./attempt.js"
import { checkCalls } from "./calls.js"
import { firstDifference } from "./firstDifference.js"
import type { Case } from "./formats.js"
import type { Ledger } from "./Ledger.js"
import { isOdd } from "./oddities.js"
import { seeded } from "./random.js"
import { apiErrors } from "./responses.js"

const cutsPerStream = 20

/** Where a stream is broken off, as parts of its bytes. */
const breaks = [0, 0.1, 0.3, 0.5, 0.7, 0.9]

interface Run {
  readonly events: ReadonlyArray<TurnEvent.TurnEvent>
  readonly turn: Turn.Turn
  readonly failure: ReturnType<StreamDecoder["failure"]>
}

export const checkStream = (
  file: string,
  bytes: Uint8Array,
  { format }: Case,
  oracle: Expected | undefined,
  ledger: Ledger
): void => {
  ledger.counts.streams++
  const check = (isMet: boolean, failure: () => string) => ledger.check(isMet, () => `${file}: ${failure()}`)
  const read = (pieces: ReadonlyArray<Uint8Array>): Run | string => runOf(format.streamDecoder(), pieces)

  const whole = read([bytes])
  if (typeof whole === "string") {
    check(false, () => whole)
    return
  }
  if (bytes.length === 0) {
    check(whole.failure !== undefined && !whole.turn.isComplete, () => "a stream of nothing is taken for a turn")
    return
  }
  if (isOdd(file, "fails") || saysError(bytes)) {
    check(apiErrors.has(whole.failure?._tag ?? ""), () => `no error is told of, but ${whole.failure?._tag}`)
    check(!whole.turn.isComplete, () => "a stream that failed gives a complete turn")
  } else {
    check(whole.failure === undefined, () => `failed: ${whole.failure?.message}`)
    check(whole.turn.isComplete, () => "the whole stream gives an incomplete turn")
  }
  checkEvents(file, whole, check)
  // Calls that the provider runs have no events, and no other call of a whole response stays open.
  const count = (tag: TurnEvent.TurnEvent["_tag"]) => whole.events.filter((event) => event._tag === tag).length
  if (whole.turn.isComplete && whole.turn.finish !== "length") {
    check(count("CallStarted") === count("CallComplete"), () => "a call was started that is not complete")
  }
  checkCalls(file, whole.turn, oracle, ledger)

  ledger.counts.cuts += cutsPerStream
  const cut = read(pieces(bytes, file))
  const difference =
    typeof cut === "string"
      ? cut
      : firstDifference({ turn: whole.turn, events: joined(whole) }, { turn: cut.turn, events: joined(cut) })
  check(difference === "", () => `cut at ${cutsPerStream} places it reads otherwise: ${difference}`)

  for (const part of breaks) {
    ledger.counts.breaks++
    const broken = read([bytes.subarray(0, Math.floor(bytes.length * part))])
    check(typeof broken !== "string", () => `broken off at ${part}: ${String(broken)}`)
    if (typeof broken !== "string")
      checkBroken(file, broken, whole, (isMet, failure) => check(isMet, () => `broken off at ${part}: ${failure()}`))
  }
}

/** Whether the model's turn ends by an error that the API has words for (Cohere). */
const saysError = (bytes: Uint8Array): boolean =>
  /"finish_reason":"ERROR"[^\n]*"error":"/.test(new TextDecoder().decode(bytes))

type Check = (isMet: boolean, failure: () => string) => boolean

/** What a reader of the events relies on. */
const checkEvents = (file: string, { events, turn }: Run, check: Check): void => {
  const completed = events.filter((event) => event._tag === "CallComplete")
  const called = turn.parts.filter((part) => part._tag === "Call" && part.executedBy === "application")
  check(
    isDeepStrictEqual(
      completed.map((event) => event.part),
      called
    ) || isDeepStrictEqual(sorted(completed.map((event) => event.part)), sorted(called)),
    () =>
      `calls announced: ${firstDifference(
        called,
        completed.map((event) => event.part)
      )}`
  )
  check(new Set(completed.map((event) => event.index)).size === completed.length, () => "one index announces two calls")
  const started = new Set(events.flatMap((event) => (event._tag === "CallStarted" ? [event.index] : [])))
  check(
    completed.every((event) => started.has(event.index)),
    () => "a call is complete that was not started"
  )
  if (isOdd(file, "text")) return
  const text = events.flatMap((event) => (event._tag === "TextDelta" ? [event.text] : [])).join("")
  check(text === Turn.text(turn), () => `the text streamed: ${firstDifference(Turn.text(turn), text)}`)
}

const sorted = (parts: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  parts.map((part) => JSON.stringify(part)).sort()

/** Incomplete, unless all that is missing comes after the end of the turn itself. */
const checkBroken = (file: string, broken: Run, whole: Run, check: Check): void => {
  checkEvents(file, broken, check)
  check(
    !broken.turn.isComplete || isDeepStrictEqual(broken.turn.parts, whole.turn.parts),
    () => `complete, without ${firstDifference(whole.turn.parts, broken.turn.parts)}`
  )
  const known = new Set(sorted(Turn.calls(whole.turn)))
  check(
    sorted(Turn.calls(broken.turn)).every((call) => known.has(call)),
    () => `a call that is none: ${firstDifference(Turn.calls(whole.turn), Turn.calls(broken.turn))}`
  )
}

const runOf = (decoder: StreamDecoder, pieces: ReadonlyArray<Uint8Array>): Run | string => {
  const events = attempt(() => [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()])
  if (events instanceof Thrown) return `the stream decoder threw ${events.reason}`
  const last = events.at(-1)
  const isFinishedOnce = events.filter((event) => event._tag === "Finished").length === 1
  if (last?._tag !== "Finished" || !isFinishedOnce) return "Finished is not last, or not once"
  return { events, turn: last.turn, failure: decoder.failure() }
}

/** The stream cut at random places, which are the same in every run. */
const pieces = (bytes: Uint8Array, seed: string): ReadonlyArray<Uint8Array> => {
  const next = seeded(seed)
  const places = Array.from({ length: cutsPerStream }, () => next(bytes.length + 1)).sort((left, right) => left - right)
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
}

/** The events with neighbouring deltas of one kind joined. */
const joined = ({ events }: Run): ReadonlyArray<TurnEvent.TurnEvent> => {
  const out: Array<TurnEvent.TurnEvent> = []
  for (const event of events) {
    const last = out.at(-1)
    if (last !== undefined && "text" in event && "text" in last && isSameKind(last, event)) {
      out[out.length - 1] = { ...last, text: last.text + event.text }
    } else out.push(event)
  }
  return out
}

const isSameKind = (left: TurnEvent.TurnEvent, right: TurnEvent.TurnEvent): boolean =>
  left._tag === right._tag && ("index" in left ? left.index : 0) === ("index" in right ? right.index : 0)
