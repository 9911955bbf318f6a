/**
 * Runs every recorded conversation again: a server on loopback gives the
 * recorded responses, an agent asks with the recorded tools, and what it asks
 * must be what the recorded client asked.
 */
import { join } from "node:path"
import { checkConversation } from "./agent/checkConversation.js"
import type { Conversation, Step } from "./agent/conversations.js"
import { findConversations } from "./agent/conversations.js"
import { differencesOf, reasons } from "./agent/differences.js"
import { checkOverEffectAi, packages } from "./agent/effectAi.js"
import { effectAiDifferences } from "./agent/effectAiDifferences.js"
import { finalOutput } from "./agent/finalOutput.js"
import { oddities } from "./agent/oddities.js"
import { countOthers, readExchanges } from "./exchanges.js"
import type { Case } from "./wire/formats.js"
import { withUnreadable } from "./folder.js"
import { everyNth, type Report, type RunOptions } from "./Report.js"
import { cases } from "./wire/formats.js"

export const part = "provider-wire"

/** `only` runs one format, by the name that the recordings give it. */
export const run = async (folder: string, { every, only }: RunOptions = {}): Promise<Report> => {
  const recordings = join(folder, part)
  const chosen = cases.filter(({ wire }) => only === undefined || wire === only)
  const exchanges = readExchanges(recordings, new Set(chosen.map(({ wire }) => wire)))
  const failures: Array<string> = []
  const needed: Notes = new Map()
  const refusedBy: Notes = new Map()
  const all: Array<{ readonly known: Case; readonly conversations: ReadonlyArray<Conversation> }> = []
  const cuts: Array<string> = []
  const table: Array<ReadonlyArray<string | number>> = [titles]
  let passed = 0
  for (const known of chosen) {
    const found = findConversations(
      exchanges.filter(({ wire }) => wire === known.wire),
      known
    )
    const conversations = everyNth(found.conversations, every)
    all.push({ known, conversations })
    for (const [why, files] of found.cut) cuts.push(`  ${known.wire} (${files.length}): ${why}`)
    let failed = 0
    let runs = 0
    for (const conversation of conversations) {
      for (const isCut of isStreaming(conversation) ? [false, true] : [false]) {
        const problems = await checkConversation(conversation, isCut, (name) =>
          note(needed, `${known.wire}: ${name}`, conversation)
        )
        runs++
        if (problems.length === 0) passed++
        else {
          failed++
          failures.push(`${conversation.name}${isCut ? " (in small pieces)" : ""}: ${problems.join("\n  ")}`)
        }
      }
    }
    table.push(rowOf(known.wire, conversations, runs, failed, "-"))
  }
  for (const { conversations, known } of all) {
    const over = packages.get(known.wire)
    if (over === undefined) continue
    let failed = 0
    let runs = 0
    let refusals = 0
    for (const conversation of conversations) {
      for (const isCut of isStreaming(conversation) ? [false, true] : [false]) {
        runs++
        const { problems, refused } = await checkOverEffectAi(conversation, over.modelAt, isCut, (name) =>
          note(needed, `${over.name}: ${name}`, conversation)
        )
        if (refused !== undefined) {
          refusals++
          note(refusedBy, `${over.name}: ${refused}`, conversation)
        }
        if (problems.length === 0) passed++
        else {
          failed++
          failures.push(`${conversation.name} over ${over.name}: ${problems.join("\n  ")}`)
        }
      }
    }
    table.push(rowOf(`over ${over.name}`, conversations, runs, failed, refusals))
  }
  return withUnreadable({ table, notes: notesOf(needed, refusedBy, cuts, recordings), passed, failures })
}

/** The conversations that something is true of. */
type Notes = Map<string, Set<string>>

const note = (notes: Notes, what: string, { name }: Conversation): void => {
  notes.set(what, (notes.get(what) ?? new Set()).add(name))
}

const isStreaming = ({ steps }: Conversation): boolean => steps.some(({ exchange }) => exchange.stream !== undefined)

const titles = [
  "format",
  "conversations",
  "streamed",
  "turns",
  "calls",
  "results",
  "answered",
  "end with a call",
  "runs",
  "refused",
  "failed"
]

const rowOf = (
  wire: string,
  conversations: ReadonlyArray<Conversation>,
  runs: number,
  failed: number,
  refused: number | string
): ReadonlyArray<string | number> => {
  const count = (isCounted: (conversation: Conversation) => boolean) => conversations.filter(isCounted).length
  const sum = (of: (conversation: Conversation) => number) =>
    conversations.reduce((total, conversation) => total + of(conversation), 0)
  const isOpen = (conversation: Conversation) =>
    callsOf(conversation.steps.at(-1)) > 0 && finalOutput(conversation) === undefined
  return [
    wire,
    conversations.length,
    count(isStreaming),
    sum(({ steps }) => steps.length),
    sum(({ steps }) => steps.reduce((total, step) => total + callsOf(step), 0)),
    sum(({ continuations }) => continuations.reduce((total, { answers }) => total + answers.length, 0)),
    count((conversation) => !isOpen(conversation)),
    count(isOpen),
    runs,
    refused,
    failed
  ]
}

const callsOf = (step: Step | undefined): number =>
  step?.turn.parts.filter((each) => each._tag === "Call" && each.executedBy === "application").length ?? 0

const notesOf = (
  needed: ReadonlyMap<string, ReadonlySet<string>>,
  refusedBy: ReadonlyMap<string, ReadonlySet<string>>,
  cuts: ReadonlyArray<string>,
  recordings: string
): ReadonlyArray<string> => {
  const why = new Map<string, string>([
    ...cases.flatMap(({ differences, wire }) =>
      [...differences, ...differencesOf(wire), ...oddities].map(({ name, why }) => [`${wire}: ${name}`, why] as const)
    ),
    ...cases.flatMap(({ wire }) => Array.from(reasons, ([name, reason]) => [`${wire}: ${name}`, reason] as const))
  ])
  for (const over of packages.values()) {
    for (const { name, why: reason } of effectAiDifferences) why.set(`${over.name}: ${name}`, reason)
    for (const [name, reason] of reasons) why.set(`${over.name}: ${name}`, reason)
  }
  const others = countOthers(recordings, new Set(cases.map(({ wire }) => wire)))
  return [
    `Not in scope: ${Array.from(others, ([wire, count]) => `${wire} (${count})`).join(", ")}.`,
    "Exchanges whose history goes on from no exchange that is there; they begin a conversation of their own:",
    ...cuts,
    "refused: @effect/ai's package cannot send the request or read the response, and the run fails by an error of a type (conversations):",
    ...Array.from(refusedBy, ([why, files]) => `  ${why} (${files.size})`).toSorted(),
    "Differences from the recorded requests (conversations that have them):",
    ...Array.from(needed, ([name, files]) => `  ${name} (${files.size}): ${why.get(name) ?? "?"}`).toSorted()
  ]
}
