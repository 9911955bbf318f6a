/**
 * An agent that owns more tools than a model should be shown: it shows the pinned ones and one tool that finds others. A
 * definition that was found stands in the result of the search, so that what was sent before stays as it is and a
 * provider's cache holds. Where the API takes definitions from there, the model calls the tool itself; elsewhere it calls
 * one by which all that were found are called. Such a call is the tool's in everything but the provider's own JSON.
 */
import type {
  Message,
  Outcome,
  ToolCall,
  ToolDefinition,
  ToolResult,
  Toolset,
  ToolsetError,
  Turn,
  TurnEvent
} from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Json from "@wield/core/Json"
import * as ToolSearch from "@wield/core/ToolSearch"
import * as Toolsets from "@wield/core/Toolset"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Entry } from "../Conversation.js"
import type { Model } from "../Model.js"

/** The tool that finds others. */
export const searchTool = "search_tools"

export const callTool = "call_tool"

/**
 * How a model is shown what a search has found.
 *
 * @category models
 */
export type SearchForm = "native" | "hosted" | "call-through" | "activation"

/**
 * How an agent's tools are found.
 *
 * @category models
 */
export interface SearchOptions<Name extends string = string> {
  /** The tools that the model is always shown. None unless given. */
  readonly pinned?: ReadonlyArray<Name> | undefined
  /** How many a search finds at most. 5 unless given. */
  readonly limit?: number | undefined
  /** Requests in a user's words, by the tool that is right for them: nothing helps more. */
  readonly requests?: { readonly [Tool in Name]?: ReadonlyArray<string> } | undefined
  /** More of them, learnt from conversations by `ToolRequests`. Tools that are gone are passed over; an `embedder` is given them. */
  readonly learnt?: { readonly [tool: string]: ReadonlyArray<string> } | undefined
  /** Finds tools by meaning, too. */
  readonly embedder?: ToolSearch.Embedder | undefined
  /**
   * How the model is shown what was found, and calls it:
   *
   * - `native`: as its API has it: deferred tools and references to them (Anthropic), or the output of a tool search
   *   (OpenAI Responses). An API without such a form, or one that refuses it, gets `call-through`.
   * - `hosted`: the API searches, too, within the same response, and by its own ranking. All definitions are sent with
   *   each request, and what is on offer can be called. Otherwise as `native`; `limit`, example requests and `embedder`
   *   count only where `call-through` takes its place.
   * - `call-through`: the definitions in the result, and one tool that calls them by name. The request's tools never change.
   * - `activation`: as tools of the requests that follow. The model's arguments are held to their schemas where the API
   *   does that; each search that finds something new has the provider read the whole conversation again.
   *
   * Unless given, `native` for the models of Anthropic and OpenAI that are known to take it, from their makers' own
   * servers; `call-through` for all others. A conversation that began with `call-through` stays with it.
   */
  readonly form?: SearchForm | undefined
}

export interface Discovery {
  readonly form: SearchForm | undefined
  readonly toolset: Toolset.Toolset<Toolset.DynamicTools>
  /** Whether the model is shown a tool from the beginning. */
  readonly isShown: (definition: ToolDefinition.ToolDefinition) => boolean
}

/** What a search looks through: what is on offer in the step. A search that an ended process had begun has no step. */
export interface Findable {
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
  /** How the model that searches is shown what it finds. */
  form: SearchForm
}

export class Searchable extends Context.Reference<Searchable>()("@wield/agent/Searchable", {
  defaultValue: (): Findable => ({ definitions: undefined, form: "call-through" })
}) {}

const facts = { isReadOnly: true, isDestructive: false, isIdempotent: true, isOpenWorld: false }

const emptySearch = {
  tools: [],
  advice: "No tool fits these words. Search again with other ones: say what the tool should do, and with what."
}

const lostSearch = { tools: [], advice: "The search was interrupted. Search again." }

const directWords =
  "Finds more tools that you can use. You are shown a few; there are many others. You can call what it finds at once."

const searchWords = `Finds more tools that you can use. You are shown a few; there are many others. Found tools are called with ${callTool}.`

const found = `Call these with ${callTool}: { "name": …, "arguments": { … } }.`

