/**
 * Recorded conversations: exchanges of one recording, each of which goes on from
 * the one before with the model's turn and the results of its calls. One
 * exchange is a conversation, too, where its request holds a history.
 */
import { type Content, Json, type Message, type ToolCall, type ToolResult, Turn } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import { Array as Arrays, Either } from "effect"
import { isDeepStrictEqual } from "node:util"
import type { Exchange } from "../exchanges.js"
import type { Case } from "../wire/formats.js"
import { behindResults } from "./behindResults.js"
import { wholeBody } from "./wholeBody.js"
import { callsOf, type Words, wordsOf } from "./words.js"

/** One exchange, in Wield's words. */
export interface Step {
  readonly exchange: Exchange
  /** The request with the whole conversation in it, also where the API was only told what is new. */
  readonly body: Json.JsonObject
  readonly isWhole: boolean
  readonly request: WireFormat.Request
  readonly turn: Turn.Turn
  readonly model: string
}

/** How the recorded client went on from a step to the next. */
export interface Continuation {
  readonly answers: ReadonlyArray<Answer>
  /** What the user said next, once the model had answered. */
  readonly prompt: ReadonlyArray<Content.Part> | undefined
  /** What the client sent behind the results because they could not hold it. */
  readonly media: ReadonlyArray<Content.Part>
}

/** A call of the model and the result that the recorded client gave it, by an id that may be its own. */
export interface Answer {
  readonly call: ToolCall.ToolCall
  readonly recordedId: string
  readonly result: ToolResult.ToolResult
}

export interface Conversation {
  readonly name: string
  readonly known: Case
  readonly steps: ReadonlyArray<Step>
  /** One less than there are steps. */
  readonly continuations: ReadonlyArray<Continuation>
}

export interface Found {
  readonly conversations: ReadonlyArray<Conversation>
  /** The exchanges that begin a conversation of their own although their history holds another one's, by the reason. */
  readonly cut: ReadonlyMap<string, ReadonlyArray<string>>
}

export const findConversations = (exchanges: ReadonlyArray<Exchange>, known: Case): Found => {
  const recordings = Arrays.groupBy(exchanges.filter(isAnswered(known)), ({ provider, source }) =>
    JSON.stringify([provider, source.repo, source.path])
  )
  const conversations: Array<Conversation> = []
  const cut = new Map<string, Array<string>>()
  for (const recording of Object.values(recordings)) {
    const sorted = recording.toSorted((left, right) => left.source.index - right.source.index)
    const links = linked(sorted, known)
    for (const { step, why } of links) if (why !== undefined) note(cut, why, step)
    const continued = new Set(links.map(({ before }) => before))
    for (const last of links.filter((link) => !continued.has(link))) {
      const path: Array<Link> = []
      for (let link: Link | undefined = last; link !== undefined; link = link.before) path.unshift(link)
      const [first] = path
      if (first === undefined || (path.length === 1 && !hasHistory(first.words))) continue
      if (path.some(({ words }) => words.at(-1)?.says === "assistant")) {
        note(cut, "its request ends with a turn of the model, which an agent takes for the answer (not run)", last.step)
        continue
      }
      conversations.push({
        name: last.step.exchange.file,
        known,
        steps: path.map(({ step }) => step),
        continuations: path.flatMap(({ continuation }) => (continuation === undefined ? [] : [continuation]))
      })
    }
  }
  return { conversations, cut }
}

const note = (notes: Map<string, Array<string>>, why: string, { exchange }: Step): void => {
  notes.set(why, [...(notes.get(why) ?? []), exchange.file])
}

const isAnswered =
  ({ endpoint }: Case) =>
  ({ requestBody, status, uri }: Exchange): boolean =>
    Json.isObject(requestBody) &&
    status !== undefined &&
    status < 300 &&
    (uri === undefined || endpoint.test(uri.replace(/\?.*$/, "")))

interface Link {
  readonly step: Step
  readonly words: ReadonlyArray<Words>
  readonly before: Link | undefined
  readonly continuation: Continuation | undefined
  readonly why: string | undefined
}

const linked = (exchanges: ReadonlyArray<Exchange>, known: Case): ReadonlyArray<Link> => {
  const links: Array<Link> = []
  for (const exchange of exchanges) {
    const said = wholeBody(
      exchange,
      links.map(({ step }) => step)
    )
    const step = said === undefined ? undefined : stepOf(exchange, said, known)
    if (step === undefined) continue
    const words = wordsOf(step.request.messages)
    let why: string | undefined
    let before: Link | undefined
    let continuation: Continuation | undefined
    for (const link of links.toReversed()) {
      if (link.step.model !== step.model) continue
      const found = continuationOf(link, words, step.request.messages)
      if (found === undefined) continue
      if (typeof found === "string") why = found
      else {
        before = link
        continuation = found
        why = undefined
        break
      }
    }
    links.push({ step, words, before, continuation, why })
  }
  return links
}

