/**
 * Calls of the conversation that have no result yet: those that wait for an
 * answer, and those that a process did not live to finish.
 */
import type { Outcome, ToolCall, ToolRunner } from "@wield/core"
import * as Response from "@wield/core/Response"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { AlreadyAnswered, InvalidAnswer, UnknownRequest } from "../AnswerError.js"
import * as Conversation from "../Conversation.js"
import * as DeferredCall from "../DeferredCall.js"
import { invalid } from "../deferred/invalid.js"
import type { Plan, Run } from "./plan.js"
import { appendAnswers } from "./record.js"
import type { State } from "./state.js"
import { raise } from "./turn.js"
import { digestOfAnswer, recover, resume, type Taken, recordOf } from "./settle.js"
import { isSameCall } from "./calls.js"
import { askAbout } from "./waiting.js"
import { isOfSubAgent, repliesTo } from "./within.js"

/**
 * Settles what can be settled, and gives the requests for what waits still. An
 * answer that is wrong changes nothing, nor do those that came with it.
 */
export const settleOpen = (
  state: State,
  answers: ReadonlyArray<DeferredCall.Answer>
): Effect.Effect<ReadonlyArray<DeferredCall.DeferredCall>, unknown> =>
  Effect.flatMap(checkAnswers(state, answers), (checked) =>
    checked === undefined
      ? Effect.succeed([])
      : Effect.flatMap(settle(state, checked.open, checked.run, checked.taken), (requests) =>
          requests === undefined ? settleOpen(state, answers) : Effect.succeed(requests)
        )
  )

/** What answers are to be given to: the open calls, and the answer to each that has one. Fails where one is wrong. */
export const checkAnswers = (
  state: Pick<State, "conversation" | "entries" | "run"> & { readonly plan: Pick<Plan, "signing"> },
  answers: ReadonlyArray<DeferredCall.Answer>
) =>
  Effect.gen(function* () {
    if (!Array.isArray(answers)) return yield* new InvalidAnswer({ path: ["answers"], expected: "a list of answers" })
    const open = Conversation.unanswered(state.entries)
    const taken: Array<Given | undefined> = []
    const within = new Map<number, Array<DeferredCall.Answer>>()
    for (const [index, given] of answers.entries()) {
      // It may come from a client, whatever its type says.
      const answer = yield* Effect.mapError(validate(given), (error) => invalid(error, ["answers", index]))
      const called = DeferredCall.callOf(answer.request)
      const isOpen =
        answer.request.conversation === state.conversation.id &&
        open?.entry === answer.request.entry &&
        open.calls.some((call) => call.id === called.id)
      // It may be delivered twice, and late. While the call is open, nothing says that it went on with the answer.
      if (isAnsweredBy(state, answer, isOpen)) continue
      yield* verified(state, answer)
      if (!isOpen) return yield* notOpen(state, answer.request)
      // What a sub-agent asks is never handed out as a question of its call: a client has made it up.
      if (isOfSubAgent(answer.request.input)) return yield* new UnknownRequest(DeferredCall.idsOf(answer.request))
      if (answer.request.within !== undefined) {
        const place = open.calls.findIndex((call) => isSameCall(call, called))
        if (place === -1) return yield* notOpen(state, answer.request)
        within.set(place, [...(within.get(place) ?? []), answer])
        continue
      }
      const place = placeOf(open.calls, taken, called)
      const call = open.calls[place]
      const isOfOne = call !== undefined && isSameCall(call, called)
      const digest = digestOf(answer)
      if (!isOfOne && taken.some((other) => other?.taken.some((one) => one.digest === digest) === true)) continue
      if (call === undefined) return yield* answeredTwice(answer.request)
      const record = [yield* recordOf(answer)]
      taken[place] = { waiting: waitingOf(call, answer), response: answer.response, taken: record, given: record }
    }
    if (open === undefined) return undefined
    const offered = state.entries.find(({ id }) => id === open.entry)?.turn?.offered
    const run = state.run.forRun({ turn: open.entry, ...(offered === undefined ? {} : { offered }) })
    for (const [place, call] of open.calls.entries()) {
      const answers = within.get(place) ?? []
      // Where no record says what it asks, nothing is taken: it asks again, or its end is uncertain.
      const waiting = answers.length === 0 ? undefined : yield* Effect.orElseSucceed(run.asks(call), () => undefined)
      const replies = yield* repliesTo(waiting, answers)
      if (waiting !== undefined && replies !== undefined) {
        taken[place] ??= { waiting, response: Response.reply(replies.reply), ...replies, within: answers }
      }
      const given = taken[place]
      if (given !== undefined) yield* run.check(given.waiting, given.response)
    }
    return { open, run, taken }
  })

