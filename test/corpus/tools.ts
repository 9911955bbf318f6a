/**
 * How well tools are found by what is asked for: labelled requests of six sources, among the tools of all of them,
 * beside `minisearch` and the ranking of the AI SDK's `toolSearch`. With example requests of a tool, too.
 */
import { ToolSearch } from "@wield/core"
import { Effect } from "effect"
import MiniSearch from "minisearch"
import { join } from "node:path"
import { filesIn, readLines, withUnreadable } from "./folder.js"
import type { Report, RunOptions } from "./Report.js"

export const part = "toolcorpus/queries"

interface Tool {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly parameters?: unknown
  readonly namespace?: string
  readonly server_description?: string
  readonly full_description?: string
  readonly http?: string
  /** Tools of one name and description are one answer. */
  readonly dup_group: string
}

interface Query {
  readonly id: string
  readonly source: string
  readonly query: string
  readonly relevant: ReadonlyArray<string>
}

/** Ids of tools, best first. */
type Search = (request: string, count: number) => ReadonlyArray<string>

const counts = [1, 5, 10] as const

/** Tools of one group count as one answer, so that more are asked for. */
const asked = 40

const perSource = 400

const read = <A>(folder: string, kind: string): ReadonlyArray<A> =>
  filesIn(join(folder, "toolcorpus", kind), ".jsonl").flatMap((name) =>
    readLines<A>(join(folder, "toolcorpus", kind, name))
  )

const searched = (tool: Tool, requests?: ReadonlyArray<string>): ToolSearch.SearchedTool => ({
  id: tool.id,
  name: tool.name,
  description: tool.description,
  inputSchema: tool.parameters,
  namespace: tool.namespace,
  about: tool.server_description,
  details: [tool.full_description, tool.http].filter((text) => text !== undefined).join("\n"),
  requests
})

const wield = (tools: ReadonlyArray<Tool>, requests: ReadonlyMap<string, ReadonlyArray<string>>): Search => {
  const index = Effect.runSync(ToolSearch.make(tools.map((tool) => searched(tool, requests.get(tool.id)))))
  return (request, limit) => Effect.runSync(index.search(request, { limit })).map(({ id }) => id)
}

const namesOf = (schema: unknown): string => {
  const { properties } = (schema ?? {}) as { readonly properties?: { readonly [name: string]: unknown } }
  return Object.entries(properties ?? {})
    .map(([name, value]) => `${name} ${(value as { readonly description?: string } | null)?.description ?? ""}`)
    .join("\n")
}

const miniSearch = (tools: ReadonlyArray<Tool>): Search => {
  const index = new MiniSearch({ fields: ["name", "description", "parameters"] })
  index.addAll(
    tools.map(({ description, id, name, parameters }) => ({ id, name, description, parameters: namesOf(parameters) }))
  )
  return (request, count) =>
    index
      .search(request)
      .slice(0, count)
      .map(({ id }) => String(id))
}

