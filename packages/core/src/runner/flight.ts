/**
 * The calls that are being handled in this process: the same call, made a
 * second time, waits for the outcome of the first.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Journal from "../Journal.js"
import type { Outcome } from "../Outcome.js"
import type { Execution } from "./execution.js"
import type { Flight, Machine } from "./machine.js"

/** The flight of the same call, if there is one that will land; else the call itself takes off. */
export const takeOff = (execution: Execution, key: Journal.Key): Flight | undefined => {
  const { fiber, machine } = execution
  const ofId = machine.inFlight.get(key.call)
  const same = ofId?.find((flight) => isSame(flight.key, key))
  if (same !== undefined && same.fiber.unsafePoll() === null) return same
  const own: Flight = { key, fiber, landing: undefined }
  if (ofId === undefined) machine.inFlight.set(key.call, [own])
  else if (same === undefined) ofId.push(own)
  else ofId[ofId.indexOf(same)] = own
  execution.flight = own
  return undefined
}

export const awaitLanding = (execution: Execution, flight: Flight): Effect.Effect<Outcome> =>
  Deferred.await((flight.landing ??= Deferred.unsafeMake<Outcome>(execution.fiber.id())))

/** Gives the outcome to those who wait for the same call. */
export const land = (execution: Execution, outcome: Outcome): void => {
  const { flight, machine } = execution
  if (flight === undefined) return
  execution.flight = undefined
  leave(machine, flight)
  if (flight.landing !== undefined) Deferred.unsafeDone(flight.landing, Effect.succeed(outcome))
}

const leave = ({ inFlight }: Machine, flight: Flight): void => {
  const ofId = inFlight.get(flight.key.call)
  const index = ofId?.indexOf(flight) ?? -1
  // Another has taken its place.
  if (ofId === undefined || index < 0) return
  if (ofId.length === 1) inFlight.delete(flight.key.call)
  else ofId.splice(index, 1)
}

/** The digests last: they have to be worked out. */
const isSame = (left: Journal.Key, right: Journal.Key): boolean =>
  left.run === right.run && left.digest === right.digest