/** What an open call is to go on with. */
interface Given {
  readonly waiting: ToolRunner.Waiting
  readonly response: Response.Response
  readonly taken: ReadonlyArray<Taken>
  /** Those that are given now. */
  readonly given: ReadonlyArray<Taken>
  /** The answers that the response is made of, where calls wait within this one. */
  readonly within?: ReadonlyArray<DeferredCall.Answer>
}

/** Which open call is answered: among those that share an id, the one that was sent like this. */
const placeOf = (
  calls: ReadonlyArray<ToolCall.ToolCall>,
  taken: ReadonlyArray<Given | undefined>,
  asked: ToolCall.ToolCall
): number => {
  const free = (call: ToolCall.ToolCall, place: number) => call.id === asked.id && taken[place] === undefined
  const same = calls.findIndex((call, place) => free(call, place) && isSameCall(call, asked))
  // One that was sent otherwise answers none of them, which its digest tells.
  return same === -1 ? calls.findIndex(free) : same
}

/** Whether this very answer was taken; of a call that is open, whether a result has come of it. */
export const isAnsweredBy = (
  { conversation, entries }: Pick<State, "conversation" | "entries">,
  answer: DeferredCall.Answer,
  isOpen = false
): boolean => {
  if (answer.request.conversation !== conversation.id) return false
  const digest = digestOf(answer)
  const place = entries.findIndex(({ responses }) => responses?.includes(digest) === true)
  const { id } = DeferredCall.callOf(answer.request)
  return place !== -1 && (!isOpen || entries.slice(place).some((entry) => hasResult(entry, id)))
}

const hasResult = ({ message }: Conversation.Entry, call: string): boolean =>
  message._tag === "Results" && message.results.some(({ id }) => id === call)

const digestOf = ({ request, response }: DeferredCall.Answer): string =>
  digestOfAnswer(request.entry, request, response)

const validate = Schema.validate(DeferredCall.Answer)

/** `undefined` where another process has gone on meanwhile, and nothing was settled. */
const settle = (
  state: State,
  open: NonNullable<ReturnType<typeof Conversation.unanswered>>,
  run: Run,
  taken: ReadonlyArray<Given | undefined>
): Effect.Effect<ReadonlyArray<DeferredCall.DeferredCall> | undefined, unknown> =>
  Effect.gen(function* () {
    const given = taken.flatMap((one) => one?.taken ?? [])
    const entriesBefore = state.entries
    for (const one of taken) {
      if (one === undefined || !isAnsweredOtherwise(state, one)) continue
      // The other answer may have been carried out: the record says so. Where it was not, this one counts.
      const { _tag } = yield* recover(state, open.entry, run, one.waiting.call)
      if (_tag !== "Deferred") return yield* answeredBefore(state, open.entry, one, isRecorded(entriesBefore, one))
    }
    if (!(yield* appendAnswers(state, open.entry, given))) return undefined
    let overruled: Given | undefined
    const outcomes: Array<Outcome.Outcome> = []
    for (const [place, call] of open.calls.entries()) {
      if (yield* state.isHandedOver) break
      const given = taken[place]
      if (given === undefined) {
        outcomes.push(yield* recover(state, open.entry, run, call))
        continue
      }
      const again = isGivenAgain(entriesBefore, given) ? run.forRun({ isRecovered: true }) : run
      const outcome = yield* resume(state, open.entry, again, given.waiting, given.response, given.taken)
      outcomes.push(outcome)
      if (yield* isOverruled(state, given, outcome)) overruled = given
    }
    // Another process was given another answer at the same time.
    if (overruled !== undefined) return yield* answeredBefore(state, open.entry, overruled)
    const asked = yield* askAbout(state, open.entry, run, outcomes)
    yield* raise(asked.outcomes)
    state.settled = asked.outcomes
    return asked.requests
  })

/** Whether the call may have gone on with this very answer, and its process did not live to record what came of it. */
const isGivenAgain = (entries: State["entries"], given: Given): boolean =>
  given.response._tag !== "Deny" && isRecorded(entries, given)

const isRecorded = (entries: State["entries"], { taken }: Given): boolean =>
  entries.some(({ responses = [] }) => responses.some((digest) => taken.some((one) => one.digest === digest)))