export const makeDiscovery = (
  options: SearchOptions,
  shown: ReadonlyArray<string>
): Effect.Effect<Discovery, ToolsetError> =>
  Effect.gen(function* () {
    const index = yield* ToolSearch.make([], { embedder: options.embedder })
    // As the runner calls the tool by which a model reads on in a long result.
    const pinned = new Set([...(options.pinned ?? []), ...shown, searchTool, callTool, "read_result"])
    const requests = examplesOf(options)
    const isShown = ({ name, provider }: ToolDefinition.ToolDefinition) => pinned.has(name) || provider !== undefined
    let indexed: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
    const search = (request: string) =>
      Effect.gen(function* () {
        const { definitions: all, form } = yield* Searchable
        // Only the step tells what may be shown.
        if (all === undefined) return lostSearch
        const deferred = new Map(all.filter((one) => !isShown(one)).map((one) => [one.name, one]))
        if (indexed !== all) {
          indexed = all
          yield* index.replace(
            [...deferred.values()].map((one) => ({
              name: one.name,
              description: one.description,
              inputSchema: one.inputSchema,
              facts: one.facts,
              requests: requests.get(one.name)
            }))
          )
        }
        const hits = yield* index.search(request, { limit: options.limit ?? 5 })
        // Another run, to which other tools are offered, may have searched meanwhile.
        const tools = hits.flatMap(({ id }) => deferred.get(id) ?? []).map(asFound)
        if (tools.length === 0) return emptySearch
        return form === "call-through" ? { tools, advice: found } : { tools }
      })
    const toolset = yield* Toolsets.dynamic([
      {
        name: searchTool,
        description: searchWords,
        inputSchema: {
          type: "object",
          properties: { query: { type: "string", description: "What the tool should do, in a few words" } },
          required: ["query"],
          additionalProperties: false
        },
        facts,
        // What is found is on offer in the step, and its definition is whole.
        isFresh: true,
        execute: (given) => {
          const { query } = given as { readonly query: string } // as its schema says
          return search(query)
        }
      },
      {
        name: callTool,
        description: `Calls a tool that ${searchTool} has found.`,
        inputSchema: {
          type: "object",
          properties: {
            name: { type: "string", description: "The name of the tool" },
            arguments: { type: "object", description: "Its arguments, as its parameters say" }
          },
          required: ["name", "arguments"],
          additionalProperties: false
        },
        facts,
        // What names a tool has become that tool's call before it is run.
        execute: () =>
          Effect.fail({
            error: `Give the name of a tool that ${searchTool} has found, and its arguments as JSON: { "name": …, "arguments": { … } }`
          })
      }
    ])
    return { form: options.form, toolset, isShown }
  })

/** Made once: a tool whose requests are another list would be indexed again. */
const examplesOf = ({ learnt = {}, requests = {} }: SearchOptions): Map<string, ReadonlyArray<string>> => {
  const examples = new Map<string, ReadonlyArray<string>>()
  for (const [name, texts = []] of [...Object.entries(requests), ...Object.entries(learnt)]) {
    examples.set(name, [...(examples.get(name) ?? []), ...texts])
  }
  return examples
}

const asFound = ({ description, inputSchema, name }: ToolDefinition.ToolDefinition) =>
  Json.withoutUndefined({ name, description, parameters: inputSchema })

/** Whether it is a tool of the search that a model has no use for, which is shown in this form what was found. */
export const isLeftOut = (form: SearchForm, { name }: ToolDefinition.ToolDefinition): boolean =>
  form === "hosted" ? name === searchTool || name === callTool : form !== "call-through" && name === callTool

/** In this order: what the API is sent first stays first. */
export const shownTools = (
  discovery: Discovery,
  form: SearchForm,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  added: ReadonlyArray<string>
): ReadonlyArray<ToolDefinition.ToolDefinition> => {
  const shown = definitions.filter((one) => discovery.isShown(one) && !isLeftOut(form, one))
  if (form === "call-through") return shown
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  return [
    ...shown.map((one) => (one.name === searchTool ? { ...one, description: directWords } : one)),
    ...added.flatMap((name) => byName.get(name) ?? [])
  ]
}

/** How this model is shown what a search finds: a conversation that has begun with `call-through` stays with it. */
export const formFor = (
  { takesFound }: Model,
  given: SearchForm | undefined,
  entries: ReadonlyArray<Entry>
): SearchForm => {
  const wished = given ?? (takesFound === true ? "native" : "call-through")
  const isOwn = wished === "native" || wished === "hosted"
  const possible = isOwn && takesFound === undefined ? "call-through" : wished
  return possible !== "call-through" && hasBegunThrough(entries) ? "call-through" : possible
}

/** Only the results of this form say how found tools are called; one that found nothing has advice in any form. */
const hasBegunThrough = (entries: ReadonlyArray<Entry>): boolean => {
  for (const { found, message } of entries) {
    if (found === undefined || message._tag !== "Results") continue
    const hits = message.results.flatMap(({ name, structured }) =>
      name === searchTool && isHits(structured) && structured.tools.length > 0 ? [structured] : []
    )
    if (hits.length > 0) return hits.some((one) => one.advice !== undefined)
  }
  return false
}

const Hits = Schema.Struct({
  tools: Schema.Array(Schema.Struct({ name: Schema.String })),
  advice: Schema.optional(Schema.Unknown)
})

export const isHits = Schema.is(Hits)

export const namesFound = (outcomes: ReadonlyArray<Outcome.Outcome>): ReadonlyArray<string> => [
  ...new Set(
    outcomes.flatMap((outcome) =>
      outcome._tag === "Success" && outcome.name === searchTool && isHits(outcome.result)
        ? outcome.result.tools.map(({ name }) => name)
        : []
    )
  )
]

