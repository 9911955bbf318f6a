/**
 * Finds tools by what a request says: for programs and models that are not shown all tools of thousands. It reads
 * names, descriptions, parameters and example requests, and nothing that a model is not shown.
 */
import type { Duration } from "effect"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Json from "./Json.js"
import { aDuration, aText, type Checks, fields, holds, orThrow } from "./Options.js"
import { type Document, documentOf } from "./search/fields.js"
import { Meaning } from "./search/meaning.js"
import { Ranking, top } from "./search/ranking.js"
import { Stems } from "./search/words.js"
import type { ToolDefinition } from "./ToolDefinition.js"

/**
 * What is searched of a tool: its definition, and more where it is known.
 *
 * @category models
 */
export interface SearchedTool extends Pick<ToolDefinition, "name"> {
  readonly description?: string | undefined
  readonly inputSchema?: unknown
  readonly facts?: Pick<ToolDefinition["facts"], "title"> | undefined
  /** What the tool is found as; its name unless given. */
  readonly id?: string | undefined
  /** The group that it belongs to, such as a server's name. */
  readonly namespace?: string | undefined
  /** What the group is about. */
  readonly about?: string | undefined
  /** Other text about the tool, such as its HTTP path. */
  readonly details?: string | undefined
  /**
   * Requests, in a user's words, that the tool is right for. Nothing helps more where users say things in other words
   * than the definition does. The first 100 are read.
   */
  readonly requests?: ReadonlyArray<string> | undefined
}

/**
 * An embedding model of the application. How it fails does not matter: the search goes on by words.
 *
 * @category models
 */
export interface Embedder {
  /** One vector a text, all of one length. */
  readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ArrayLike<number>>, unknown>
}

/**
 * A tool that was found. Scores are comparable within one search.
 *
 * @category models
 */
export interface Found {
  readonly id: string
  readonly score: number
}

/**
 * An index of tools.
 *
 * @category models
 */
export interface ToolSearch {
  /** Adds tools, or puts them in the place of those with their ids. */
  readonly put: (tools: Iterable<SearchedTool>) => Effect.Effect<void>
  readonly remove: (ids: Iterable<string>) => Effect.Effect<void>
  /** Has these tools from now on and no others. Only what has changed is read again. */
  readonly replace: (tools: Iterable<SearchedTool>) => Effect.Effect<void>
  /**
   * The tools that fit a request, best first; of equal ones the lower id. `limit` of them, 5 unless given. Of a request,
   * the first 4,096 characters are read.
   */
  readonly search: (
    request: string,
    options?: { readonly limit?: number | undefined }
  ) => Effect.Effect<ReadonlyArray<Found>>
}

/** What is read of a request: it may be a whole document. */
const longestRequest = 4_096
const mostStems = 128

/**
 * An index of tools. It answers the same, whatever was added and removed before.
 *
 * With an `embedder`, tools are also found by meaning: what it adds is mixed into the scores, for each request in which
 * it agrees with the words so far that it cannot be chance. `patience` is how long a search waits for it, 2 seconds
 * unless given: tools that it has embedded by then stay embedded.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolSearch } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const index = yield* ToolSearch.make([
 *     { name: "get_forecast", description: "The weather of the next days", requests: ["Do I need an umbrella?"] },
 *     { name: "send_email", description: "Sends a message to an address" }
 *   ])
 *   return yield* index.search("Will I need my umbrella in Porto?")
 * })
 * assert.deepStrictEqual(Effect.runSync(program).map(({ id }) => id), ["get_forecast"])
 * ```
 *
 * @category constructors
 */
export const make = (tools: Iterable<SearchedTool> = [], options: Options = {}): Effect.Effect<ToolSearch> =>
  Effect.sync(() => {
    orThrow(checkOptions(options), "What else `ToolSearch.make` takes")
    const { embedder, patience = "2 seconds" } = options
    const index = new Index(embedder === undefined ? undefined : new Meaning(embedder, patience))
    index.put(tools)
    return {
      put: (tools) => Effect.sync(() => index.put(tools)),
      remove: (ids) => Effect.sync(() => index.remove(ids)),
      replace: (tools) => Effect.sync(() => index.replace(tools)),
      search: (request, options = {}) =>
        Effect.suspend(() => {
          orThrow(aText(request), "What is searched for")
          orThrow(checkSearch(options), "How tools are searched")
          return index.search(request, options.limit ?? 5)
        })
    }
  })

interface Options {
  readonly embedder?: Embedder | undefined
  readonly patience?: Duration.DurationInput | undefined
}

const checkOptions = fields({
  embedder: holds(
    "an object with a function `embed`",
    (given) => Predicate.hasProperty(given, "embed") && typeof given.embed === "function"
  ),
  patience: aDuration
} satisfies Checks<Options>)

const checkSearch = fields({ limit: holds("a number", (given) => typeof given === "number") })

const aSearchedTool = holds(
  "one with a name, and with an array as `requests` where it has some",
  (tool) =>
    Json.isObject(tool) &&
    typeof tool["name"] === "string" &&
    (tool["requests"] === undefined || Array.isArray(tool["requests"]))
)

class Index {
  readonly #tools = new Map<string, { readonly tool: SearchedTool; readonly document: Document }>()
  readonly #stems = new Stems()
  #ranking: Ranking | undefined

  constructor(readonly meaning: Meaning | undefined) {}

  put(tools: Iterable<SearchedTool>): void {
    for (const tool of tools) {
      orThrow(aSearchedTool(tool), "A tool that is searched")
      const id = tool.id ?? tool.name
      const known = this.#tools.get(id)
      if (known !== undefined && isSame(known.tool, tool)) continue
      this.#tools.set(id, { tool, document: documentOf(tool, this.#stems) })
      this.#ranking = undefined
    }
  }

  remove(ids: Iterable<string>): void {
    for (const id of ids) if (this.#tools.delete(id)) this.#ranking = undefined
  }

  replace(tools: Iterable<SearchedTool>): void {
    const all = [...tools]
    const ids = new Set(all.map(({ id, name }) => id ?? name))
    this.remove([...this.#tools.keys()].filter((id) => !ids.has(id)))
    this.put(all)
  }

  search(request: string, limit: number): Effect.Effect<ReadonlyArray<Found>> {
    const most = Math.floor(limit)
    if (!(most > 0)) return Effect.succeed([])
    const ranking = (this.#ranking ??= new Ranking(
      new Map([...this.#tools].map(([id, { document }]) => [id, document]))
    ))
    const stems = new Set(this.#stems.of(request, longestRequest).slice(0, mostStems))
    if (this.meaning === undefined) return Effect.succeed(ranking.best(stems, most))
    const { ids } = ranking
    const tools = ids.flatMap((id) => this.#tools.get(id)?.tool ?? [])
    return Effect.map(this.meaning.mix(request, tools, ranking.all(stems)), (scores) =>
      top(scores.keys(), scores, most)
        .map((number) => ({ id: ids[number] ?? "", score: scores[number] ?? 0 }))
        .filter(({ score }) => score > 0)
    )
  }
}

/** Whether nothing that is searched differs; definitions are not changed in place. */
const isSame = (one: SearchedTool, other: SearchedTool): boolean =>
  one === other ||
  (one.name === other.name &&
    one.description === other.description &&
    one.inputSchema === other.inputSchema &&
    one.facts?.title === other.facts?.title &&
    one.namespace === other.namespace &&
    one.about === other.about &&
    one.details === other.details &&
    one.requests === other.requests)
