/** What a page hears where something is wrong: its own mistakes in words, those of the program by a reference of the log. */
import * as ModelError from "@wield/agent/ModelError"
import * as Json from "@wield/core/Json"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Event } from "../Chat.js"
import { type Code, Refused } from "../ChatError.js"

/** What the program has to see, and a page only by its reference. */
export const internal = (what: string, cause: Cause.Cause<unknown>): Effect.Effect<never, Refused> =>
  Effect.suspend(() => {
    const reference = crypto.randomUUID()
    return Effect.zipRight(
      Effect.logError(`A chat failed: ${what} (reference ${reference})`, cause),
      new Refused({ code: "Internal", detail: `Something went wrong here (reference ${reference})` })
    )
  })

export const refuse = (code: Code, detail: string): Effect.Effect<never, Refused> =>
  Effect.fail(new Refused({ code, detail }))

/** Of another's conversation a page learns no more than of none. */
export const unknown = (conversation: string) =>
  refuse("UnknownConversation", `There is no conversation ${Json.canonical(conversation)}`)

export const refuseStore = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Refused, R> =>
  Effect.catchAll(effect, (error) => {
    if (error instanceof Refused) return Effect.fail(error)
    return Predicate.hasProperty(error, "_tag") && error._tag === "ConversationNotFound"
      ? refuse("UnknownConversation", "There is no such conversation")
      : internal("the store of conversations", Cause.fail(error))
  })

const stale: ReadonlySet<unknown> = new Set(["StaleResponse", "ExpiredRequest", "TamperedRequest"])

/**
 * What is asked about again: it is answered too late, or as it was before. Requests are the store's, which no page
 * changes: what signed one is another secret by now, or nothing was signed then.
 */
export const isStale = (error: unknown): boolean => Predicate.hasProperty(error, "_tag") && stale.has(error._tag)

/** Mistakes of a page, whose words are for it. */
const mistakes: { readonly [tag: string]: Code } = {
  AlreadyAnswered: "NotWaiting",
  UnknownRequest: "NotWaiting",
  NotWaiting: "NotWaiting",
  WaitingForAnswers: "WaitsForAnswers",
  EntryIdTaken: "IdTaken",
  InvalidAnswer: "InvalidAnswer",
  WrongKindOfResponse: "InvalidAnswer",
  InvalidEdit: "InvalidAnswer",
  InvalidReply: "InvalidAnswer",
  NothingToDo: "InvalidRequest"
}

export const whyOf = (cause: Cause.Cause<unknown>, isStopping: boolean) =>
  Effect.suspend((): Effect.Effect<Refused | Extract<Event, { readonly _tag: "Failed" }>> => {
    // A call that was stopped may fail in its own way.
    if (Cause.isInterruptedOnly(cause) || (isStopping && Cause.isInterrupted(cause))) {
      return Effect.succeed({ _tag: "Failed", code: "Stopped", message: "The run was stopped" } as const)
    }
    const error = Cause.squash(cause)
    const tag = Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "Defect"
    const code = Object.hasOwn(mistakes, tag) ? mistakes[tag] : undefined
    if (code !== undefined && error instanceof Error)
      return Effect.succeed(new Refused({ code, detail: error.message }))
    const reference = crypto.randomUUID()
    const words = ModelError.isPassing(error)
      ? "The model cannot be reached now. Try again in a moment"
      : ModelError.isModelError(error)
        ? "The model gave no answer"
        : tag === "TooManyMistakes"
          ? "The model made too many mistakes"
          : "Something went wrong here"
    return Effect.as(Effect.logError(`A run of a chat failed (reference ${reference})`, cause), {
      _tag: "Failed",
      // What else went wrong inside is for the log.
      code: ModelError.isModelError(error) || tag === "TooManyMistakes" ? tag : "Internal",
      message: `${words} (reference ${reference})`
    } as const)
  })
