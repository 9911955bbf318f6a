/**
 * One run at a time for each conversation, across the processes that share its journal: that a run goes on stands there
 * as a call that has begun, so that its end, and that of its process, are known everywhere. In one process the agents
 * themselves see to it.
 */
import * as Journal from "@wield/core/Journal"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Conversation } from "../Conversation.js"
import type { Plan } from "./plan.js"

/** What another process is at, until it is over; `"own"` where this one has it now, `undefined` where nothing is known. */
type Taken = "own" | { readonly over: Effect.Effect<void, unknown> } | undefined

/** How many runs of each conversation this process is at. */
const held = new WeakMap<Journal.Service, Map<string, number>>()

const heldIn = (journal: Journal.Service): Map<string, number> => {
  const known = held.get(journal) ?? new Map<string, number>()
  held.set(journal, known)
  return known
}

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
    const begin: Effect.Effect<Taken> = Effect.flatMap(takeSoon(journal, id, restore), (taken) =>
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
  return Effect.suspend(() => {
    if (heldIn(journal).has(id)) return Effect.succeed(false)
    const asked = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(takeSoon(journal, id, restore), (taken) =>
        taken === "own" ? Effect.as(giveUp(journal, id), false) : Effect.succeed(taken !== undefined)
      )
    )
    // Most are at none. What is begun may be of a process that has died.
    return Effect.flatMap(Effect.catchAllCause(journal.look(keyOf(id)), warn), (known) =>
      known?._tag === "Begun" ? asked : Effect.succeed(false)
    )
  })
}

const sharedJournal = ({ journal }: Plan, { isDurable, isOfOneProcess }: Conversation<unknown>) =>
  isDurable && isOfOneProcess !== true ? journal?.journal : undefined

/** Who waits no longer is not held up by a database that does not answer: what is taken then is given up again. */
const takeSoon = (
  journal: Journal.Service,
  conversation: string,
  restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
): Effect.Effect<Taken> =>
  Effect.flatMap(Effect.forkDaemon(take(journal, conversation)), (fiber) =>
    Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
      Effect.forkDaemon(
        Effect.flatMap(Fiber.join(fiber), (taken) => (taken === "own" ? giveUp(journal, conversation) : Effect.void))
      )
    )
  )

const take = (journal: Journal.Service, conversation: string, isAgain = false): Effect.Effect<Taken> =>
  Effect.suspend(() => {
    const all = heldIn(journal)
    const count = all.get(conversation)
    if (count !== undefined) {
      all.set(conversation, count + 1)
      return Effect.succeed<Taken>("own")
    }
    return Effect.flatMap(journal.begin(keyOf(conversation), "run"), (known): Effect.Effect<Taken, unknown> => {
      if (known._tag === "Fresh") {
        all.set(conversation, (all.get(conversation) ?? 0) + 1)
        return Effect.succeed("own")
      }
      // Another run of this process has begun it meanwhile.
      if (known._tag === "Running") return all.has(conversation) ? take(journal, conversation) : Effect.succeed(known)
      // Its process has died.
      return isAgain
        ? Effect.succeed(undefined)
        : Effect.zipRight(journal.abandon(keyOf(conversation)), take(journal, conversation, true))
    })
  }).pipe(Effect.catchAllCause(warn), Effect.uninterruptible)

const giveUp = (journal: Journal.Service, conversation: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const all = heldIn(journal)
    const left = (all.get(conversation) ?? 1) - 1
    if (left > 0) return Effect.sync(() => void all.set(conversation, left))
    all.delete(conversation)
    return Effect.catchAllCause(journal.abandon(keyOf(conversation)), warn)
  })

const warn = (cause: Cause.Cause<unknown>): Effect.Effect<undefined> =>
  Effect.as(
    Effect.logWarning(
      "The journal cannot say which process is at a conversation: of two messages that come to two processes, one may be refused by AppendConflict",
      cause
    ),
    undefined
  )

/** A call that a model named like this is another one. */
const keyOf = (run: string): Journal.Key => Journal.keyOf(run, "run")
