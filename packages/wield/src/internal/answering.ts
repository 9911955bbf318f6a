/** Answers to calls that waited, and to calls within them. Loaded where there are any. */
import { AlreadyAnswered, InvalidAnswer } from "@wield/agent/AnswerError"
import type { Outcome, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Responses from "@wield/core/Response"
import { StaleResponse } from "@wield/core/ResponseError"
import type * as Effect from "effect/Effect"
import type { Answered } from "../run.js"
import { isOtherAsk, replyTo, requestsIn } from "./within.js"

export interface Given {
  readonly to: Answered["to"]
  readonly response: Response.Response
}

/** What a turn's calls have come to, before its answers are taken. */
export interface Turn {
  readonly run: ToolRunner.Run<Toolset.DynamicTools, never, unknown>
  readonly calls: ReadonlyArray<ToolCall.ToolCall>
  readonly outcomes: ReadonlyArray<Outcome.Outcome>
  /** A run without a name knows its requests by having made them. */
  readonly name: string | undefined
  readonly entry: string
  readonly watcher: ToolRunner.Watcher | undefined
  readonly complete: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
}

/** The outcomes, with those of the calls that were answered. One answer that is wrong changes nothing, nor do the others. */
export const takeAnswers = async (turn: Turn, given: ReadonlyArray<Given>): Promise<ReadonlyArray<Outcome.Outcome>> => {
  const outcomes = [...turn.outcomes]
  const resume = async (index: number, { response, waiting }: Resumable): Promise<void> => {
    outcomes[index] = await turn.complete(turn.run.resume(waiting, response, turn.watcher))
  }
  const direct = new Map<number, Resumable>()
  const within = new Map<number, Array<Given>>()
  for (const answer of given) {
    const { to } = answer
    const [around = to] = to.within ?? []
    const index = placeOf(turn.calls, around, direct)
    const { [index]: outcome } = outcomes
    // Nothing runs that this turn does not have.
    if (outcome === undefined) throw staleOf(to)
    if (around !== to) {
      within.set(index, [...(within.get(index) ?? []), answer])
      continue
    }
    const resumable = await ownOf(turn, outcome, answer, direct.get(index))
    if (resumable !== undefined) direct.set(index, resumable)
  }
  const inner = new Map<number, InnerResumable>()
  for (const [index, answers] of within) {
    const resumable = await innerOf(turn, index, outcomes[index], answers)
    if (resumable !== undefined) inner.set(index, resumable)
  }
  for (const [index, resumable] of direct) await resume(index, resumable)
  for (const [index, resumable] of inner) {
    let next: InnerResumable | undefined = resumable
    while (next !== undefined) {
      const { waiting }: InnerResumable = next
      await resume(index, next)
      // Another answer, given at the same time, may have gone first: this one is still to be taken.
      const left = await innerOf(turn, index, outcomes[index], within.get(index) ?? [])
      next = left !== undefined && isOtherAsk(waiting, left.waiting) ? left : undefined
    }
  }
  // Another answer, given at the same time, may have gone first: it counts, and this one was not taken.
  for (const [index, { response, waiting }] of direct) {
    const { [index]: outcome } = outcomes
    if (outcome !== undefined && Responses.isOverruled(response, outcome, waiting.arguments))
      throw answeredBefore(turn, waiting, outcome)
  }
  return outcomes
}

/** Whether the call itself was answered. An answer to what none of the calls is may be meant for any of its id. */
export const isAnswered = (
  calls: ReadonlyArray<ToolCall.ToolCall>,
  call: ToolCall.ToolCall,
  given: ReadonlyArray<Given>
): boolean =>
  given.some(
    ({ to }) =>
      !to.within?.length && to.call.id === call.id && (isShown(call, to) || !calls.some((one) => isShown(one, to)))
  )

/** Which call is answered, as it was shown: some servers use an id again within one turn. */
const placeOf = (calls: Turn["calls"], to: Shown, taken: ReadonlyMap<number, unknown>): number => {
  const free = calls.findIndex((one, place) => isShown(one, to) && !taken.has(place))
  return free === -1 ? calls.findIndex((one) => isShown(one, to)) : free
}

type Shown = Pick<Answered["to"], "call" | "name">

const isShown = (one: ToolCall.ToolCall, { call, name }: Shown): boolean =>
  one.name === name && isSame([one.id, one.name, one.arguments], [call.id, call.name, call.arguments])

/** What a call goes on with. */
interface Resumable {
  readonly waiting: ToolRunner.Waiting
  readonly response: Response.Response
}

interface InnerResumable extends Resumable {
  readonly waiting: Outcome.Deferred
}

/** What the call itself was answered; `undefined` where it was taken already. */
const ownOf = async (
  turn: Turn,
  outcome: Outcome.Outcome,
  { response, to }: Given,
  before: Resumable | undefined
): Promise<Resumable | undefined> => {
  const { complete, name, run } = turn
  if (before !== undefined && !isSame(before.response, response))
    throw new InvalidAnswer({ path: ["answers"], expected: `one answer to the call ${to.call.id}; none was taken` })
  if (before !== undefined) return undefined
  if (Responses.isOverruled(response, outcome, to.arguments)) throw answeredBefore(turn, to, outcome)
  const { id: requestId, ...rest } = to
  const waiting = { ...rest, requestId }
  if (!isOpen(outcome)) {
    if (!isOfAnotherKind(to, response)) return undefined
    if (outcome.notes.some((note) => note._tag === "Replayed")) throw answeredBefore(turn, to, outcome)
    // It ended without an answer, as where its rule failed: what it waited for, the runner says.
    await complete(run.check(waiting, response))
    return undefined
  }
  const isOfAnother = name === undefined && outcome._tag === "Deferred" && outcome.requestId !== to.id
  // A call that waits for calls within it is no question itself.
  if (isOfAnother || (outcome._tag === "Deferred" && requestsIn(outcome) !== undefined)) throw staleOf(to)
  await complete(run.check(waiting, response))
  return { waiting, response }
}

/** The answers to what waits within the call, unless all were taken. What was taken before, the record says. */
const innerOf = async (
  { calls, complete, entry, name, run }: Turn,
  index: number,
  outcome: Outcome.Outcome | undefined,
  answers: ReadonlyArray<Given>
): Promise<InnerResumable | undefined> => {
  const { [index]: call } = calls
  const [first] = answers
  if (call === undefined || first === undefined) return undefined
  const waiting = await complete(run.asks(call))
  if (waiting === undefined && outcome?._tag === "Deferred") throw staleOf(first.to)
  if (waiting === undefined) return undefined
  const response = await complete(replyTo(waiting, answers, { conversation: name ?? "", entry }))
  if (response === undefined || !isOpen(outcome)) return undefined
  await complete(run.check(waiting, response))
  return { waiting, response }
}

const answeredBefore = (
  { entry, name }: Turn,
  to: Pick<Answered["to"], "call" | "waitsFor">,
  outcome: Outcome.Outcome
): AlreadyAnswered => {
  const response = firstAnswerOf(outcome, to.waitsFor)
  return new AlreadyAnswered({
    conversation: name ?? "",
    entry,
    call: to.call.id,
    ...(response === undefined ? {} : { response })
  })
}

/** What the call was answered with, as its end shows it, which the journal has. */
const firstAnswerOf = (
  { _tag }: Outcome.Outcome,
  waitsFor: Answered["to"]["waitsFor"]
): AlreadyAnswered["response"] => {
  if (_tag === "Denied") return "Deny"
  switch (waitsFor) {
    case "approval":
      return "Approve"
    case "input":
      return "Reply"
    case "client":
      return _tag === "Failure" ? "Failure" : "Result"
    default:
      return undefined
  }
}

const staleOf = ({ call, digest, name }: Answered["to"]): StaleResponse =>
  new StaleResponse({ call: call.id, tool: String(name), digest: String(digest) })

/** What each is an answer to; a no is one to everything. */
const answeredBy = {
  Approve: "approval",
  Result: "client",
  Failure: "client",
  Reply: "input",
  Deny: undefined
} as const

/** How a call ended does not say what it was answered with: an approval was never answered with a result. */
const isOfAnotherKind = ({ waitsFor }: Answered["to"], { _tag }: Response.Response): boolean =>
  waitsFor !== undefined && answeredBy[_tag] !== undefined && answeredBy[_tag] !== waitsFor

/** What is over stays so. A call that the context lacks something for is not. */
const isOpen = (outcome: Outcome.Outcome | undefined): boolean =>
  outcome?._tag === "Deferred" || outcome?._tag === "MissingContext"

const isSame = (one: unknown, other: unknown): boolean => Json.canonical(one) === Json.canonical(other)
