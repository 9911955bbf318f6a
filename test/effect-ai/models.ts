/** The two providers' models, and what is asked of each. */
import { Model } from "@wield/agent"
import { Content, type Message, ToolDefinition, ToolRunner, Toolset, type Turn } from "@wield/core"
import { Effect, Stream } from "effect"
import { anthropic, openAi } from "./serve.js"

export const gpt = (url: string, isStreaming = true) =>
  Model.fromLanguageModel({ id: "gpt-5-mini", isStreaming }).pipe(Effect.provide(openAi(url)))

export const claude = (url: string, isStreaming = true) =>
  Model.fromLanguageModel({ id: "claude-sonnet-4-5", isStreaming }).pipe(Effect.provide(anthropic(url)))

export const user = (text: string): Message.User => ({
  _tag: "User",
  content: [Content.text(text)],
  native: undefined
})

export const system = (text: string): Message.System => ({ _tag: "System", text, native: undefined })

export const assistant = (turn: Turn.Turn): Message.Assistant => ({
  _tag: "Assistant",
  parts: turn.parts,
  // As a store gives it back.
  native: JSON.parse(JSON.stringify({ format: turn.format, json: turn.native }))
})

export const getOrders = ToolDefinition.make({
  name: "get_orders",
  description: "The customer's orders",
  inputSchema: { type: "object", properties: { limit: { type: "integer" } }, required: ["limit"] }
})

/** The tool of `getOrders`, and what runs it. */
export const toolset = Toolset.dynamic([
  {
    name: getOrders.name,
    description: getOrders.description,
    inputSchema: getOrders.inputSchema,
    execute: ({ limit }) => Effect.succeed({ limit, orders: ["kettle"] })
  }
])

export const runner = Effect.flatMap(toolset, (tools) => ToolRunner.make(tools))

/** All events of one request, and how it failed, if it did. */
export const heard = (model: Model.Model, request: Partial<Model.ModelRequest> = {}) =>
  Effect.gen(function* () {
    const events: Array<Stream.Stream.Success<ReturnType<Model.Model["stream"]>>> = []
    const failure = yield* model
      .stream({ messages: [user("Where is my kettle?")], definitions: [getOrders], ...request })
      .pipe(
        Stream.runForEach((event) => Effect.sync(() => events.push(event))),
        Effect.flip,
        Effect.option
      )
    const last = events.at(-1)
    return {
      events,
      tags: events.map(({ _tag }) => _tag),
      failure: failure._tag === "Some" ? failure.value : undefined,
      turn: last?._tag === "Finished" ? last.turn : undefined
    }
  })

/** The turn of a request that must have one. */
export const turnOf = (model: Model.Model, request: Partial<Model.ModelRequest> = {}) =>
  Effect.flatMap(heard(model, request), ({ failure, turn }) =>
    turn === undefined || failure !== undefined
      ? Effect.dieMessage(`no turn: ${failure?.message}`)
      : Effect.succeed(turn)
  )
