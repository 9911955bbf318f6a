/**
 * Going on with a deferred call. Everything that can refuse the response comes
 * first, and leaves no trace: no entry in the journal, no metric, no span.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Allow } from "../Approval.js"
import { unheard } from "../CurrentCall.js"
import { effectOf } from "../internal/effectOf.js"
import { isObject } from "../Json.js"
import { holds, orThrow } from "../Options.js"
import { type InvalidArguments, isOutcome, type Outcome } from "../Outcome.js"
import { JournalError } from "../JournalError.js"
import type { Response } from "../Response.js"
import type { ResponseError, StaleResponse } from "../ResponseError.js"
import type { ToolCall } from "../ToolCall.js"
import type * as ToolRunner from "../ToolRunner.js"
import { authorize, deny } from "./authorize.js"
import { diedBefore, withOffer, watch } from "./batch.js"
import { asksOf, before, begin, isOfClient } from "./begin.js"
import { decode } from "./decode.js"
import { type Answer, Execution } from "./execution.js"
import { wasHandedOut } from "./handOut.js"
import { find } from "./find.js"
import { waiting } from "./input.js"
import type { Machine } from "./machine.js"
import { defectOf, enter, pipeline, type Stage, stagesFrom, survive } from "./pipeline.js"
import {
  checkedTag,
  incomplete,
  invalidEdit,
  contextIssuesOf,
  nameIssuesOf,
  notWaiting,
  replace,
  respond,
  respondToInput,
  needsApproval,
  stale
} from "./respond.js"
import type { Run } from "./run.js"
import { openSpan } from "./span.js"

/** The outcome that the response leads to. */
export const resumeCall = (
  machine: Machine,
  current: () => Run,
  waiting: ToolRunner.Waiting,
  response: Response,
  watcher: ToolRunner.Watcher | undefined
): Effect.Effect<Outcome, unknown> =>
  withOffer(
    machine,
    current,
    (run, offer, fiber) => {
      const answer = answerOf(waiting, response)
      const { call } = waiting
      const progress = watcher === undefined ? unheard : watcher.progress(call)
      const execution = new Execution(machine, run, offer, call, progress, answer, fiber)
      return Effect.flatMap(examineSafely(execution, answer), (stages) => {
        const go = () => goOn(execution, stages)
        return watcher === undefined ? go() : effectOf(watch(watcher, call, () => execution, go))
      })
    },
    (cause) => diedBefore(waiting.call, cause)
  )

/** Whether the response would be refused. What else would come of it is an outcome, and no refusal. */
export const check = (
  machine: Machine,
  current: () => Run,
  waiting: ToolRunner.Waiting,
  response: Response
): Effect.Effect<void, unknown> =>
  withOffer(
    machine,
    current,
    (run, offer, fiber) => {
      const answer = answerOf(waiting, response)
      const execution = new Execution(machine, run, offer, waiting.call, unheard, answer, fiber)
      return Effect.asVoid(examineSafely(execution, answer))
    },
    () => Effect.void
  )

/** How the call would end before anything of it is begun; `Allow`, where it would be begun. */
export const preview = (
  machine: Machine,
  current: () => Run,
  call: ToolCall
): Effect.Effect<Allow | Outcome, unknown> =>
  withOffer<Allow | Outcome>(
    machine,
    current,
    (run, offer, fiber) => {
      const execution = new Execution(machine, run, offer, call, unheard, undefined, fiber)
      return survive(
        Effect.suspend(() =>
          Effect.map(
            through(execution, stagesFrom(find, begin)),
            (outcome) => outcome ?? { _tag: "Allow", subject: execution.subject }
          )
        ),
        (cause) => Effect.succeed(defectOf(execution, cause))
      )
    },
    (cause) => diedBefore(call, cause)
  )

/** What the call asks now, where it waits for input. Nothing of it is begun. */
export const asks = (
  machine: Machine,
  current: () => Run,
  call: ToolCall
): Effect.Effect<Outcome | undefined, unknown> =>
  withOffer<Outcome | undefined>(
    machine,
    current,
    (run, offer, fiber) => {
      const execution = new Execution(machine, run, offer, call, unheard, undefined, fiber)
      const asked = Effect.gen(function* () {
        const ended = yield* through(execution, stagesFrom(find, decode))
        const last = ended === undefined ? (yield* asksOf(execution)).at(-1) : undefined
        return last === undefined ? undefined : waiting(execution, last)
      })
      return survive(asked, (cause) =>
        Option.match(Cause.failureOption(cause), {
          onSome: Effect.fail,
          onNone: () => Effect.succeed(defectOf(execution, cause))
        })
      )
    },
    (cause) => diedBefore(call, cause)
  )

const answerOf = (waiting: ToolRunner.Waiting, response: Response): Answer => {
  orThrow(aWaitingCall(waiting), "What is answered")
  const { arguments: shown, digest, input, requestId } = waiting
  return { digest, requestId, arguments: shown, input, response }
}

const aWaitingCall = holds("a deferred call", isObject)

const goOn = (execution: Execution, stages: ReadonlyArray<Stage>): Effect.Effect<Outcome> => {
  const span = openSpan(execution)
  execution.span = span
  const ended = pipeline(execution, stages)
  // What the handler traces is part of the call.
  return isOutcome(ended) || span === undefined ? effectOf(ended) : Effect.withParentSpan(ended, span)
}