/** Whether another answer, given to another process at the same time, went first: of a reply, its own record tells. */
const isOverruled = (state: State, given: Given, outcome: Outcome.Outcome): Effect.Effect<boolean> => {
  const { response, waiting, within = [] } = given
  if (outcome._tag === "Deferred") return Effect.map(Effect.either(repliesTo(outcome, within)), Either.isLeft)
  const isReplayed = outcome.notes.some(({ _tag }) => _tag === "Replayed")
  return Effect.succeed(
    response._tag === "Reply"
      ? isReplayed && isAnsweredOtherwise(state, given)
      : Response.isOverruled(response, outcome, waiting.arguments)
  )
}

/** Whether another process has been given another answer to the same request, and has recorded it. */
const isAnsweredOtherwise = (state: State, given: Given): boolean => otherAnswers(state, given).length > 0

const otherAnswers = ({ entries }: Pick<State, "entries">, { given }: Given): ReadonlyArray<Conversation.Decision> =>
  entries.flatMap(({ decisions = [], responses = [] }) =>
    decisions.filter(({ request }, place) =>
      given.some(({ decision, digest }) => request === decision.request && responses[place] !== digest)
    )
  )

/** `isInDoubt`: this answer is recorded as well, so that only the result tells which of them counts. */
const answeredBefore = (state: State, entry: string, given: Given, isInDoubt = false) => {
  const ids = { conversation: state.conversation.id, entry, call: given.waiting.call.id }
  return isInDoubt ? new AlreadyAnswered(ids) : alreadyAnswered(state, ids, otherAnswers(state, given))
}

/** `taken` are the answers to the request itself, where they are known. */
const alreadyAnswered = (
  { entries }: Pick<State, "entries">,
  ids: { readonly conversation: string; readonly entry: string; readonly call: string },
  taken: ReadonlyArray<Conversation.Decision>
) => {
  const start = entries.findIndex(({ id }) => id === ids.entry)
  const next = entries.findIndex(({ message }, place) => place > start && message._tag === "Assistant")
  // In another turn, a call of this id is another call.
  const turn = entries.slice(start, next === -1 ? undefined : next)
  const own = turn.flatMap(({ decisions = [] }) => decisions.filter(({ call }) => call === ids.call))
  // Of several, as a process that died may have left, only the result tells which one counts.
  const [response, ...more] = new Set((taken.length > 0 ? taken : own).map((decision) => decision.response))
  return new AlreadyAnswered(response === undefined || more.length > 0 ? ids : { ...ids, response })
}

/** The call as the conversation has it, and what of it the answer names. */
const waitingOf = (call: ToolCall.ToolCall, { request }: DeferredCall.Answer): ToolRunner.Waiting => ({
  call,
  name: call.name,
  requestId: request.id,
  // A person who was shown another call or name has not answered this one.
  digest: isSameCall(call, request.call) && request.name === call.name ? request.digest : "",
  arguments: request.arguments,
  input: request.input
})

const verified = (
  state: { readonly plan: Pick<Plan, "signing"> },
  { request, response }: DeferredCall.Answer
): Effect.Effect<void, unknown> => {
  const checked =
    state.plan.signing === undefined
      ? DeferredCall.checkExpiry(request)
      : DeferredCall.verify(state.plan.signing.secrets, request)
  // What runs nothing here is never too late: a client, asked again, would do again what it has done.
  return response._tag === "Approve" || response._tag === "Reply"
    ? checked
    : Effect.catchTag(checked, "ExpiredRequest", () => Effect.void)
}

/** The call has its result, or never was. */
const notOpen = (
  state: Pick<State, "conversation" | "entries">,
  request: DeferredCall.DeferredCall
): Effect.Effect<never, unknown> => {
  const entry = state.entries.find(({ id }) => id === request.entry)
  const isCall =
    request.conversation === state.conversation.id &&
    entry?.message._tag === "Assistant" &&
    entry.message.parts.some((part) => part._tag === "Call" && part.call.id === DeferredCall.callOf(request).id)
  if (!isCall) return new UnknownRequest(DeferredCall.idsOf(request))
  // It may have been approved and asked for input: each is a request of its own.
  const taken = state.entries.flatMap(({ decisions = [] }) => decisions.filter((one) => one.request === request.id))
  return alreadyAnswered(state, DeferredCall.idsOf(request), taken)
}

const answeredTwice = (request: DeferredCall.DeferredCall) =>
  new InvalidAnswer({ path: ["answers"], expected: `one answer to the call ${request.call.id}; none was taken` })
