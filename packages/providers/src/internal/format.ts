/** The tables that describe an API, and the code that reads them. */
import type { Loss, Message, ToolDefinition, Turn } from "@wield/core"
import * as Json from "@wield/core/Json"
import type { Framing } from "../framing/frame.js"
import * as StreamDecoder from "../StreamDecoder.js"
import { keepOwn } from "../Maker.js"
import type { Cache, EncodedRequest, Endpoint, Offered, Request, ToolsOptions, WireFormat } from "./contract.js"
import type { ErrorTable } from "./errors.js"
import { collectFound } from "./found.js"
import type { NameRule } from "../NameMap.js"
import { lossOf } from "./losses.js"
import { cutOff } from "./streamedCalls.js"
import { type Fields, numberField, objectField, stringField } from "./wireField.js"

/** Where a response counts tokens: the fields to add up, each by its path; `|` parts other names of one field. */
type Counts = ReadonlyArray<string>

export interface UsageTable {
  readonly input: Counts
  readonly output: Counts
  readonly reasoning?: Counts
  readonly cacheRead?: Counts
  readonly cacheWrite?: Counts
  /** The total, for APIs of which some leave reasoning out of the output but not of the total. */
  readonly total?: Counts
}

/** How a request says which tools may be called; what is absent, the API has no word for. */
export interface ChoiceTable {
  /** Where a choice stands in the request, for losses. */
  readonly key: string
  readonly auto?: Json.Json
  readonly none?: Json.Json
  readonly required?: Json.Json
  readonly one?: (nativeName: string) => Json.Json
  /** One of these must be called: native names, for OpenAI's APIs what refers to each. */
  readonly several?: (tools: ReadonlyArray<Json.Json>) => Json.Json
  /** Whether a request can ask for one call at a time. */
  readonly hasParallel: boolean
}

/**
 * What a part of a result becomes: it is carried, carried in some types only, follows in a user's message where the
 * model reads it, or is left out with a loss.
 */
export type Carried = "carried" | "some types" | "follow" | "left out"

export interface FormatTable {
  /** Names the format in turns, errors and losses. */
  readonly name: string
  /** What people call the API. */
  readonly title: string
  /** The API within a sentence. */
  readonly api: string
  readonly historyKey: string
  readonly endpoint: Endpoint
  /** Which names of tools the API accepts. */
  readonly nameRule: NameRule
  /** Words for why a response ended; a word that is missing here is `other`. */
  readonly finish: { readonly [word: string]: Turn.Finish }
  readonly usage: UsageTable
  readonly choice: ChoiceTable
  readonly errors: ErrorTable
  /** How the API takes tools from the result of a search. */
  readonly search?:
    | {
        readonly isKnown: (to: Message.Maker) => boolean
        /** The search itself, where it is a tool of the API's own. */
        readonly tool: (definition: ToolDefinition.ToolDefinition) => ToolDefinition.ToolDefinition
        /** The search that the API runs itself. */
        readonly hosted: ToolDefinition.ToolDefinition
      }
    | undefined
  readonly results: { readonly images: Carried; readonly files: Carried; readonly hasErrorFlag: boolean }
  /** A request of which the API caches all, where it has to be asked; what the program asked for itself stays. */
  readonly markCached?:
    | ((body: Json.JsonObject, request: Request & { readonly cache: Cache }) => Json.JsonObject)
    | undefined
  /** Whether the API takes a message in which the model said nothing. */
  readonly takesEmptyTurn: boolean
}

/** What words mean, from the words for each meaning, which spaces part. */
export const meanings = <Meaning extends string>(words: {
  readonly [meaning in Meaning]?: string
}): { readonly [word: string]: Meaning } =>
  Object.fromEntries(
    // An object literal has its own keys only, which the type names.
    (Object.entries(words) as Array<[Meaning, string]>).flatMap(([meaning, all]) =>
      all.split(" ").map((word) => [word, meaning])
    )
  )

/** A wire format, from what its API says and the code that only its API needs. */
export const makeFormat = (
  { endpoint, historyKey, markCached, name, search, title }: FormatTable,
  framing: Framing,
  { errors, messages, streams, tools, turns }: FormatCode
): WireFormat => ({
  name,
  title,
  historyKey,
  endpoint,
  takesFound: search?.isKnown,
  encodeTools: (definitions, options) => Json.toWellFormed(tools.encodeTools(definitions, options)),
  decodeTurn: turns.decodeTurn,
  encodeResults: (turn, outcomes) => Json.toWellFormed(messages.encodeResults(Json.toWellFormed(turn), outcomes)),
  isFormatOf: turns.isFormatOf,
  streamDecoder: (offered) =>
    StreamDecoder.make({
      format: name,
      framing,
      assembler: streams.streamAssembler(offered),
      framedError: errors.framedError
    }),
  decodeRequest: messages.decodeRequest,
  // Messages before they are written, too: arguments and results become text within a text.
  encodeRequest: (sent) => {
    const request = withFound(search, forServer(name, { ...sent, messages: Json.toWellFormed(sent.messages) }))
    const { body, losses } = messages.encodeRequest(request)
    const { cache, definitions, found, options } = request
    const isMarked = markCached !== undefined && cache !== undefined
    const encoded = Json.toWellFormed({ body: isMarked ? markCached(body, { ...request, cache }) : body, losses })
    return found === undefined
      ? encoded
      : { ...encoded, offered: { definitions: [...definitions, ...found], isStrict: options.isStrict } }
  },
  decodeError: errors.decodeError
})