/** The stages that are left for the call, unless the response is refused. */
const examineSafely = (execution: Execution, answer: Answer): Effect.Effect<ReadonlyArray<Stage>, ResponseError> =>
  survive(
    Effect.catchIf(
      Effect.suspend(() => examine(execution, answer)),
      JournalError.is,
      (error) => Effect.succeed([() => defectOf(execution, Cause.fail(error))])
    ),
    (cause) =>
      Option.match(Cause.failureOption(cause), {
        onSome: Effect.fail,
        onNone: () => Effect.succeed([() => defectOf(execution, cause)])
      })
  )

const examine = (
  execution: Execution,
  answer: Answer
): Effect.Effect<ReadonlyArray<Stage>, ResponseError | JournalError> =>
  Effect.gen(function* () {
    const noResponse = checkedTag(execution, answer.response)
    if (noResponse !== undefined) return yield* noResponse
    const read = yield* through(execution, stagesFrom(find, decode))
    const { digest, requestId, response } = answer
    // The tool may be another one by now: what is denied need not fit it.
    if (read?._tag === "InvalidArguments") {
      return response._tag === "Deny" ? [denial(response.reason)] : yield* notWaiting(execution, read.issues)
    }
    if (read !== undefined) return [() => read]
    if (requestId !== undefined && !execution.run.hasRequest(requestId, execution.call.id, digest)) {
      return yield* stale(execution, digest)
    }
    const issues = contextIssuesOf(execution)
    if (issues.length > 0 && response._tag !== "Deny") return yield* incomplete(execution, issues)
    // A denial needs no hidden values. Without them only the record says whether the call has asked for input.
    const isOfInput = issues.length > 0 ? (yield* asksOf(execution)).length > 0 : answer.input !== undefined
    const responded = isOfInput ? respondToInput(execution, answer) : respondToAny(execution, answer)
    if (response._tag === "Deny") {
      // What runs nothing needs no more than the call: the tool may be another one by now.
      yield* Effect.catchTag(responded, "StaleResponse", () => denyLast(execution))
      return [begin, denial(response.reason)]
    }
    if (isOfClient(execution)) {
      yield* Effect.catchTag(responded, "StaleResponse", (stale) => takeHandedOut(execution, answer, stale))
      // Its arguments are decoded for what is kept of its result alone: the client has done it already.
      yield* through(execution, stagesFrom(decode, authorize))
      return stagesFrom(begin)
    }
    yield* responded
    const misnamed = yield* nameIssuesOf(execution)
    if (misnamed.length > 0) return yield* invalidEdit(execution, misnamed)
    const decoded = yield* through(execution, stagesFrom(decode, authorize))
    if (decoded?._tag === "InvalidArguments") return yield* misfit(execution, decoded)
    if (decoded?._tag === "MissingContext") return yield* incomplete(execution, decoded.issues)
    if (decoded !== undefined) return [() => decoded]
    // What is left for a call that was approved or replied to.
    const fromBegin = stagesFrom(begin)
    const decided = yield* through(execution, stagesFrom(authorize, begin))
    if (execution.asked?.isRecorded === false && decided?._tag === "Deferred") return yield* needsApproval(execution)
    // What is over already stays so, whatever the rule says now.
    return decided === undefined ? fromBegin : [(known) => before(known, () => decided), begin, () => decided]
  })

/** The tool may be another one by now, and so may hidden values: what the client was given, it has done. */
const takeHandedOut = (
  execution: Execution,
  { arguments: shown = execution.arguments }: Answer,
  stale: StaleResponse
): Effect.Effect<void, StaleResponse | JournalError> =>
  Effect.flatMap(wasHandedOut(execution, shown), (isHandedOut) =>
    isHandedOut && isObject(shown) ? Effect.sync(() => replace(execution, shown)) : stale
  )

/** A host may have kept no more than the digest. */
const respondToAny = (execution: Execution, answer: Answer): Effect.Effect<void, ResponseError | JournalError> =>
  Effect.catchTag(respond(execution, answer), "StaleResponse", (refused) =>
    answer.response._tag === "Reply" || answer.response._tag === "Deny"
      ? Effect.mapError(respondToInput(execution, answer), (error) =>
          error._tag === "StaleResponse" ? refused : error
        )
      : refused
  )

const through = (execution: Execution, stages: ReadonlyArray<Stage>): Effect.Effect<Outcome | undefined> => {
  const [stage, ...others] = stages
  if (stage === undefined) return Effect.succeed(undefined)
  const step = enter(execution, stage)
  if (step === undefined) return through(execution, others)
  return isOutcome(step)
    ? Effect.succeed(step)
    : Effect.flatMap(step, (outcome) => (outcome === undefined ? through(execution, others) : Effect.succeed(outcome)))
}

/** Of a call that has asked for input, the question that it asked last. */
const denyLast = (execution: Execution): Effect.Effect<void, JournalError> =>
  Effect.map(asksOf(execution), (asks) => {
    const last = asks.at(-1)
    if (last !== undefined) execution.asked = { ...last, isRecorded: true }
  })

const denial =
  (reason: string): Stage =>
  (execution) =>
    deny(execution, reason)

const misfit = (execution: Execution, { issues }: InvalidArguments): ResponseError =>
  execution.answer?.response._tag === "Approve" && execution.answer.response.arguments !== undefined
    ? invalidEdit(execution, issues)
    : notWaiting(execution, issues)