/** As `toolSearch` of `ai` 7.0.173 ranks, which does not export it: a word in the name counts 2, in the description 1. */
const aiSdk = (tools: ReadonlyArray<Tool>): Search => {
  const wordsOf = (text: string) =>
    text
      .replace(/([a-z\d])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const all = tools.map(({ description = "", id, name }) => ({
    id,
    name: new Set(wordsOf(name)),
    description: new Set(wordsOf(description))
  }))
  return (request, count) => {
    const words = [...new Set(wordsOf(request))]
    return all
      .map(({ description, id, name }, place) => ({
        id,
        place,
        score: words.reduce((sum, word) => sum + (name.has(word) ? 2 : 0) + (description.has(word) ? 1 : 0), 0)
      }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || one.place - other.place)
      .slice(0, count)
      .map(({ id }) => id)
  }
}

/** At most so many of each source, spread by id. */
const sample = (queries: ReadonlyArray<Query>): ReadonlyArray<Query> =>
  [...new Set(queries.map(({ source }) => source))].flatMap((source) => {
    const inOrder = queries
      .filter((query) => query.source === source)
      .sort((one, other) => (one.id < other.id ? -1 : 1))
    const step = Math.max(1, inOrder.length / perSource)
    return inOrder.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
  })

/** Other requests of the same tool, none of which is asked, spread over those that it has: neighbours are alike. */
const examplesOf = (queries: ReadonlyArray<Query>, used: ReadonlyArray<Query>, count: number) => {
  const isUsed = new Set(used.map(({ id }) => id))
  const others = new Map<string, Array<string>>()
  for (const { id, query, relevant } of queries) {
    const [tool] = relevant
    if (isUsed.has(id) || tool === undefined || relevant.length !== 1) continue
    others.set(tool, [...(others.get(tool) ?? []), query])
  }
  return new Map(
    [...others].map(([tool, all]) => {
      const places = Array.from({ length: Math.min(count, all.length) }, (_, place) =>
        Math.floor(((place + 0.5) * all.length) / Math.min(count, all.length))
      )
      return [tool, places.flatMap((place) => all[place] ?? [])]
    })
  )
}

const mean = (numbers: ReadonlyArray<number>): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** How long a first search and each later one take among so many tools: those of the corpus, and those again. */
const timesAt = (count: number, tools: ReadonlyArray<Tool>, queries: ReadonlyArray<Query>): string => {
  const many = Array.from({ length: count }, (_, place) => tools[place % tools.length])
    .filter((tool) => tool !== undefined)
    .map((tool, place) => searched({ ...tool, id: `${tool.id}#${place}` }))
  const begun = performance.now()
  const index = Effect.runSync(ToolSearch.make(many))
  const ask = Effect.forEach(queries, ({ query }) => index.search(query), { discard: true })
  Effect.runSync(index.search("a first search"))
  const build = performance.now() - begun
  // The best of five: other work on the machine only adds to it.
  const rounds = Array.from({ length: 5 }, () => {
    const start = performance.now()
    Effect.runSync(ask)
    return (performance.now() - start) / queries.length
  })
  return `${count} tools: the first search ${Math.round(build)} ms, each later one ${Math.min(...rounds).toFixed(3)} ms, the mean of a round.`
}

export const run = (folder: string, { only }: RunOptions = {}): Report => {
  const tools = read<Tool>(folder, "tools")
  const queries = read<Query>(folder, "queries")
  const groups = new Map(tools.map(({ dup_group, id }) => [id, dup_group]))
  const groupsOf = (ids: ReadonlyArray<string>) => [...new Set(ids.map((id) => groups.get(id) ?? id))]
  const sources = [...new Set(queries.map(({ source }) => source))]
  const table: Array<ReadonlyArray<string | number>> = [
    ["ranking", "queries", "micro R@1/5/10", "macro R@1/5/10", ...sources]
  ]
  const times: Array<string> = []
  const measure = (name: string, search: Search, of: ReadonlyArray<Query>) => {
    const begun = performance.now()
    const answers = of.map(({ query, relevant, source }) => {
      const found = groupsOf(search(query, asked))
      const wanted = groupsOf(relevant)
      const recalls = counts.map(
        (count) => wanted.filter((one) => found.slice(0, count).includes(one)).length / wanted.length
      )
      return { source, recalls }
    })
    const took = (performance.now() - begun) / of.length
    times.push(`${name}: ${took.toFixed(3)} ms a query`)
    const bySource = sources.map((source) => {
      const own = answers.filter((answer) => answer.source === source)
      return counts.map((_, place) => mean(own.map(({ recalls }) => recalls[place] ?? 0)))
    })
    const share = (numbers: ReadonlyArray<number>) => numbers.map((number) => number.toFixed(3)).join("/")
    table.push([
      name,
      of.length,
      share(counts.map((_, place) => mean(answers.map(({ recalls }) => recalls[place] ?? 0)))),
      share(counts.map((_, place) => mean(bySource.map((own) => own[place] ?? 0)))),
      ...bySource.map(share)
    ])
  }
  const some = sample(queries)
  const begun = performance.now()
  const plain = wield(tools, new Map())
  plain("a first search", 1)
  const build = performance.now() - begun
  for (const of of only === undefined ? [some, queries] : [some]) {
    measure("Wield", plain, of)
    if (only === "wield") continue
    measure("AI SDK", aiSdk(tools), of)
    measure("minisearch", miniSearch(tools), of)
  }
  for (const count of [1, 3]) {
    const examples = examplesOf(queries, some, count)
    measure(`Wield, ${count} example${count === 1 ? "" : "s"} (${examples.size} tools)`, wield(tools, examples), some)
  }
  return withUnreadable({
    table,
    notes: [
      `${tools.length} tools; the first build took ${Math.round(build)} ms. ${times.join("; ")}.`,
      timesAt(12_000, tools, some),
      `At most ${perSource} queries of a source, spread by id, and all. Recall counts tools of one name and description`,
      "as one. Examples are other requests of the same tool, where some are left: MetaTool has them, BFCL in part.",
      "`pnpm corpus tools sample` leaves all queries out, which minisearch takes minutes for."
    ],
    passed: queries.length,
    failures: []
  })
}
