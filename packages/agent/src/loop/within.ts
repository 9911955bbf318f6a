/**
 * Calls that wait within a sub-agent. To the runner its call asks for input: what
 * is asked are the sub-agent's requests, and the reply are the answers to them.
 */
import * as Json from "@wield/core/Json"
import { NeedsInput } from "@wield/core/NeedsInput"
import type { CurrentCall, Outcome, ToolCall } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as AgentEvent from "../AgentEvent.js"
import type { Entry } from "../Conversation.js"
import { AlreadyAnswered, InvalidAnswer } from "../AnswerError.js"
import { decisionSchema, entrySchema } from "../conversation/entries.js"
import * as DeferredCall from "../DeferredCall.js"
import { canonical } from "../deferred/canonical.js"
import { digestOfAnswer, type Taken, recordOf } from "./settle.js"

/**
 * What happens within the call, as its progress. The JSON of the value is that of an event: a page, a log or another
 * process that is given progress gets neither the provider's own message nor the conversation.
 */
export const tellWithin = ({ progress }: CurrentCall.Call, event: AgentEvent.AgentEvent): Effect.Effect<void> => {
  const value = Object.defineProperty({ ...event }, "toJSON", { value: () => AgentEvent.toJson(event) })
  eventsWithin.set(value, event)
  return progress(value)
}

export const eventsWithin = new WeakMap<object, AgentEvent.AgentEvent>()

const TakenJson = Schema.Struct({ digest: Schema.String, decision: decisionSchema })

/** What a sub-agent needs to go on: it has no store. No handler but its own writes a state with this name. */
const State = Schema.parseJson(
  Schema.Struct({
    entries: Schema.Array(entrySchema),
    requests: Schema.Array(DeferredCall.DeferredCall),
    /** The answers that were taken before. */
    taken: Schema.Array(TakenJson)
  })
)
const stateName = "@wield/agent/subAgent"

const Replies = Schema.Array(Schema.Struct({ answer: DeferredCall.Answer, taken: TakenJson }))

const encode = Schema.encodeSync(Schema.parseJson(Replies))

const accepts: Json.JsonSchema = {
  type: "array",
  items: {
    type: "object",
    properties: { answer: { type: "object" }, digest: { type: "string" } },
    required: ["answer"]
  }
}

/** The handler of a sub-agent that waits asks for answers to these requests. */
export const askWithin = (
  agent: string,
  entries: ReadonlyArray<Entry>,
  requests: ReadonlyArray<DeferredCall.DeferredCall>,
  taken: ReadonlyArray<Taken>
): Effect.Effect<never, NeedsInput> =>
  Effect.flatMap(
    // What was recorded, and what was asked, has its JSON.
    Effect.orDie(Schema.encode(State)({ entries, requests, taken })),
    (state) =>
      new NeedsInput({
        asks: { agent, waits: requests.map(({ name }) => name) },
        accepts,
        state: { [stateName]: state }
      })
  )

/** Where the sub-agent stood, and the answers it goes on with. */
export const goingOn = (input: Outcome.Input & { readonly reply: Json.Json }) =>
  // Its own handler wrote the one, and `repliesTo` the other.
  Effect.orDie(
    Effect.gen(function* () {
      const { entries, taken } = yield* Schema.decodeUnknown(State)(stateOf(input))
      const replies = yield* Schema.decodeUnknown(Replies)(input.reply)
      return {
        entries,
        answers: replies.map(({ answer }) => answer),
        takenBefore: taken,
        taken: [...taken, ...replies.map((reply) => reply.taken)]
      }
    })
  )

const stateOf = ({ state }: Outcome.Input): unknown => (Json.isObject(state) ? state[stateName] : undefined)

/** Whether a question is what a sub-agent waits for. */
export const isOfSubAgent = (input: Outcome.Input | undefined): boolean =>
  input !== undefined && stateOf(input) !== undefined

/** What waits within a call, by the names that the run around it gives out; `undefined` where it waits for something else. */
export const waitsWithin = ({ call, input, name }: Outcome.Deferred) => {
  const state = input === undefined ? undefined : stateOf(input)
  if (state === undefined) return undefined
  const { requests, taken } = Schema.decodeUnknownSync(State)(state)
  return {
    taken,
    own: requests,
    requests: requests.map((request) => ({
      ...request,
      // Sub-agents count their calls alike.
      call: { ...request.call, id: `${call.id}/${request.call.id}` },
      within: [{ call, name }, ...(request.within ?? [])]
    }))
  }
}

/** The reply that these answers are, for a call that waits within a sub-agent; `undefined` where all were taken before. */
export const repliesTo = (
  deferred: Outcome.Deferred | undefined,
  answers: ReadonlyArray<DeferredCall.Answer>
): Effect.Effect<
  { readonly reply: Json.Json; readonly taken: ReadonlyArray<Taken>; readonly given: ReadonlyArray<Taken> } | undefined,
  AlreadyAnswered | InvalidAnswer
> =>
  Effect.gen(function* () {
    const waits = deferred === undefined ? undefined : waitsWithin(deferred)
    if (waits === undefined) return undefined
    const replies = new Map<string, { readonly answer: DeferredCall.Answer; readonly taken: Taken }>()
    for (const answer of answers) {
      const { request, response } = answer
      // What is kept of it is what was asked, whatever came back.
      const known = waits.requests.find(({ id }) => id === request.id)
      const record = yield* recordOf(
        known === undefined
          ? answer
          : { ...answer, request: { ...request, call: known.call, arguments: known.arguments, why: known.why } }
      )
      const taken = { ...record, digest: digestOf(answer, known) }
      const isTaken = waits.taken.some(({ digest }) => digest === taken.digest)
      if (isTaken || replies.get(request.id)?.taken.digest === taken.digest) continue
      const place = waits.requests.findIndex(({ id }) => id === request.id)
      const own = waits.own[place]
      if (own === undefined) {
        const before = waits.taken.find(({ decision }) => decision.request === request.id)
        return yield* new AlreadyAnswered({
          conversation: request.conversation,
          entry: request.entry,
          call: request.call.id,
          ...(before === undefined ? {} : { response: before.decision.response })
        })
      }
      if (replies.has(request.id)) {
        return yield* new InvalidAnswer({
          path: ["answers"],
          expected: `one answer to the call ${request.call.id}; none was taken`
        })
      }
      // A person who was shown something else has not answered this one.
      const isShown = isSame(waits.requests[place]?.call, request.call) && own.name === request.name
      const shown = { ...own, digest: isShown ? request.digest : "", arguments: request.arguments }
      replies.set(request.id, { answer: { request: shown, response, by: answer.by }, taken })
    }
    if (replies.size === 0) return undefined
    const given = [...replies.values()].map(({ taken }) => taken)
    return { reply: JSON.parse(encode([...replies.values()])), taken: [...waits.taken, ...given], given }
  })

/** An answer to something else that was shown is another one: the right one can still come. */
const digestOf = ({ request, response }: DeferredCall.Answer, known: DeferredCall.DeferredCall | undefined): string => {
  const { arguments: shown, call, entry } = request
  const isShown = known === undefined || canonical(known.arguments) === canonical(shown)
  return digestOfAnswer(entry, isShown ? request : { ...request, call: { ...call, arguments: shown } }, response)
}

const isSame = (one: ToolCall.ToolCall | undefined, other: ToolCall.ToolCall): boolean =>
  one !== undefined && canonical(one) === canonical(other)
