/** Turns and results as the next request has to carry them: as they came, or re-encoded where they came from another API. */
import type { Loss, Message, ToolResult, Turn } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Outcome from "@wield/core/Outcome"
import type { Request, WireFormat } from "./contract.js"
import * as NameMap from "../NameMap.js"
import { applicationCalls, OpenCalls, pairedCalls } from "./calls.js"
import { lossOf } from "./losses.js"
import { isObject } from "./wireField.js"

/** What is needed to re-encode a turn. */
export interface Reencoding {
  /** The format that is written: what came from it goes back as it stood. */
  readonly format: string
  /** What the losses belong to. */
  readonly subject: string
  readonly toNative: (name: string) => string
  /** Whether this call may be said: it has a result. */
  readonly isPaired: (id: string) => boolean
  readonly losses: Array<Loss.Loss>
}

/** What came from this API, and only it understands. */
interface KeptPart {
  readonly _tag: "Kept"
  readonly json: ReadonlyArray<Json.Json>
}

type SendablePart = Exclude<Turn.Part, Turn.ReasoningPart> | KeptPart

/** The text, and the calls of the application; what is left out is a loss. */
export const sendableParts = (
  parts: ReadonlyArray<Turn.Part>,
  { format, isPaired, losses, subject }: Omit<Reencoding, "toNative">
): ReadonlyArray<SendablePart> =>
  parts.flatMap((part, index): ReadonlyArray<SendablePart> => {
    const lose = (keyword: string, reason: string): ReadonlyArray<SendablePart> => {
      losses.push(lossOf(subject, [index], keyword, reason))
      return []
    }
    if (part._tag !== "Reasoning" && part._tag !== "Call") return [part]
    if (part.native?.format === format) return [{ _tag: "Kept", json: part.native.json }]
    if (part._tag === "Reasoning") {
      return lose("reasoning", "Only the API that reasoning came from takes it back; it is left out.")
    }
    const { id, name } = part.call
    if (part.executedBy === "provider") {
      return lose("providerCall", `The provider ran ${name} itself; the call and its result are left out.`)
    }
    return isPaired(id)
      ? [part]
      : lose("call", `The call ${JSON.stringify(id)} of ${name} has no result; it is left out.`)
  })

/** Without calls that a provider ran and their results, where one lacks the other: the API refuses them then. */
export const withoutUnpaired = (
  content: ReadonlyArray<Json.Json>,
  callOf: (block: Json.Json) => string | undefined,
  answerOf: (block: Json.Json) => string | undefined
): Array<Json.Json> => {
  const called = new Set(content.map(callOf))
  const answered = new Set(content.map(answerOf))
  return content.filter((block) => {
    const [id, answers] = [callOf(block), answerOf(block)]
    return (id === undefined || answered.has(id)) && (answers === undefined || called.has(answers))
  })
}

/**
 * Blocks without texts of blanks only, which Claude refuses ("text content blocks must contain non-whitespace text")
 * though its own turns have them, before a call for one.
 */
export const withoutBlankText = (content: ReadonlyArray<Json.Json>): ReadonlyArray<Json.Json> =>
  content.some(isBlankText) ? content.filter((block) => !isBlankText(block)) : content

const isBlankText = (block: Json.Json): boolean => {
  if (!isObject(block)) return false
  const { text, type = "text" } = block
  return type === "text" && typeof text === "string" && text.trim() === ""
}

/** Whether the model said nothing in this turn. */
export const isEmptyTurn = (parts: ReadonlyArray<Turn.Part>): boolean =>
  parts.every((part) => (part._tag === "Text" || part._tag === "Refusal") && part.text.trim() === "")

/** The loss of such a turn, for an API that refuses an empty message. */
export const emptyTurn = (subject: string): Loss.Loss =>
  lossOf(subject, [], "turn", "The model said nothing, and the API takes no empty message of it: the turn is left out.")

/** What is lost of every turn of another format. */
const foreignTurn = ({ format }: Turn.Turn): Loss.Loss =>
  lossOf("turn", [], "native", `The turn is one of ${format}: its text and calls are sent, its metadata is not.`)

