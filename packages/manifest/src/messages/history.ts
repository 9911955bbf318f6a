/** One conversation over two calls of an API. */
import * as Conversation from "@wield/agent/Conversation"
import * as ConversationError from "@wield/agent/ConversationError"
import * as CallContext from "@wield/core/CallContext"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Json from "@wield/core/Json"
import * as Hash from "effect/Hash"
import type { Tokens } from "@wield/agent"
import type { Message, ToolCall, ToolResult } from "@wield/core"
import type { Call, Calls } from "./calls.js"
import { fieldsOf, messageOf } from "./message.js"
import { fieldOf, foldName } from "./fields.js"

export interface Settings {
  readonly context: CallContext.Values
  readonly limit: number
  readonly order: "newest-first" | "oldest-first" | undefined
  readonly onSaveFailure: "fail" | "log"
  readonly counts: Tokens.Counts
}

type StoreError = ConversationError.StoreError

const failed = (operation: string, detail: string, cause?: unknown): StoreError =>
  new ConversationError.StoreError({ operation, detail, ...(cause === undefined ? {} : { cause }) })

/** What the API holds, from the oldest message on; what cannot be read is left out and logged. */
export const read = ({ conversation, get }: Calls, settings: Settings, id: string) =>
  Effect.gen(function* () {
    const filled = { requestid: crypto.randomUUID(), invocationid: 0 }
    const context = { ...filled, ...(yield* CallContext.CallContext), ...settings.context, [conversation]: id }
    const given = yield* argumentsOf(get, "read", context, { limit: settings.limit })
    const answer = yield* Effect.mapError(get.execute(given), (error) => failed("read", error.message, error))
    const rows = rowsOf(answer, settings.order, settings.limit)
    if (rows === undefined) {
      return yield* failed(
        "read",
        "the API answered with no list of messages: an array, or an object with messages, rows, data or items"
      )
    }
    const { entries, omitted } = paired(rows.entries)
    // What the messages say is in no log.
    yield* Effect.forEach([...rows.broken, ...omitted], (what) =>
      Effect.logWarning(`A message of the conversation ${id} is left out: ${what}`)
    )
    return { entries, last: rows.last }
  })

/** A conversation that saves what is appended, one message after the other. */
export const conversation = (
  calls: Calls,
  settings: Settings,
  id: string,
  history: Effect.Effect.Success<ReturnType<typeof read>>
): Effect.Effect<Conversation.Conversation<StoreError>> =>
  Effect.gen(function* () {
    const local = yield* Conversation.make({ id, entries: history.entries })
    const one = yield* Effect.makeSemaphore(1)
    const request = crypto.randomUUID()
    const last = yield* Ref.make(history.last)
    return {
      id,
      isDurable: true,
      entries: local.entries,
      append: (entries, after) =>
        Effect.gen(function* () {
          const there = yield* local.entries
          // The rule of every conversation says what to add, on one that is thrown away.
          const probe = yield* Conversation.make({ id, entries: there })
          yield* probe.append(entries, after)
          const added = (yield* probe.entries).slice(there.length)
          for (const entry of added) {
            const before = yield* local.entries
            // Later than the message before: times tell the order of what was made at once.
            const at = yield* Ref.updateAndGet(last, (time) => Math.max(time + 1, entry.at))
            const turns = before.filter(({ message }) => message._tag === "Assistant").length
            yield* save(calls, settings, { id, request, turns, at }, entry)
            yield* local.append([entry], before.at(-1)?.id)
          }
        }).pipe(one.withPermits(1))
    }
  })

interface Saving {
  readonly id: string
  readonly request: string
  readonly turns: number
  /** Milliseconds since 1970. */
  readonly at: number
}

const save = (
  { conversation: field, save: call }: Calls,
  settings: Settings,
  { at, id, request, turns }: Saving,
  entry: Conversation.Entry
): Effect.Effect<void, StoreError> =>
  Effect.gen(function* () {
    const fields = fieldsOf(entry.message)
    if (Either.isLeft(fields)) return yield* failed("append", `the message ${entry.id} cannot be saved: ${fields.left}`)
    const { content, functionCall, name, role } = fields.right
    const carriers = ["functioncall", "metadata"]
    if (functionCall !== null && !call.taken.names.some((one) => carriers.includes(foldName(one)))) {
      return yield* failed(
        "append",
        `the message ${entry.id} cannot be saved: ${call.entry.function.name} takes no functionCall, which calls and results need`
      )
    }
    const filled = { requestid: request, invocationid: turns }
    const context = { ...filled, ...(yield* CallContext.CallContext), ...settings.context, [field]: id }
    const given = yield* argumentsOf(call, "append", context, {
      role,
      content,
      name,
      functioncall: functionCall,
      uuid: entry.id,
      timestamp: new Date(at).toISOString(),
      numtokens: settings.counts.message(entry.message),
      // All of the entry, what its provider sent included.
      metadata: Either.getOrElse(encode(entry), () => null)
    })
    yield* Effect.mapError(call.execute(given), (error) =>
      failed("append", `the message ${entry.id} is not saved: ${error.message}`, error)
    )
  }).pipe(
    Effect.catchAll((error) => (settings.onSaveFailure === "log" ? Effect.logError(error.message) : error)),
    // A save that has begun is finished: an interrupted one may be half made.
    Effect.uninterruptible
  )

