/**
 * What a person is asked about a call, kept by the call's id, for a host whose
 * answer names nothing but the id. Only the last question of an id counts.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Allow } from "../Approval.js"
import * as Digest from "../Digest.js"
import type * as Journal from "../Journal.js"
import type { JournalError } from "../JournalError.js"
import { Defect, isDeferred, type Deferred, type Outcome } from "../Outcome.js"
import type { ToolCall } from "../ToolCall.js"
import { attempt } from "./ledger.js"
import type { Machine } from "./machine.js"
import { reference } from "./reference.js"
import { preview } from "./resume.js"
import type { Run } from "./run.js"

/** As `preview`; what waits for a person is kept. */
export const ask = (machine: Machine, current: () => Run, call: ToolCall): Effect.Effect<Allow | Outcome, unknown> =>
  Effect.flatMap(preview(machine, current, call), (seen) =>
    seen._tag !== "Allow" && isDeferred(seen) && seen.waitsFor === "approval"
      ? Effect.catchAll(Effect.as(rememberAsk(machine, current(), seen), seen), (error) =>
          Effect.succeed(new Defect({ call, notes: seen.notes, reference: reference(), cause: Cause.fail(error) }))
        )
      : Effect.succeed(seen)
  )

/** The id of the request that was made last under this call id. */
export const lastAsk = (
  machine: Machine,
  current: () => Run,
  id: string
): Effect.Effect<string | undefined, JournalError> =>
  Effect.suspend(() => {
    const key = keyOfAsk(current(), id)
    const { ledger } = machine
    if (ledger === undefined) return Effect.succeed(machine.asks.get(nameOfAsk(key)))
    return Effect.map(
      attempt("look", () => ledger.journal.look(key)),
      (known) =>
        known._tag === "Finished" && known.ending._tag === "Success" && typeof known.ending.encoded === "string"
          ? known.ending.encoded
          : undefined
    )
  })

const rememberAsk = (
  { asks, ledger }: Machine,
  run: Run,
  { call, requestId }: Deferred
): Effect.Effect<void, JournalError> => {
  const key = keyOfAsk(run, call.id)
  if (ledger !== undefined) {
    return attempt("finish", () => ledger.journal.finish(key, { _tag: "Success", encoded: requestId }))
  }
  const text = nameOfAsk(key)
  asks.delete(text)
  asks.set(text, requestId)
  const [oldest] = asks.keys()
  if (asks.size > mostAsks && oldest !== undefined) asks.delete(oldest)
  return Effect.void
}

/** So many questions are kept where there is no journal. */
const mostAsks = 10_000

/** No call has this digest, so a call that a model named like this is another one. */
const keyOfAsk = (run: Run, id: string): Journal.Key => ({
  run: run.id,
  call: `asked:${run.nameOf(id)}`,
  digest: (digestOfAsks ??= Digest.ofText("asked"))
})
let digestOfAsks: string | undefined

const nameOfAsk = ({ call, run }: Journal.Key): string => `${run.length}:${run}${call}`