interface TurnFormat<Calls> {
  /** What notes the calls of a turn, so that their results name them as they stand. */
  readonly makeCalls: () => Calls
  /** Notes the calls of a turn of this format and gives its messages; they are its native ones unless given. */
  readonly encodeOwn?: (turn: Turn.Turn, calls: Calls) => ReadonlyArray<Json.Json>
  /** Writes the parts of a turn of another format. */
  readonly encodeParts: (parts: Turn.Turn["parts"], context: Reencoding, calls: Calls) => ReadonlyArray<Json.Json>
  readonly encodeResults: (
    results: Paired["results"],
    calls: Calls,
    losses: Array<Loss.Loss>,
    turn: Turn.Turn
  ) => ReadonlyArray<Json.Json>
}

/** Gives the turn, as it came or re-encoded, and the results of its calls. */
export const resultsEncoder =
  <Calls extends { readonly keep: (part: Turn.CallPart) => void }>(
    { name, nameRule }: { readonly name: string; readonly nameRule: NameMap.NameRule },
    { encodeOwn, encodeParts, encodeResults, makeCalls }: TurnFormat<Calls>
  ): WireFormat["encodeResults"] =>
  (turn, outcomes) => {
    const calls = makeCalls()
    const { losses: unanswered, pending, results } = pairOutcomes(turn, outcomes)
    const losses = [...unanswered]
    const encodeTurn = (): ReadonlyArray<Json.Json> => {
      const isOwn = turn.format === name
      if (isOwn && (turn.parts.length > 0 || turn.native.length > 0)) {
        if (encodeOwn !== undefined) return encodeOwn(turn, calls)
        for (const part of turn.parts) if (part._tag === "Call") calls.keep(part)
        return turn.native
      }
      if (!isOwn) losses.push(foreignTurn(turn))
      const { toNative } = NameMap.make([], nameRule)
      return encodeParts(turn.parts, { format: name, subject: "turn", toNative, isPaired: () => true, losses }, calls)
    }
    const sent = encodeTurn()
    return { messages: [...sent, ...encodeResults(results, calls, losses, turn)], pending, losses }
  }

/** Writes messages: those of this format go back as they stood. */
export const encodeHistory = (
  conversation: ReadonlyArray<Message.Message>,
  format: string,
  calls: Parameters<typeof keepCalls>[1],
  write: (message: Message.Message, index: number, isPaired: (id: string) => boolean) => ReadonlyArray<Json.Json>
): ReadonlyArray<Json.Json> => {
  const messages = joinResults(conversation, format)
  const paired = pairedCalls(messages)
  return messages.flatMap((message, index) => {
    const native = nativeJson(message, format)
    if (native === undefined) return write(message, index, paired(index))
    keepCalls(message, calls)
    return native
  })
}

export const nativeJson = (message: Message.Message, format: string): ReadonlyArray<Json.Json> | undefined =>
  message.native?.format !== format || saysNothing(message) ? undefined : message.native.json

/** Notes the calls and results of a message that goes back as it stood. */
export const keepCalls = (
  message: Message.Message,
  calls: { readonly keep: (part: Turn.CallPart) => void; readonly result: (id: string) => unknown }
): void => {
  if (message._tag === "Assistant") for (const part of message.parts) if (part._tag === "Call") calls.keep(part)
  if (message._tag === "Results") for (const result of message.results) calls.result(result.id)
}

const saysNothing = (message: Message.Message): boolean =>
  message._tag === "Assistant" && message.parts.length === 0 && message.native?.json.length === 0

/** Whether the user's words beside results went with the message of these, which stands before this index. */
export const isSaidBefore = (messages: ReadonlyArray<Message.Message>, index: number, format: string): boolean => {
  const before = messages[index - 1]
  return before?._tag === "Results" && (nativeJson(before, format)?.length ?? 0) > 0
}

/** A user's message of an API that has results in it: what it says beside them, if anything, stands behind them. */
export const addUserMessage = (
  messages: Array<Message.Message>,
  results: ReadonlyArray<ToolResult.ToolResult>,
  said: { readonly content: Message.User["content"]; readonly hasOther: boolean },
  native: Message.Native
): void => {
  if (results.length === 0) return void messages.push({ _tag: "User", content: said.content, native })
  messages.push({ _tag: "Results", results, native })
  if (said.hasOther) messages.push({ _tag: "User", content: said.content, native: { ...native, json: [] } })
}