const encode = Schema.encodeEither(Schema.parseJson(Conversation.Entry))

interface Values {
  readonly [name: string]: unknown
}

/** By the names as the entry spells them; those of the message are folded. Fails where the context lacks a field. */
const argumentsOf = ({ entry, taken }: Call, operation: string, given: Values, message: Values) => {
  const context = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
  const missing = entry.context.find(
    (name) => !entry.optionalContext.includes(name) && (context.get(name.toLowerCase()) ?? undefined) === undefined
  )
  if (missing !== undefined) return Either.left(failed(operation, `the context has no value for ${missing}`))
  return Either.right(
    Object.fromEntries(
      taken.names.flatMap((name) => {
        const key = fieldOf(name)
        const value = Object.hasOwn(message, key) ? message[key] : context.get(name.toLowerCase())
        return value === undefined ? [] : [[name, taken.numeric.has(name) ? numberOf(value) : value]]
      })
    )
  )
}

/** Times are ISO 8601 texts unless the API wants a number; ids of conversations are texts. */
const numberOf = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  const number = /^[+-]?\d+(?:\.\d+)?$/.test(value) ? Number(value) : Date.parse(value)
  return Number.isNaN(number) ? value : number
}

interface Open {
  /** Where the assistant's entry stands among those that are kept. */
  readonly index: number
  calls: ReadonlyArray<ToolCall.ToolCall>
}

/** Each result behind its call and each call before its result, as models' APIs want it, of what is there. */
const paired = (entries: ReadonlyArray<Conversation.Entry>) => {
  const kept: Array<Conversation.Entry> = []
  const omitted: Array<string> = []
  let open: Open | undefined
  const close = () => {
    if (open === undefined || open.calls.length === 0) return
    const { calls, index } = open
    const entry = kept[index]
    omitted.push(...calls.map(({ name }) => `a call of ${name}, for it has no result`))
    if (entry?.message._tag !== "Assistant") return
    const parts = entry.message.parts.filter((part) => part._tag !== "Call" || !calls.includes(part.call))
    kept[index] = { ...entry, message: { _tag: "Assistant", parts, native: undefined } }
  }
  for (const entry of entries) {
    const { message } = entry
    if (message._tag === "Results") {
      const results = message.results.flatMap((result) => {
        const call = answered(open?.calls ?? [], result)
        if (open === undefined || call === undefined) {
          omitted.push(`a result of ${result.name}, for its call is not there`)
          return []
        }
        open.calls = open.calls.filter((other) => other !== call)
        return [result.id === call.id ? result : { ...result, id: call.id }]
      })
      if (results.length === 0) continue
      const isWhole = results.every((result, index) => result === message.results[index])
      const whole = isWhole && results.length === message.results.length
      kept.push(whole ? entry : { ...entry, message: { _tag: "Results", results, native: undefined } })
      continue
    }
    if (entry.summaryOf === undefined) {
      close()
      open = message._tag === "Assistant" ? { index: kept.length, calls: callsOf(message) } : undefined
    }
    kept.push(entry)
  }
  // Calls of the last message may still be answered.
  return { entries: kept.filter(({ message }) => message._tag !== "Assistant" || message.parts.length > 0), omitted }
}

const callsOf = (message: Message.Assistant): ReadonlyArray<ToolCall.ToolCall> =>
  message.parts.flatMap((part) => (part._tag === "Call" && part.executedBy === "application" ? [part.call] : []))

/** By the id; rows of other programs have none, and tell by the tool's name. */
const answered = (calls: ReadonlyArray<ToolCall.ToolCall>, result: ToolResult.ToolResult) =>
  calls.find(({ id }) => id === result.id) ??
  calls.find(({ id, name }) => name === result.name && id.startsWith("row-"))

