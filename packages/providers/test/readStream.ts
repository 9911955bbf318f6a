/** A streamed body read by a format's decoder, and what must hold of every one. */
import { expect } from "@effect/vitest"
import type { Turn, TurnEvent } from "@wield/core"
import type { StreamDecoder } from "../src/StreamDecoder.js"
import type { Offered, WireFormat } from "../src/WireFormat.js"

export interface StreamRead {
  readonly events: ReadonlyArray<TurnEvent.TurnEvent>
  readonly turn: Turn.Turn
  readonly failure: ReturnType<StreamDecoder["failure"]>
}

/** Reads the body in pieces that end at these places, each a share of it between 0 and 1. */
export const readStream = (
  format: WireFormat,
  bytes: Uint8Array,
  cuts: ReadonlyArray<number> = [],
  offered?: Offered
): StreamRead => {
  const decoder = format.streamDecoder(offered)
  const events: Array<TurnEvent.TurnEvent> = []
  let at = 0
  for (const cut of [...cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b), bytes.length]) {
    events.push(...decoder.push(bytes.subarray(at, cut)))
    at = cut
  }
  events.push(...decoder.end())
  const last = events.at(-1)
  if (last?._tag !== "Finished") throw new Error("The last event is not Finished")
  const read = { events, turn: last.turn, failure: decoder.failure() }
  expectSound(format, read)
  return read
}

/** What must hold of every stream, whole or broken. */
const expectSound = (format: WireFormat, { events, failure, turn }: StreamRead): void => {
  expect(events.filter((event) => event._tag === "Finished")).toHaveLength(1)
  const complete = events
    .flatMap((event) => (event._tag === "CallComplete" ? [event] : []))
    .sort((left, right) => left.index - right.index)
    .map((event) => event.part)
  // Whatever was announced complete may be running already: it has to be in the turn, and nothing else.
  expect(turn.parts.filter((part) => part._tag === "Call" && part.executedBy === "application")).toEqual(complete)
  if (failure !== undefined) {
    expect(turn.isComplete).toBe(false)
    expect(failure.format).toBe(format.name)
  }
  expect(format.encodeResults(turn, []).pending).toHaveLength(complete.length)
  const started = new Set<number>()
  for (const event of events) {
    if (event._tag === "CallStarted") started.add(event.index)
    else if (event._tag === "ArgumentsDelta" || event._tag === "CallComplete") expect(started).toContain(event.index)
  }
}

/** The text of all events of one kind. */
export const deltas = (
  events: ReadonlyArray<TurnEvent.TurnEvent>,
  tag: "TextDelta" | "ReasoningDelta" | "ArgumentsDelta"
): string => events.map((event) => (event._tag === tag ? event.text : "")).join("")
