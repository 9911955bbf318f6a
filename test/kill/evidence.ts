/** What is left of the killed processes: entries, effects, and the log of what was begun. */
import { type Conversation, ConversationStore } from "@wield/agent"
import { Journal, ToolResult } from "@wield/core"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { Effects } from "./Effects.js"
import type { Killed } from "./killing.js"
import type { Logged } from "./stoppable.js"

export interface CallEvidence {
  readonly tool: string
  readonly item: string
  /** What the model was told of it, each time. */
  readonly results: ReadonlyArray<{ readonly text: string; readonly isError: boolean }>
  /** How many rows it has made. */
  readonly rows: number
  /** What the journal was asked and told of it, in all processes. */
  readonly logged: ReadonlyArray<Logged["known"]>
  /** The journal has its end: a process that was killed when both were written could not log it. */
  readonly isFinished: boolean
}

export interface Evidence {
  readonly conversation: string
  readonly ids: ReadonlyArray<string>
  /** What the user said. */
  readonly prompts: ReadonlyArray<string>
  /** The model's texts, one for each of its turns. */
  readonly said: ReadonlyArray<string>
  readonly calls: ReadonlyArray<CallEvidence>
  /** Results of no call. */
  readonly stray: number
}

/** Of every conversation, and the items of effects that no call accounts for. */
export const evidenceOf = (killed: Killed) =>
  Effect.gen(function* () {
    const store = yield* ConversationStore.ConversationStore
    const effects = yield* Effect.provide(
      Effect.flatMap(Effects, ({ all }) => all),
      Effects.layer(killed.effects)
    )
    const rows = new Map<string, number>()
    for (const { item, tool } of effects) rows.set(`${tool} ${item}`, (rows.get(`${tool} ${item}`) ?? 0) + 1)
    const log = readFileSync(killed.log, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Logged => JSON.parse(line))
    const journal = yield* Journal.Journal
    const finished = new Set<string>()
    for (const key of log) {
      if ((yield* journal.look(key))._tag === "Finished") finished.add(`${key.run} ${key.call}`)
    }
    const evidence = yield* Effect.forEach(killed.conversations, (id) =>
      Effect.gen(function* () {
        const entries = yield* (yield* store.open(id)).entries
        return ofConversation(id, entries, rows, log, finished)
      })
    )
    const known = new Set(evidence.flatMap(({ calls }) => calls.map(({ item, tool }) => `${tool} ${item}`)))
    return { evidence, unaccounted: [...rows.keys()].filter((item) => !known.has(item)) }
  })

const ofConversation = (
  conversation: string,
  entries: ReadonlyArray<Conversation.Entry>,
  rows: ReadonlyMap<string, number>,
  log: ReadonlyArray<Logged>,
  finished: ReadonlySet<string>
): Evidence => {
  const calls: Array<CallEvidence> = []
  const said: Array<string> = []
  let stray = 0
  entries.forEach((entry, index) => {
    if (entry.message._tag !== "Assistant") return
    const end = entries.findIndex(({ message }, place) => place > index && message._tag !== "Results")
    const following = entries.slice(index + 1, end === -1 ? undefined : end)
    const results = following.flatMap(({ message }) => (message._tag === "Results" ? message.results : []))
    const made = entry.message.parts.flatMap((part) => (part._tag === "Call" ? [part.call] : []))
    said.push(entry.message.parts.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join(""))
    stray += results.filter(({ id }) => !made.some((call) => call.id === id)).length
    for (const call of made) {
      const item = itemOf(call.arguments)
      const logged = log.filter(({ call: key, run }) => run === conversation && key.endsWith(`:${entry.id}:${call.id}`))
      calls.push({
        tool: call.name,
        item,
        results: results
          .filter(({ id }) => id === call.id)
          .map((result) => ({ text: ToolResult.toText(result), isError: result.isError })),
        rows: rows.get(`${call.name} ${item}`) ?? 0,
        logged: logged.map(({ known }) => known),
        isFinished: logged.some((key) => finished.has(`${key.run} ${key.call}`))
      })
    }
  })
  return {
    conversation,
    ids: entries.map(({ id }) => id),
    prompts: entries.flatMap(({ message }) => (message._tag === "User" ? [JSON.stringify(message.content)] : [])),
    said,
    calls,
    stray
  }
}

const itemOf = (args: unknown): string => {
  const parsed: unknown = typeof args === "string" ? JSON.parse(args) : args
  return typeof parsed === "object" && parsed !== null && "item" in parsed ? String(parsed.item) : ""
}
