/** The rows of an answer, whatever stands around them, and the entries that they are. */
import * as Conversation from "@wield/agent/Conversation"
import * as Json from "@wield/core/Json"
import * as Either from "effect/Either"
import * as Hash from "effect/Hash"
import * as Schema from "effect/Schema"
import { fieldOf } from "./fields.js"
import { messageOf } from "./message.js"

type Row = { readonly [field: string]: unknown }

export const rowsOf = (answer: unknown, order: "newest-first" | "oldest-first" | undefined, limit: number) => {
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
