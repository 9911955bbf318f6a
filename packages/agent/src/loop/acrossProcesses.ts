/**
 * One run at a time for each conversation, across the processes that share its journal: that a run goes on stands there
 * as a call that has begun, so that its end, and that of its process, are known everywhere.
 */
import * as Digest from "@wield/core/Digest"
import type { Journal } from "@wield/core"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Conversation } from "../Conversation.js"
import type { Plan } from "./plan.js"

/** What another process is at, until it is over; `"own"` where this one has it now, `undefined` where nothing is known. */
type Taken = "own" | { readonly over: Effect.Effect<void, unknown> } | undefined

/**
 * Runs an effect as the run of its conversation, when no other process is at one. What the journal cannot say keeps
 * nothing from running: no entry is written over.
 */
export const asOnlyRun = <A>(
  plan: Plan,
  conversation: Conversation<unknown>,
  run: Effect.Effect<A, unknown>
): Effect.Effect<A, unknown> => {
  const journal = sharedJournal(plan, conversation)
  if (journal === undefined) return run
  const { id } = conversation
  return Effect.uninterruptibleMask((restore) => {
    const begin: Effect.Effect<Taken> = Effect.flatMap(take(journal, id), (taken) =>
      typeof taken === "object"
        ? Effect.zipRight(restore(Effect.catchAllCause(taken.over, warn)), begin)
        : Effect.succeed(taken)
    )
    return Effect.flatMap(begin, (taken) =>
      taken === "own" ? Effect.ensuring(restore(run), giveUp(journal, id)) : restore(run)
    )
  })
}

/** Whether another process is at a run of the conversation. */
export const isRunElsewhere = (plan: Plan, conversation: Conversation<unknown>): Effect.Effect<boolean> => {
  const journal = sharedJournal(plan, conversation)
  if (journal === undefined) return Effect.succeed(false)
  const { id } = conversation
  return Effect.uninterruptible(
    Effect.flatMap(take(journal, id), (taken) =>
      taken === "own" ? Effect.as(giveUp(journal, id), false) : Effect.succeed(taken !== undefined)
    )
  )
}

const sharedJournal = ({ journal }: Plan, { isDurable, isOfOneProcess }: Conversation<unknown>) =>
  isDurable && isOfOneProcess !== true ? journal?.journal : undefined

const take = (journal: Journal.Service, conversation: string, isAgain = false): Effect.Effect<Taken> =>
  Effect.suspend(() => journal.begin(keyOf(conversation), "run")).pipe(
    Effect.flatMap((known): Effect.Effect<Taken, unknown> => {
      if (known._tag === "Fresh") return Effect.succeed("own")
      if (known._tag === "Running") return Effect.succeed({ over: known.over })
      // Its process has died.
      return isAgain
        ? Effect.succeed(undefined)
        : Effect.zipRight(journal.abandon(keyOf(conversation)), take(journal, conversation, true))
    }),
    Effect.catchAllCause(warn)
  )

const giveUp = (journal: Journal.Service, conversation: string): Effect.Effect<void> =>
  Effect.catchAllCause(
    Effect.suspend(() => journal.abandon(keyOf(conversation))),
    warn
  )

const warn = (cause: Cause.Cause<unknown>): Effect.Effect<undefined> =>
  Effect.as(
    Effect.logWarning(
      "The journal cannot say which process is at a conversation: of two messages that come to two processes, one may be refused by AppendConflict",
      cause
    ),
    undefined
  )

/** No call has this digest, so a call that a model named like this is another one. */
const keyOf = (run: string): Journal.Key => ({ run, call: "run", digest: (digestOfRuns ??= Digest.ofText("run")) })
let digestOfRuns: string | undefined