/** Where the API has one message for each result, those of one turn become one message. */
export const mergeResults = (
  messages: ReadonlyArray<Message.Message>,
  format: string
): ReadonlyArray<Message.Message> => {
  const merged: Array<Message.Message> = []
  let results: Array<ToolResult.ToolResult> = []
  let json: Array<Json.Json> = []
  for (const message of messages) {
    if (message._tag !== "Results") merged.push(message)
    else {
      if (merged.at(-1)?._tag !== "Results") {
        merged.push({ _tag: "Results", results: (results = []), native: { format, json: (json = []) } })
      }
      for (const result of message.results) results.push(result)
      for (const each of message.native?.json ?? []) json.push(each)
    }
  }
  return merged
}

/**
 * The messages, with results in a row joined in the first, in the order of their calls. The others stay, without
 * results, so that each message keeps its index. Messages of this format stay as they are.
 */
export const joinResults = (
  messages: ReadonlyArray<Message.Message>,
  format: string
): ReadonlyArray<Message.Message> => {
  const isForeign = (message: Message.Message | undefined): message is Message.Results =>
    message?._tag === "Results" && message.native?.format !== format
  let joined: Array<Message.Message> | undefined
  let turn: Message.Message | undefined
  let places: ReadonlyMap<string, number> | undefined
  messages.forEach((message, index) => {
    if (message._tag === "Assistant") {
      turn = message
      places = undefined
    }
    if (!isForeign(message) || isForeign(messages[index - 1]) || !isForeign(messages[index + 1])) return
    joined ??= [...messages]
    const results: Array<ToolResult.ToolResult> = []
    for (let at = index; ; at++) {
      const next = messages[at]
      if (!isForeign(next)) break
      for (const result of next.results) results.push(result)
      joined[at] = { ...next, results: [] }
    }
    places ??= placesOf(turn)
    joined[index] = { ...message, results: inOrder(results, places) }
  })
  return joined ?? messages
}

/** The places of a turn's calls by their ids. */
const placesOf = (turn: Message.Message | undefined): ReadonlyMap<string, number> => {
  const places = new Map<string, number>()
  for (const [place, part] of (turn?._tag === "Assistant" ? turn.parts : []).entries())
    if (part._tag === "Call" && !places.has(part.call.id)) places.set(part.call.id, place)
  return places
}

/** Sorting is stable: results that share an id stay in their order. */
const inOrder = (
  results: ReadonlyArray<ToolResult.ToolResult>,
  places: ReadonlyMap<string, number>
): ReadonlyArray<ToolResult.ToolResult> => {
  const placeOf = ({ id }: ToolResult.ToolResult): number => places.get(id) ?? Number.MAX_SAFE_INTEGER
  return results.toSorted((left, right) => placeOf(left) - placeOf(right))
}

/** The model that a turn goes back to; unknown where it came from another API. */
export const modelOf = (format: string, turn: Turn.Turn): string | undefined =>
  turn.format === format ? turn.model : undefined

export const settingsOf = (request: Request, format: string, losses: Array<Loss.Loss>): Json.JsonObject => {
  const { settings } = request
  if (settings === undefined) return {}
  if (settings.format === format) return settings.json
  for (const key of Object.keys(settings.json)) {
    const reason = `It is a setting of ${settings.format} and is not sent: other APIs spell and mean it differently.`
    losses.push(lossOf("settings", [key], key, reason))
  }
  return {}
}

interface Paired {
  /** In the order of the calls. */
  readonly results: ReadonlyArray<{
    readonly part: Turn.CallPart
    readonly outcome: Outcome.Outcome
    readonly result: ToolResult.ToolResult
  }>
  /** Ids of the application's calls that have no outcome, or a deferred one. */
  readonly pending: ReadonlyArray<string>
  readonly losses: ReadonlyArray<Loss.Loss>
}

const pairOutcomes = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): Paired => {
  const waiting = new OpenCalls<Outcome.Outcome>()
  for (const outcome of outcomes) waiting.put(outcome.id, outcome)
  const results: Array<Paired["results"][number]> = []
  const pending: Array<string> = []
  for (const part of applicationCalls(turn.parts)) {
    const outcome = waiting.take(part.call.id)
    const result = outcome === undefined ? undefined : Json.toWellFormed(Outcome.render(outcome))
    if (outcome === undefined || result === undefined) pending.push(part.call.id)
    else results.push({ part, outcome, result })
  }
  const losses = waiting.all().map((outcome) => {
    const reason = `The turn has no call ${JSON.stringify(outcome.id)} that this outcome could answer; it is left out.`
    return lossOf(outcome.name, [], "outcome", reason)
  })
  return { results, pending, losses }
}