type Row = { readonly [field: string]: unknown }

const rowsOf = (answer: unknown, order: "newest-first" | "oldest-first" | undefined, limit: number) => {
  const list = listOf(answer)
  if (list === undefined) return undefined
  const read = list.map((row, index) => Either.mapLeft(entryOf(row), (reason) => `message ${index + 1}: ${reason}`))
  const entries = read.flatMap((one) => (Either.isRight(one) ? [one.right] : []))
  return {
    entries: distinct(inOrder(entries, order)).slice(-limit),
    last: entries.reduce((last, { at }) => Math.max(last, at ?? -1), -1),
    broken: read.flatMap((one) => (Either.isLeft(one) ? [one.left] : []))
  }
}

/** An array; of SQL the `rows`; of GraphQL the `messages`, or the only field that is a list. */
const listOf = (answer: unknown): ReadonlyArray<unknown> | undefined => {
  if (Array.isArray(answer)) return answer
  if (!Json.isObject(answer)) return undefined
  const named = ["messages", "rows", "data", "items"].map((key) => answer[key]).find((value) => value !== undefined)
  if (named !== undefined) return listOf(named)
  const [list, ...others] = Object.values(answer).filter((value) => Array.isArray(value))
  return others.length === 0 ? list : undefined
}

interface Read {
  readonly entry: Conversation.Entry
  readonly at: number | undefined
}

const decodeEntry = Schema.decodeUnknownEither(Schema.parseJson(Conversation.Entry))

const entryOf = (value: unknown): Either.Either<Read, string> => {
  if (!Json.isObject(value)) return Either.left("it is no object")
  const row: Row = Object.fromEntries(Object.entries(value).map(([name, field]) => [fieldOf(name), field]))
  const { content, functioncall, name, role, timestamp, uuid } = row
  if (typeof role !== "string") return Either.left("its role is no text")
  if (typeof content !== "string" && content !== null && content !== undefined) {
    return Either.left("its content is no text")
  }
  const at = timeOf(timestamp)
  // The same row has the same id whenever it is read.
  const id = typeof uuid === "string" && uuid !== "" ? uuid : `row-${Hash.string(JSON.stringify(value)) >>> 0}`
  const kept = typeof row["metadata"] === "string" ? decodeEntry(row["metadata"]) : undefined
  if (kept !== undefined && Either.isRight(kept) && kept.right.id === id) return Either.right({ entry: kept.right, at })
  const fields = {
    role,
    content: content ?? "",
    name: typeof name === "string" && name !== "" ? name : null,
    functionCall: Json.isObject(functioncall)
      ? JSON.stringify(functioncall)
      : typeof functioncall === "string"
        ? functioncall
        : null
  }
  // Calls and results without an id of their own are named by it.
  const own = id.startsWith("row-") ? id : `row-${id}`
  return Either.map(messageOf(fields, own), (message) => ({ entry: { id, message, at: at ?? 0 }, at }))
}

/** Milliseconds; databases tell the time without a zone, and it was saved as UTC. */
const timeOf = (value: unknown): number | undefined => {
  if (typeof value === "number") return value
  if (typeof value !== "string" || value === "") return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const iso = value.replace(" ", "T")
  const time = Date.parse(/(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(iso) ? iso.replace(/([+-]\d\d)$/, "$1:00") : `${iso}Z`)
  return Number.isNaN(time) ? undefined : time
}

/** By their times where all have one; else as is said, or as Acorn's APIs answer: the newest first. */
const inOrder = (read: ReadonlyArray<Read>, order: "newest-first" | "oldest-first" | undefined) => {
  const times = read.flatMap(({ at }) => at ?? [])
  const isTimed = times.length === read.length
  const first = times[0] ?? 0
  const isReversed = order === undefined ? !isTimed || first > (times.at(-1) ?? 0) : order === "newest-first"
  const list = isReversed ? read.toReversed() : read
  return (isTimed ? list.toSorted((left, right) => (left.at ?? 0) - (right.at ?? 0)) : list).map(({ entry }) => entry)
}

/** An id twice is one message that was saved twice, or two that say the same without ids. */
const distinct = (entries: ReadonlyArray<Conversation.Entry>): ReadonlyArray<Conversation.Entry> => {
  const seen = new Map<string, number>()
  return entries.flatMap((entry) => {
    const count = seen.get(entry.id) ?? 0
    seen.set(entry.id, count + 1)
    if (count === 0) return [entry]
    return entry.id.startsWith("row-") ? [{ ...entry, id: `${entry.id}-${count + 1}` }] : []
  })
}
