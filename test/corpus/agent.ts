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
import { oddities } from "./agent/oddities.js"
import { countOthers, readExchanges } from "./exchanges.js"
import type { Report } from "./Report.js"
import { cases } from "./wire/formats.js"

export const part = "provider-wire"

/** `only` runs one format, by the name that the recordings give it. */
export const run = async (folder: string, only?: string): Promise<Report> => {
  const recordings = join(folder, part)
  const chosen = cases.filter(({ wire }) => only === undefined || wire === only)
  const exchanges = readExchanges(recordings, new Set(chosen.map(({ wire }) => wire)))
  const failures: Array<string> = []
  const needed = new Map<string, Set<string>>()
  const cuts: Array<string> = []
  const table: Array<ReadonlyArray<string | number>> = [titles]
  let passed = 0
  for (const known of chosen) {
    const { conversations, cut } = findConversations(
      exchanges.filter(({ wire }) => wire === known.wire),
      known
    )
    for (const [why, files] of cut) cuts.push(`  ${known.wire} (${files.length}): ${why}`)
    let failed = 0
    let runs = 0
    for (const conversation of conversations) {
      for (const isCut of isStreaming(conversation) ? [false, true] : [false]) {
        const need = (name: string) => {
          const key = `${known.wire}: ${name}`
          needed.set(key, (needed.get(key) ?? new Set()).add(conversation.name))
        }
        const problems = await checkConversation(conversation, isCut, need)
        runs++
        if (problems.length === 0) passed++
        else {
          failed++
          failures.push(`${conversation.name}${isCut ? " (in small pieces)" : ""}: ${problems.join("\n  ")}`)
        }
      }
    }
    table.push(rowOf(known.wire, conversations, runs, failed))
  }
  return { table, notes: notesOf(needed, cuts, recordings), passed, failures }
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
  "failed"
]

const rowOf = (
  wire: string,
  conversations: ReadonlyArray<Conversation>,
  runs: number,
  failed: number
): ReadonlyArray<string | number> => {
  const count = (isCounted: (conversation: Conversation) => boolean) => conversations.filter(isCounted).length
  const sum = (of: (conversation: Conversation) => number) =>
    conversations.reduce((total, conversation) => total + of(conversation), 0)
  const isOpen = ({ steps }: Conversation) => callsOf(steps.at(-1)) > 0
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
    failed
  ]
}

const callsOf = (step: Step | undefined): number =>
  step?.turn.parts.filter((each) => each._tag === "Call" && each.executedBy === "application").length ?? 0

const notesOf = (
  needed: ReadonlyMap<string, ReadonlySet<string>>,
  cuts: ReadonlyArray<string>,
  recordings: string
): ReadonlyArray<string> => {
  const why = new Map<string, string>([
    ...cases.flatMap(({ differences, wire }) =>
      [...differences, ...differencesOf(wire), ...oddities].map(({ name, why }) => [`${wire}: ${name}`, why] as const)
    ),
    ...cases.flatMap(({ wire }) => Array.from(reasons, ([name, reason]) => [`${wire}: ${name}`, reason] as const))
  ])
  const others = countOthers(recordings, new Set(cases.map(({ wire }) => wire)))
  return [
    `Not in scope: ${Array.from(others, ([wire, count]) => `${wire} (${count})`).join(", ")}.`,
    "Exchanges whose history goes on from no exchange that is there; they begin a conversation of their own:",
    ...cuts,
    "Differences from the recorded requests (conversations that have them):",
    ...Array.from(needed, ([name, files]) => `  ${name} (${files.size}): ${why.get(name) ?? "?"}`).toSorted()
  ]
}
