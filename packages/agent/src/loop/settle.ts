/**
 * One call outside of a turn: one that waited and was answered, or one that a
 * process did not live to finish. Its result is recorded before anything else
 * happens, also when the run is interrupted meanwhile.
 */
import type { Response, ToolCall, ToolRunner } from "@wield/core"
import * as Digest from "@wield/core/Digest"
import * as Journal from "@wield/core/Journal"
import * as Outcome from "@wield/core/Outcome"
import { IncompleteContext } from "@wield/core/ResponseError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Decision } from "../Conversation.js"
import { type Answer, nameOf } from "../DeferredCall.js"
import { canonical } from "../deferred/canonical.js"
import type { Run } from "./plan.js"
import { appendResults, takenOutcomes, untilRecorded } from "./record.js"
import type { State } from "./state.js"

/** Goes on with a call that waited; what a tool of failureMode "error" raises is an outcome here, like any other. */
export const resume = (
  state: State,
  entry: string,
  run: Run,
  waiting: ToolRunner.Waiting,
  response: Response.Response,
  taken: ReadonlyArray<Taken>
): Effect.Effect<Outcome.Outcome, unknown> =>
  settleRecorded(state, entry, waiting.call, (watcher) =>
    Effect.provideService(run.resume(waiting, response, watcher), Journal.AnsweredBy, answerersOf(taken))
  )

const answerersOf = (taken: ReadonlyArray<Taken>): string | undefined => {
  const names = taken.flatMap(({ decision: { by } }) => (by === undefined ? [] : [nameOf(by)]))
  return names.length === 0 ? undefined : names.join(", ")
}

/** An answer that was taken, and the digest by which it is known when it is given again. */
export interface Taken {
  readonly digest: string
  readonly decision: Decision
}

export const recordOf = ({ by, request, response }: Answer): Effect.Effect<Taken> =>
  Effect.map(Clock.currentTimeMillis, (at) => ({
    digest: digestOfAnswer(request.entry, request, response),
    decision: {
      request: request.id,
      call: request.call.id,
      name: request.name,
      shown: request.arguments,
      ...(request.why === undefined ? {} : { why: request.why }),
      response: response._tag,
      ...(response._tag === "Approve" && response.arguments !== undefined ? { arguments: response.arguments } : {}),
      ...(response._tag === "Deny" ? { reason: response.reason } : {}),
      ...(by === undefined ? {} : { by }),
      at
    }
  }))

/** The same for the same answer to the same request. */
export const digestOfAnswer = (
  entry: string,
  { call, digest, name }: Pick<ToolRunner.Waiting, "call" | "digest" | "name">,
  response: Response.Response
): string => Digest.ofText(canonical({ entry, call, name, digest, response }))

/**
 * What the journal knows of the call decides whether it is run. Where a person has answered, and nothing was begun, it is
 * asked about again: a denial holds, also where the rule allows the call by now, and so does what was edited.
 */
export const recover = (
  state: State,
  entry: string,
  run: Run,
  call: ToolCall.ToolCall
): Effect.Effect<Outcome.Outcome, unknown> =>
  settleRecorded(state, entry, call, (watcher) =>
    run
      .forRun({ isRecovered: true, isCopied: isCopy(state, entry), isAsked: isAnswered(state, entry, call) })
      .settle([call], watcher)
  )

const isCopy = ({ entries }: State, entry: string): boolean =>
  entries.some(({ id, isCopy }) => id === entry && isCopy === true)

const isAnswered = ({ entries }: State, entry: string, { id }: ToolCall.ToolCall): boolean =>
  entries
    .slice(entries.findIndex((one) => one.id === entry))
    .some(({ decisions = [] }) => decisions.some(({ call }) => call === id))

const settleRecorded = (
  state: State,
  entry: string,
  call: ToolCall.ToolCall,
  settle: (watcher: ToolRunner.Watcher) => Effect.Effect<unknown, unknown>
): Effect.Effect<Outcome.Outcome, unknown> =>
  Effect.uninterruptibleMask((restore) =>
    untilRecorded(
      state,
      Effect.gen(function* () {
        let ended: Outcome.Outcome | undefined
        let isBegun = false
        const telling = state.watcher
        const watcher: ToolRunner.Watcher = {
          entered: telling.entered,
          started: (started) => {
            isBegun = true
            return telling.started(started)
          },
          progress: telling.progress,
          finished: (finished, outcome) => {
            ended = outcome
            return telling.finished(finished, outcome)
          }
        }
        const exit = yield* Effect.exit(restore(settle(watcher)))
        // Recorded, it could not be made up for. A run that has the context goes on with the call.
        if (ended?._tag === "MissingContext") {
          const fields = ended.issues.map(({ path }) => path.join("."))
          return yield* new IncompleteContext({ call: call.id, tool: call.name, fields })
        }
        // A response that was refused has begun nothing.
        const outcome = ended ?? (isBegun ? new Outcome.Interrupted({ call }) : undefined)
        const outcomes = yield* takenOutcomes(state, outcome === undefined ? [] : [outcome])
        yield* appendResults(state, entry, outcomes)
        if (ended !== undefined) return ended
        if (Exit.isFailure(exit)) return yield* Effect.failCause(exit.cause)
        return yield* Effect.dieMessage("a call came to no outcome")
      })
    )
  )