/** Names the model, and leaves out what only another server or model family reads. */
const forServer = (format: string, request: Request): Request => {
  const stated = request.settings?.format === format ? stringField(request.settings.json, "model") : undefined
  const model = request.model ?? stated
  return { ...request, model, messages: keepOwn(request.messages, { format, host: request.host, model }) }
}

/** A request as a format encodes it. */
export interface Encodable extends Request {
  /** What a search has found, where the API takes it from the search's result; or all that its own search may find. */
  readonly found?: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
}

const withFound = (search: FormatTable["search"], request: Request): Encodable => {
  const { deferred, definitions, findable, messages, search: name } = request
  if (deferred !== undefined) {
    return search === undefined
      ? { ...request, definitions: [...definitions, ...deferred], found: [] }
      : {
          ...request,
          definitions: hasSearch(definitions) ? definitions : [...definitions, search.hosted],
          found: deferred
        }
  }
  if (search === undefined || name === undefined) return request
  return {
    ...request,
    definitions: definitions.map((one) => (one.name === name ? search.tool(one) : one)),
    found: collectFound(name, messages, definitions, findable)
  }
}

/** Anthropic has two: by words, and by patterns. */
const hasSearch = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): boolean =>
  definitions.some(({ provider }) => provider !== undefined && /\.tool_search\b|\.tool_search_tool_/.test(provider.id))

interface FormatCode {
  readonly tools: Pick<WireFormat, "encodeTools">
  readonly turns: Pick<WireFormat, "decodeTurn" | "isFormatOf">
  readonly messages: Pick<WireFormat, "encodeResults" | "decodeRequest"> & {
    readonly encodeRequest: (request: Encodable) => EncodedRequest
  }
  readonly errors: Pick<WireFormat, "decodeError"> & { readonly framedError?: StreamDecoder.FramedError }
  readonly streams: { readonly streamAssembler: (offered?: Offered) => StreamDecoder.Assembler }
}

export const makeTurn = (
  table: Pick<FormatTable, "name" | "finish">,
  read: Omit<Turn.Turn, "format" | "finish">
): Turn.Turn => ({ format: table.name, finish: finishOf(table, read.nativeFinish, read.parts), ...read })

/** Whether calls wait for results is decided by the calls: many APIs say `stop` where they called a tool. */
export const finishOf = (
  { finish }: Pick<FormatTable, "finish">,
  word: string | undefined,
  parts: ReadonlyArray<Turn.Part>
): Turn.Finish => {
  const known = word !== undefined && Object.hasOwn(finish, word) ? finish[word] : undefined
  if (known !== undefined && known !== "stop" && known !== "calls") return known
  if (parts.some((part) => part._tag === "Call" && part.executedBy === "application")) return "calls"
  return known === undefined ? "other" : "stop"
}

/** Whether a response that ended by this word may have ended in the middle of the arguments of its last call. */
export const isCutting = (table: Pick<FormatTable, "finish">, word = ""): boolean =>
  isStopSequence(word) || isEarly(finishOf(table, word, []))

/** In arguments as in text, the model was stopped where it said it. */
const isStopSequence = (word = ""): boolean => /^stop_sequence$/i.test(word)

const isEarly = (finish: Turn.Finish): boolean => finish === "length" || finish === "filter" || finish === "error"

/** A turn that came whole: no stream shows how far its last call came. */
export const withCutCall = (turn: Turn.Turn, isWhole?: (call: Turn.CallPart) => boolean): Turn.Turn => {
  // Why the model refuses may stand behind what was cut off by it.
  const place = turn.parts.findLastIndex(({ _tag }) => _tag !== "Refusal")
  const last = turn.parts[place]
  const isCut = isEarly(turn.finish) || isStopSequence(turn.nativeFinish)
  if (!isCut || last?._tag !== "Call" || last.executedBy !== "application") return turn
  return isWhole?.(last) === true ? turn : { ...turn, parts: turn.parts.with(place, cutOff(last)) }
}

/** Where a count goes: to a term of a sum. Of the names that a term has, the one of the lowest rank counts. */
interface Slot {
  readonly term: number
  readonly rank: number
}

interface CountNode {
  readonly slots: Array<Slot>
  readonly inner: Map<string, CountNode>
}

const sums = ["input", "output", "reasoning", "cacheRead", "cacheWrite", "total"] as const