const hasHistory = (words: ReadonlyArray<Words>): boolean => words.some(({ says }) => says !== "user")

const stepOf = (
  exchange: Exchange,
  { body, isWhole }: { readonly body: Json.JsonObject; readonly isWhole: boolean },
  { format }: Case
): Step | undefined => {
  const request = format.decodeRequest(body)
  if (Either.isLeft(request)) return undefined
  const { definitions, messages, options } = request.right
  // No API takes a result whose call is not said: the recording was put together by hand.
  const called = new Set(messages.flatMap((message) => (message._tag === "Assistant" ? callIdsOf(message.parts) : [])))
  if (messages.some((message) => message._tag === "Results" && message.results.some(({ id }) => !called.has(id)))) {
    return undefined
  }
  const turn = turnOf(exchange, format, { definitions, isStrict: options.isStrict })
  const model = modelOf(exchange, body)
  return turn === undefined || model === undefined
    ? undefined
    : { exchange, body, isWhole, request: request.right, turn, model }
}

const callIdsOf = (parts: ReadonlyArray<Turn.Part>): ReadonlyArray<string> =>
  parts.flatMap((part) => (part._tag === "Call" ? [part.call.id] : []))

const turnOf = (
  { body, stream }: Exchange,
  format: WireFormat.WireFormat,
  offered: WireFormat.Offered
): Turn.Turn | undefined => {
  if (stream === undefined) return Either.getOrUndefined(format.decodeTurn(body, offered))
  const decoder = format.streamDecoder(offered)
  const last = [...decoder.push(stream), ...decoder.end()].at(-1)
  return last?._tag === "Finished" && last.turn.isComplete ? last.turn : undefined
}

/** The model stands in the body, or in the address (Gemini, Bedrock). */
const modelOf = ({ uri }: Exchange, body: Json.JsonObject): string | undefined => {
  const { model } = body
  if (typeof model === "string") return model
  const [, named] = /\/models?\/([^/]+?)(?::\w+|\/converse(?:-stream)?)(?:\?|$)/.exec(uri ?? "") ?? []
  return named === undefined ? undefined : decodeURIComponent(named)
}

/** How the later history goes on from the earlier exchange; why it does not, where it holds it; undefined where it does not. */
const continuationOf = (
  { step, words }: Link,
  later: ReadonlyArray<Words>,
  messages: ReadonlyArray<Message.Message>
): Continuation | string | undefined => {
  if (later.length <= words.length || !isDeepStrictEqual(later.slice(0, words.length), words)) return undefined
  const [said, ...rest] = later.slice(words.length)
  const calls = Turn.calls(step.turn)
  const made = callsOf(step.turn.parts)
  if (said?.says !== "assistant") return "the client left the model's turn out"
  if (!isDeepStrictEqual(said.calls.map(withoutId), made.map(withoutId)))
    return "the client says another turn than the model's"
  if (calls.length === 0) {
    const [next, ...others] = rest
    if (next?.says !== "user" || others.length > 0) return "the client goes on by itself behind an answer"
    return { answers: [], prompt: userContent(messages), media: [] }
  }
  const [results, ...behind] = rest
  if (results?.says !== "results") return "the client does not answer the calls"
  const given = messages.flatMap((message) => (message._tag === "Results" ? message.results : []))
  const answers: Array<Answer> = []
  for (const [index, call] of calls.entries()) {
    const recordedId = said.calls[index]?.id
    const isOwn = results.results.some(({ id }) => id === recordedId)
    const result = isOwn ? given.findLast(({ id }) => id === recordedId) : undefined
    if (recordedId === undefined || result === undefined) return "the client does not answer each call"
    answers.push({ call, recordedId, result })
  }
  const media = behindResults(behind)
  if (media === undefined) return "the client says something of its own behind the results"
  return { answers, prompt: undefined, media: media ? userContent(messages) : [] }
}

const withoutId = ({ arguments: given, name }: { readonly name: string; readonly arguments: unknown }) => ({
  name,
  given
})

/** What the user says last. */
const userContent = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<Content.Part> => {
  const from = messages.findLastIndex(({ _tag }) => _tag !== "User")
  return messages.slice(from + 1).flatMap((message) => (message._tag === "User" ? message.content : []))
}
