/** Tools as items, and what people ask for: the tool search corpus, read where it lies. */
import { SearchIndex } from "@wield/assistant"
import { Effect, Layer, Stream } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../harness/folders.js"
import type { Measured } from "../../harness/table.js"
import * as WordVectors from "../../task/recall/wordVectors.js"
import { file, type Kind, kinds, layerOf, user } from "./kinds.js"
import { miniSearch } from "./miniSearch.js"
import { mean, recallAt, share } from "./score.js"

interface Tool {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly parameters: { readonly properties?: { readonly [name: string]: { readonly description?: string } } } | null
  /** Tools of one name and description are one answer. */
  readonly dup_group: string
}

interface Query {
  readonly source: string
  readonly query: string
  readonly relevant: ReadonlyArray<string>
}

const most = 5

/** Of each source so many queries, spread over it: the words of a search are looked for among 5,715 tools. */
const perSource = 150

const corpus = join(process.env["WIELD_CORPUS"] ?? join(folder, "..", "..", "shared", "corpus"), "toolcorpus")

const lines = <A>(kind: "tools" | "queries"): ReadonlyArray<A> =>
  readdirSync(join(corpus, kind))
    .sort()
    .flatMap((name) =>
      readFileSync(join(corpus, kind, name), "utf8")
        .trim()
        .split("\n")
    )
    .map((line) => JSON.parse(line))

/** Names of programs are words put together: `getWaterQuality`, `water_quality`. */
const spoken = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/[_\W]+/g, " ")

const itemOf = ({ description, id, name, parameters }: Tool): SearchIndex.Item => ({
  type: "excerpt",
  id,
  title: spoken(name),
  text: [
    description,
    ...Object.entries(parameters?.properties ?? {}).map(([key, value]) => `${spoken(key)} ${value.description ?? ""}`)
  ].join("\n"),
  importance: 5,
  changed: 0
})

const spread = (queries: ReadonlyArray<Query>): ReadonlyArray<Query> => {
  const step = Math.max(1, queries.length / perSource)
  return queries.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}

interface Answer {
  readonly source: string
  readonly found: ReadonlyArray<string>
  readonly wanted: ReadonlyArray<string>
}

/** Tools of one group count as one answer, so that more are asked for. */
const asked = 4 * most

const answerOf = (tools: ReadonlyArray<Tool>) => {
  const groups = new Map(tools.map(({ dup_group, id }) => [id, dup_group]))
  const groupsOf = (ids: ReadonlyArray<string>) => [...new Set(ids.map((id) => groups.get(id) ?? id))]
  return ({ relevant, source }: Query, found: ReadonlyArray<string>): Answer => ({
    source,
    found: groupsOf(found),
    wanted: groupsOf(relevant)
  })
}

const searched = (
  kind: Kind,
  embed: (text: string) => Array<number>,
  items: ReadonlyArray<SearchIndex.Item>,
  queries: ReadonlyArray<Query>
) =>
  Effect.gen(function* () {
    const index = yield* SearchIndex.SearchIndex
    yield* index.put(user, items)
    yield* Stream.runDrain(index.reindex)
    return yield* Effect.forEach(queries, ({ query }) =>
      Effect.map(index.search(user, { text: query, limit: asked }), ({ hits }) => hits.map(({ id }) => id))
    )
  }).pipe(Effect.provide(layerOf(kind, embed).pipe(Layer.provide(file))))

export const tools = async (): Promise<Measured> => {
  if (!existsSync(corpus)) {
    return { tables: [], goals: [], notes: ["The tool search corpus is not there: WIELD_CORPUS names its folder."] }
  }
  const all = lines<Tool>("tools")
  const labelled = lines<Query>("queries")
  const sources = [...new Set(labelled.map(({ source }) => source))]
  const queries = sources.flatMap((source) => spread(labelled.filter((query) => query.source === source)))
  const embed = WordVectors.embedder(WordVectors.load())
  const items = all.map(itemOf)
  const answer = answerOf(all)
  const row = (name: string, found: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
    const answers = queries.map((query, index) => answer(query, found[index] ?? []))
    const of = (some: ReadonlyArray<Answer>, count: number): string =>
      share(mean(some.map((one) => recallAt(count, one.found, one.wanted))))
    return [
      name,
      of(answers, 1),
      of(answers, most),
      ...sources.map((source) =>
        of(
          answers.filter((one) => one.source === source),
          most
        )
      )
    ]
  }
  const rows: Array<ReadonlyArray<string>> = []
  for (const kind of kinds) rows.push(row(kind.name, await Effect.runPromise(searched(kind, embed, items, queries))))
  // Its fuzzy search of queries as long as these takes minutes.
  const peer = miniSearch(items, { fuzzy: false, prefix: false })
  rows.push(
    row(
      "MiniSearch, whole words",
      queries.map(({ query }) => peer(query, asked))
    )
  )
  return {
    tables: [
      {
        _tag: "Figures",
        title: `${all.length} tools, ${queries.length} queries: share of the wanted tools that is found`,
        columns: ["search by", "recall@1", `recall@${most}`, ...sources.map((source) => `${source} @${most}`)],
        rows
      }
    ],
    goals: [],
    notes: [
      `At most ${perSource} queries of a source, among all tools. Those of livemcp need several tools each.`,
      `The meaning is that of ${WordVectors.name}, means of word vectors: a weak stand-in for a provider's embedding model.`
    ]
  }
}