type UsageReader = (usage: Fields) => Turn.Usage

const readers = new WeakMap<UsageTable, UsageReader>()

/** The tokens that a response counts, by the format's own table. */
export const usageOf = ({ usage: table }: Pick<FormatTable, "usage">, usage: Fields): Turn.Usage => {
  const reader = readers.get(table) ?? usageReader(table)
  readers.set(table, reader)
  return reader(usage)
}

/** Some streams count in each chunk, so the fields are looked up by what a chunk has, not by what the table knows. */
const usageReader = (table: UsageTable): UsageReader => {
  const root = new Map<string, CountNode>()
  const sumOfTerm: Array<number> = []
  sums.forEach((name, sum) => {
    for (const names of table[name] ?? []) {
      const term = sumOfTerm.push(sum) - 1
      names.split("|").forEach((path, rank) => addSlot(root, path.split("."), { term, rank }))
    }
  })
  const read = (nodes: ReadonlyMap<string, CountNode>, usage: Fields, found: Array<Found | undefined>): void => {
    for (const key of Object.keys(usage)) {
      const node = nodes.get(key)
      if (node === undefined) continue
      const count = numberField(usage, key)
      if (count !== undefined) {
        // Less than nothing would give a budget back what was spent.
        if (count < 0) continue
        for (const { rank, term } of node.slots) {
          if ((found[term]?.rank ?? Infinity) > rank) found[term] = { rank, count }
        }
      } else if (node.inner.size > 0) read(node.inner, objectField(usage, key) ?? {}, found)
    }
  }
  return (usage) => {
    const found: Array<Found | undefined> = []
    read(root, usage, found)
    const total = sums.map((): number | undefined => undefined)
    found.forEach((each, term) => {
      const sum = sumOfTerm[term] ?? 0
      if (each !== undefined) total[sum] = (total[sum] ?? 0) + each.count
    })
    const [stated, output, reasoning, cacheRead, cacheWrite, all] = total
    // xAI counts cached tokens now among the input, now beside it.
    const input = stated === undefined || (cacheRead ?? 0) <= stated ? stated : stated + (cacheRead ?? 0)
    return { input, output: withReasoning(stated, output, reasoning, all), reasoning, cacheRead, cacheWrite }
  }
}

interface Found {
  readonly rank: number
  readonly count: number
}

const addSlot = (nodes: Map<string, CountNode>, path: ReadonlyArray<string>, slot: Slot): void => {
  const [key = "", ...rest] = path
  const node = nodes.get(key) ?? { slots: [], inner: new Map<string, CountNode>() }
  nodes.set(key, node)
  if (rest.length === 0) node.slots.push(slot)
  else addSlot(node.inner, rest, slot)
}

/** OpenAI counts reasoning as output; xAI and Google's OpenAI-compatible endpoint count it in the total only. */
const withReasoning = (
  input: number | undefined,
  output: number | undefined,
  reasoning: number | undefined,
  total: number | undefined
): number | undefined => {
  if (input === undefined || output === undefined || total === undefined) return output
  const missing = total - input - output
  return missing > 0 && (reasoning === undefined || missing === reasoning) ? output + missing : output
}

/** What a request says of which tools may be called; what the API cannot say is a loss. */
export const encodeChoice = (
  { api, choice: table }: Pick<FormatTable, "api" | "choice">,
  { choice, isParallel }: ToolsOptions,
  toNative: (name: string) => string,
  losses: Array<Loss.Loss>
): Json.Json | undefined => {
  const lose = (keyword: string, reason: string) => void losses.push(lossOf(table.key, [], keyword, reason))
  if (isParallel === false && !table.hasParallel) {
    lose("isParallel", `${api} has no switch for parallel calls: a turn may still have several.`)
  }
  const none = (keyword: string): Json.Json | undefined => {
    if (table.none === undefined) lose(keyword, `${api} cannot forbid calls: the model may call a tool.`)
    return table.none
  }
  const required = (keyword: string): Json.Json | undefined => {
    if (table.required === undefined) lose(keyword, `${api} cannot demand a call: the model may answer without one.`)
    return table.required
  }
  switch (choice?._tag) {
    case undefined:
      return undefined
    case "Auto":
      return table.auto
    case "None":
      return none("None")
    case "Required":
      return required("Required")
    case "OneOf": {
      const [only, ...others] = choice.names
      if (only === undefined) {
        if (table.none !== undefined && table.several === undefined) {
          lose("OneOf", "A choice among no tools is sent as no choice of any.")
        }
        return none("OneOf")
      }
      if (others.length === 0 && table.one !== undefined) return table.one(toNative(only))
      if (table.several !== undefined) return table.several(choice.names.map(toNative))
      if (table.required === undefined) return required("OneOf")
      lose(
        "OneOf",
        `${api} can name ${table.one === undefined ? "no tool" : "one tool, not several"}: the model must call one, but may call one that is not among ${choice.names.join(", ")}.`
      )
      return table.required
    }
  }
}
