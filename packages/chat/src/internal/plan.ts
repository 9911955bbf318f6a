/** What a page's request means for the conversation as it is: what is run, heard again, taken away or refused. */
import * as AgentEvent from "@wield/agent/AgentEvent"
import * as Conversation from "@wield/agent/Conversation"
import * as DeferredCall from "@wield/agent/DeferredCall"
import type { Content } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Outcome from "@wield/core/Outcome"
import * as Response from "@wield/core/Response"
import * as Effect from "effect/Effect"
import type { Action, Answer } from "../Chat.js"
import type { Refused } from "../ChatError.js"
import { refuse } from "./refuse.js"

/** What an action comes to in a conversation. */
export interface Plan {
  readonly input: { readonly prompt?: ReadonlyArray<Content.Part>; readonly promptId?: string }
  readonly answers: ReadonlyArray<DeferredCall.Answer> | undefined
  /** The entries before the run. */
  readonly entries: ReadonlyArray<Conversation.Entry>
  /** Where the calls stand that are answered: the run goes on in the message that has them. */
  readonly answered?: string | undefined
  /** What comes after it is taken away first. */
  readonly after?: { readonly id: string | undefined }
  /** What the page has missed. */
  readonly missed: ReadonlyArray<AgentEvent.AgentEvent>
  /** Nothing is to be run: all of it has been. */
  readonly isOver: boolean
  /** The conversation has the message already. */
  readonly isRepeated: boolean
}

export const planOf = (
  {
    entries,
    requests
  }: {
    readonly entries: ReadonlyArray<Conversation.Entry>
    readonly requests: ReadonlyArray<DeferredCall.DeferredCall>
  },
  action: Action,
  whenWaiting: "refuse" | "deny"
): Effect.Effect<Plan, Refused> => {
  const common = { input: {}, answers: undefined, entries, missed: [], isOver: false, isRepeated: false }
  switch (action._tag) {
    case "Prompt": {
      const { answers: given = [], earlier = [], id } = action
      const known = new Set<unknown>(entries.map((entry) => entry.id))
      const content = [...earlier.filter((one) => !known.has(one.id)).flatMap((one) => one.content), ...action.content]
      const place = id === undefined ? -1 : entries.findIndex((entry) => entry.id === id)
      const input = { prompt: content, ...(id === undefined ? {} : { promptId: id }) }
      const waiting = waitingOf(entries, requests)
      if (place === -1) {
        const isOfNone = (answer: Answer) =>
          "request" in answer && waiting.every((request) => !isAnswerTo(request)(answer))
        if (given.some(isOfNone)) return refuse("NotWaiting", notWaiting)
        const replies = waiting.map((request) => ({ request, answer: given.findLast(isAnswerTo(request)) }))
        const left = replies.flatMap(({ answer, request }) => (answer === undefined ? [request.name] : []))
        if (left.length > 0 && whenWaiting === "refuse") {
          return refuse("WaitsForAnswers", `Answer first what waits: ${left.join(", ")}`)
        }
        const answers = Effect.forEach(replies, ({ answer, request }) =>
          answer === undefined ? Effect.succeed(passOver(request)) : answerTo(request, answer)
        )
        return Effect.map(answers, (all) => ({ ...common, input, answers: all.length === 0 ? undefined : all }))
      }
      const entry = entries[place]
      if (entry?.message._tag !== "User") {
        return refuse(
          "IdTaken",
          `Another message of the conversation has the id ${Json.canonical(id)}: give it its own`
        )
      }
      const isSame = Json.canonical(entry.message.content) === Json.canonical(content)
      if (action.replaces && !isSame) {
        if (given.some((answer) => "request" in answer)) return refuse("NotWaiting", notWaiting)
        return Effect.succeed({
          ...common,
          input,
          entries: entries.slice(0, place),
          after: { id: entries[place - 1]?.id }
        })
      }
      if (!isSame) {
        return refuse(
          "IdTaken",
          `Another message of the conversation has the id ${Json.canonical(id)}: give it its own`
        )
      }
      // The message is there already, and what is answered since is what counts.
      if (given.some((answer) => "request" in answer)) {
        return planOf({ entries, requests }, { _tag: "Answers", answers: given }, whenWaiting)
      }
      // It comes again: the page lost the answer. It hears what was done, and what is left to do is done.
      const next = entries.findIndex((other, index) => index > place && other.message._tag === "User")
      const upTo = next === -1 ? entries : entries.slice(0, next)
      return Effect.succeed({
        ...common,
        input,
        entries: entries.slice(0, place + 1),
        missed: AgentEvent.fromEntries(upTo, place + 1),
        isOver: next !== -1,
        isRepeated: true
      })
    }
    case "Again": {
      const to =
        action.to === undefined
          ? entries.findLastIndex(({ message }) => message._tag === "User")
          : entries.findIndex((entry) => entry.id === action.to)
      const entry = entries[to]
      if (entry?.message._tag !== "User") {
        return refuse("InvalidRequest", "There is no such message to answer again: reload the conversation")
      }
      const before = entries.slice(0, to + 1)
      return Effect.succeed({ ...common, entries: before, after: { id: entry.id } })
    }
    case "Answers": {
      const open = waitingOf(entries, requests)
      const prompt = entries.findLastIndex(({ message }) => message._tag === "User")
      const sincePrompt = new Set(entries.slice(prompt + 1).map(({ id }) => id))
      const answersTo = (asked: ReadonlyArray<DeferredCall.DeferredCall>) =>
        action.answers.flatMap((answer) => {
          const request =
            "request" in answer
              ? requests.find(({ id }) => id === answer.request)
              : asked.findLast((one) => isResultOf(one)(answer))
          return request === undefined ? ("request" in answer ? [undefined] : []) : [{ request, answer }]
        })
      // A page sends the results of all calls that it has seen. Where none of them waits, they come again.
      const toOpen = answersTo(open)
      const answers = toOpen.length > 0 ? toOpen : answersTo(requests.filter(({ entry }) => sincePrompt.has(entry)))
      const isLeftOut = (one: DeferredCall.DeferredCall) =>
        one.waitsFor !== "client" && answers.every((answer) => answer?.request.id !== one.id)
      if (action.isWhole === true && !answers.includes(undefined) && open.some(isLeftOut)) {
        const left = open.filter(isLeftOut).map(({ name }) => name)
        return refuse("InvalidAnswer", `Answer everything that waits at once: ${left.join(", ")} is left out`)
      }
      if (answers.length === 0 || answers.includes(undefined)) {
        const left = Conversation.unanswered(entries)
        // A process that was killed has asked, and could not keep it: it is asked again.
        if (answers.length > 0 && open.length === 0 && left !== undefined) {
          return Effect.succeed({ ...common, answered: left.entry })
        }
        return open.length > 0 || answers.length > 0
          ? refuse("NotWaiting", notWaiting)
          : refuse(
              "InvalidRequest",
              "There is nothing to do: the last message is no message of the user, and no answer"
            )
      }
      const given = answers.flatMap((one) => (one === undefined ? [] : [one]))
      return Effect.map(
        Effect.forEach(given, ({ answer, request }) => answerTo(request, answer)),
        (all) => ({ ...common, answers: all, answered: given[0]?.request.entry })
      )
    }
  }
}

