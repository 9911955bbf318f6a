/**
 * A call that its client was given is the client's, which may be at it: no rule, limit or later answer takes it back.
 * Where the policy could, the ledger has that it was handed out.
 */
import * as Effect from "effect/Effect"
import * as Digest from "../Digest.js"
import { effectOf } from "../internal/effectOf.js"
import { canonical, isObject, type JsonObject } from "../Json.js"
import type * as Journal from "../Journal.js"
import type { JournalError } from "../JournalError.js"
import type { Deferred, Outcome } from "../Outcome.js"
import { restoreEdit, unrecordedOutcome } from "./begin.js"
import type { Execution, Step } from "./execution.js"
import { editOf } from "./input.js"
import { attempt } from "./ledger.js"
import { limitCall } from "./limit.js"

/** What the call waits for again where it was handed out before; otherwise what its policy says. */
export const unlessHandedOut = (execution: Execution, waiting: () => Step, otherwise: () => Step): Step => {
  const { ledger } = execution.run
  if (ledger === undefined || !isHeld(execution)) return otherwise()
  return ledger.ask(
    "look",
    (journal) => journal.look(keyOf(execution)),
    (known) => {
      if (known._tag !== "Finished" || known.ending._tag !== "Success") return otherwise()
      execution.isHandedOut = true
      // It was given the arguments that a person had made of them, as JSON.
      const edited = isObject(known.ending.encoded) ? (known.ending.encoded as JsonObject) : undefined
      // What was sent is an object by now.
      execution.arguments = edited ?? (JSON.parse(execution.argumentText) as JsonObject)
      restoreEdit(execution.notes, edited)
      return waiting()
    },
    (error) => unrecordedOutcome(execution, error, false)
  )
}

/** Whether the client was given the call, as it was shown to it: it answers that, whatever has become of the tool since. */
export const wasHandedOut = (execution: Execution, shown: unknown): Effect.Effect<boolean, JournalError> => {
  const { entry, machine, name, run, sent } = execution
  if (entry.handler !== undefined || !isObject(shown)) return Effect.succeed(false)
  const isShown = (text: string): boolean => canonical(shown) === text
  // No one had to allow it.
  if (machine.ruleFor(name) === undefined) return Effect.succeed(isShown(sent.argumentText))
  const { ledger } = run
  if (ledger === undefined) return Effect.succeed(false)
  return Effect.map(
    attempt("look", () => ledger.journal.look(keyOf(execution))),
    (known) =>
      known._tag === "Finished" &&
      known.ending._tag === "Success" &&
      isShown(known.ending.encoded === null ? sent.argumentText : canonical(known.ending.encoded))
  )
}

/** Hands out what waits for its client, within its limits: what the client has carried out is never refused. */
export const handOut = (execution: Execution, waiting: Deferred): Outcome | Effect.Effect<Outcome> => {
  const { isKnown, isRecovered } = execution.run
  if (waiting.waitsFor !== "client" || execution.isHandedOut || !isHeld(execution)) return waiting
  // Without a record, an earlier process may have handed it out.
  const refused = isRecovered && !isKnown ? undefined : limitCall(execution)
  return Effect.isEffect(refused)
    ? Effect.flatMap(refused, (ended) => effectOf(ended ?? record(execution, waiting)))
    : (refused ?? record(execution, waiting))
}

/** Whether the policy has anything to say of the call. */
const isHeld = ({ entry, machine, name }: Execution): boolean => {
  const limiter = machine.limiterFor(entry)
  return (
    machine.ruleFor(name) !== undefined ||
    limiter?.rate !== undefined ||
    limiter?.cache !== undefined ||
    machine.policy.quotas !== undefined
  )
}

const record = (execution: Execution, waiting: Deferred): Outcome | Effect.Effect<Outcome> => {
  const { ledger } = execution.run
  if (ledger === undefined) return waiting
  const ending: Journal.Ending = { _tag: "Success", encoded: editOf(execution.notes) ?? null }
  const written = (): void | Effect.Effect<void, JournalError> => ledger.journal.finish(keyOf(execution), ending)
  if (ledger.isInMemory) {
    written()
    return waiting
  }
  return Effect.match(attempt("finish", written), {
    onSuccess: () => waiting,
    onFailure: (error) => unrecordedOutcome(execution, error, false)
  })
}

/** No call has this digest, so a call that a model named like this is another one. */
const keyOf = ({ call, digest, run, sent }: Execution): Journal.Key => ({
  run: sent.run,
  call: `client:${run.nameOf(call.id)}`,
  digest: Digest.ofValues("client", digest)
})