/** All that a conversation has found, in the order of finding. */
export const findings = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => [
  ...new Set(entries.flatMap((entry) => entry.found ?? []))
]

/** What the conversation has found and the view of it no longer shows. */
export const findLost = (
  entries: ReadonlyArray<Entry>,
  messages: ReadonlyArray<Message.Message>
): ReadonlyArray<string> => {
  const results = messages.flatMap((message) => (message._tag === "Results" ? message.results : []))
  const shown = new Set(
    results.flatMap(({ isError, name, structured }) =>
      name === searchTool && !isError && isHits(structured) ? structured.tools.map((tool) => tool.name) : []
    )
  )
  return findings(entries).filter((name) => !shown.has(name))
}

/** These tools, for the instructions; `undefined` for none. */
export const reminder = (
  lost: ReadonlyArray<string>,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
): string | undefined => {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  const tools = lost.flatMap((name) => byName.get(name) ?? []).map(asFound)
  return tools.length === 0
    ? undefined
    : `You have found these tools before; call them with ${callTool}:\n${JSON.stringify(tools)}`
}

/** Turns calls of `call_tool` into those of the tools that they name. */
export class Unwrapping {
  readonly #wrapped = new Set<number>()

  /** The event as the run sees it; `undefined` where it says only that something is called. */
  of(event: TurnEvent.TurnEvent): TurnEvent.TurnEvent | undefined {
    switch (event._tag) {
      case "CallStarted":
        if (event.name !== callTool) return event
        this.#wrapped.add(event.index)
        return undefined
      case "ArgumentsDelta":
        return this.#wrapped.has(event.index) ? undefined : event
      case "CallComplete":
        return { ...event, part: unwrapPart(event.part) }
      case "Finished":
        return {
          ...event,
          turn: {
            ...event.turn,
            parts: event.turn.parts.map((part) => (part._tag === "Call" ? unwrapPart(part) : part))
          }
        }
      default:
        return event
    }
  }
}

const unwrapPart = (part: Turn.CallPart): Turn.CallPart => {
  const call = part.executedBy === "application" ? unwrap(part.call) : part.call
  return call === part.call ? part : { ...part, call }
}

/** A call that names no tool, or says it in no JSON, stays what it is, and its result says how it is made. */
const unwrap = (call: ToolCall.ToolCall): ToolCall.ToolCall => {
  if (call.name !== callTool) return call
  const given = typeof call.arguments === "string" ? parse(call.arguments) : call.arguments
  if (!Json.isObject(given)) return call
  const { arguments: inner, name, ...others } = given
  if (typeof name !== "string" || name === callTool || Object.keys(others).length > 0) return call
  if (inner !== undefined && typeof inner !== "string" && !Json.isObject(inner)) return call
  return { id: call.id, name, arguments: inner ?? {} }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a search was asked for. Its arguments may have come as text. */
export const queryOf = (given: unknown): string | undefined => {
  const read = typeof given === "string" ? parse(given) : given
  return Json.isObject(read) && typeof read["query"] === "string" ? read["query"] : undefined
}

/** Messages as the model has said them: calls that it has made by `call_tool` are sent as calls of that. */
export const wrapMessages = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<Message.Message> => {
  const wrapped = new Set<string>()
  return messages.map((message) => {
    if (message._tag === "Assistant") {
      // Some APIs use ids again in the next turn.
      wrapped.clear()
      if (!message.parts.some(isWrapped)) return message
      const parts = message.parts.map((part) => {
        if (!isWrapped(part)) return part
        wrapped.add(part.call.id)
        return { ...part, call: wrap(part.call) }
      })
      return { ...message, parts }
    }
    if (message._tag !== "Results" || !message.results.some(({ id }) => wrapped.has(id))) return message
    const results = message.results.map((result) => (wrapped.has(result.id) ? { ...result, name: callTool } : result))
    return { ...message, results }
  })
}

/** What it was called by stands in the part, also when it comes from a store. */
const isWrapped = (part: Turn.Part): part is Turn.CallPart =>
  part._tag === "Call" && part.nativeName === callTool && part.call.name !== callTool

/** Arguments that came as text go back as what they say. */
const wrap = ({ arguments: inner, id, name }: ToolCall.ToolCall): ToolCall.ToolCall => {
  const parsed = typeof inner === "string" ? parse(inner) : inner
  return { id, name: callTool, arguments: { name, arguments: parsed ?? inner } }
}

/** A result that says that there is no such tool also says how one is found. */
export const withWay = (
  outcome: Outcome.Outcome,
  result: ToolResult.ToolResult | undefined,
  form: SearchForm
): ToolResult.ToolResult | undefined =>
  result === undefined || form === "hosted" || (outcome._tag !== "Unavailable" && outcome._tag !== "UnknownTool")
    ? result
    : {
        ...result,
        content: [
          ...result.content,
          Content.text(
            `You can call the tools that you have found in this conversation. Find others with ${searchTool}: { "query": "what the tool should do" }.`
          )
        ]
      }