/** What becomes of a call in whose place the user writes: a page that was given it may have carried it out. */
const passOver = (request: DeferredCall.DeferredCall): DeferredCall.Answer =>
  request.waitsFor === "client"
    ? DeferredCall.failure(request, mayHaveRun)
    : DeferredCall.deny(request, "the user wrote a message instead")

const mayHaveRun = `The user wrote a message before the page had answered this call. ${Outcome.doubt}`

const notWaiting = "What is answered does not wait here: reload the conversation, and answer what it shows"

/** Whether it is what is answered to the request. */
const isAnswerTo =
  (request: DeferredCall.DeferredCall) =>
  (answer: Answer): boolean =>
    "request" in answer ? answer.request === request.id : isResultOf(request)(answer)

/** Whether it is what the client gives to a call of its own. */
const isResultOf =
  ({ call, waitsFor }: DeferredCall.DeferredCall) =>
  (answer: Answer): boolean =>
    "call" in answer && waitsFor === "client" && call.id === answer.call

const answerTo = (request: DeferredCall.DeferredCall, answer: Answer): Effect.Effect<DeferredCall.Answer, Refused> =>
  Effect.map(responseTo(request, answer.response), (response) => ({ request, response }))

const responseTo = (
  { waitsFor }: DeferredCall.DeferredCall,
  response: Answer["response"]
): Effect.Effect<Response.Response, Refused> => {
  if (response._tag !== "Payload") return Effect.succeed(response)
  const { value } = response
  if (waitsFor === "input") return Effect.succeed(Response.reply(value))
  if (waitsFor === "client") return Effect.succeed(Response.result(value))
  const payload: { readonly [key: string]: unknown } = Json.isObject(value) ? value : {}
  const { approved, editedArgs, reason, ...others } = payload
  // Under another name, an edit would be lost, and run what the user has changed.
  const isMisspelt = approved === true && Object.keys(others).length > 0
  if (typeof approved !== "boolean" || isMisspelt || (editedArgs !== undefined && !Json.isObject(editedArgs))) {
    return refuse(
      "InvalidAnswer",
      "An approval is answered with { approved, editedArgs?, reason? }: approved is true or false"
    )
  }
  if (!approved) return Effect.succeed(Response.deny(typeof reason === "string" ? reason : "the user said no"))
  return Effect.succeed(editedArgs === undefined ? Response.approve : Response.approveWith(Json.fromObject(editedArgs)))
}

/** Of the requests, those whose calls have no result yet. */
export const waitingOf = (
  entries: ReadonlyArray<Conversation.Entry>,
  requests: ReadonlyArray<DeferredCall.DeferredCall>
): ReadonlyArray<DeferredCall.DeferredCall> => {
  const open = Conversation.unanswered(entries)
  const ofTurn = requests.filter(({ entry }) => entry === open?.entry)
  return ofTurn.filter(
    (request, place) =>
      open?.calls.some(({ id }) => id === DeferredCall.callOf(request).id) === true &&
      // A call that was asked about again, or asks again, has one request that counts.
      ofTurn.every((other, later) => later <= place || other.call.id !== request.call.id)
  )
}

/** The id of the message that a page draws for the calls that are answered, and what follows. */
export const messageOf = ({ answered, entries }: Plan): string | undefined => {
  const place = entries.findIndex(({ id }) => id === answered)
  const asked = entries.slice(0, place + 1).findLastIndex(({ message }) => message._tag === "User")
  return place === -1
    ? undefined
    : entries.find(({ message }, other) => other > asked && message._tag === "Assistant")?.id
}
