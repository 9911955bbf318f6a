/** An agent of 5,000 tools over every wire format: what was sent before stays, byte for byte. */
import { HttpServerResponse } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Agent, type Conversation, Model } from "@wield/agent"
import { Toolset } from "@wield/core"
import { OpenAiChat } from "@wield/providers"
import { Effect } from "effect"
import { cases } from "../../providers/test/responses.js"
import { sized } from "../../../test/sizes.js"
import { loopback } from "./loopback.js"

const turns = sized(4, 20)

const tools = Array.from({ length: 5_000 }, (_, number) => ({
  name: `read_subject${number}`,
  description: `Reads what is known about subject${number} of kind ${number % 20}`,
  inputSchema: {
    type: "object",
    properties: { depth: { type: "integer", description: "How much to read, from 1 to 5" } }
  },
  execute: () => Effect.succeed({ number })
}))

/** Of all formats: reading 5,000 schemas takes longer than the turns. */
const toolset = Effect.runSync(Effect.cached(Toolset.dynamic(tools)))

it.scopedLive.each(cases)(
  "$format.name: in all turns over 5,000 tools, each request begins as the one before, and every found tool runs",
  ({ format, response }) =>
    Effect.gen(function* () {
      // Of each turn of the user: a search, a call of what it must find, an answer.
      const server = yield* loopback((_, index) => {
        const number = Math.floor(index / 3) * 37
        const calls = [
          () => response(["search_tools"], JSON.stringify({ query: `subject${number}` })),
          () => response(["call_tool"], JSON.stringify({ name: `read_subject${number}`, arguments: { depth: 2 } })),
          () => response([])
        ]
        return Effect.succeed(HttpServerResponse.unsafeJson(calls[index % 3]?.() ?? {}))
      })
      const model = yield* Model.fromWire(format, { model: "m", url: server.url, isStreaming: false })
      // Marks for a cache move along.
      const agent = yield* Agent.make({ model, toolset: yield* toolset, search: {}, options: { isCached: false } })
      let conversation: Conversation.Conversation | undefined
      const run: Array<string> = []
      for (let turn = 0; turn < turns; turn++) {
        const result = yield* Agent.run(
          agent,
          { prompt: `Question ${turn}`, conversation },
          { onEvent: (event) => void (event._tag === "CallFinished" && run.push(event.outcome._tag + event.call.name)) }
        )
        conversation = result.conversation
      }
      expect(run).toEqual(
        Array.from({ length: turns }, (_, turn) => ["Successsearch_tools", `Successread_subject${turn * 37}`]).flat()
      )
      expect(server.requests).toHaveLength(3 * turns)
      const parts = server.requests.map(({ body }) => {
        const { [format.historyKey]: history, ...rest } = body
        return { rest: JSON.stringify(rest), history: JSON.stringify(history).slice(0, -1) }
      })
      parts.slice(1).forEach(({ history, rest }, index) => {
        expect(rest).toBe(parts[index]?.rest)
        expect(history.startsWith(parts[index]?.history ?? "?")).toBe(true)
      })
      // All definitions would take more than the whole conversation with what it has found.
      expect(JSON.stringify(server.requests.at(-1)?.body).length).toBeLessThan(JSON.stringify(tools).length / 10)
    }).pipe(Effect.provide(NodeHttpClient.layer))
)

it.scopedLive("a found tool whose call is streamed in pieces runs under its own name, before its turn ends", () =>
  Effect.gen(function* () {
    const streamed = (name: string, pieces: ReadonlyArray<string>) => {
      const delta = (tool: object) => ({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...tool }] } }] })
      return [
        delta({ id: `call_${name}`, type: "function", function: { name, arguments: "" } }),
        ...pieces.map((piece) => delta({ function: { arguments: piece } })),
        { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }
      ]
    }
    const turns = [
      streamed("search_tools", ['{"query":', '"subject7"}']),
      streamed("call_tool", ['{"name":"read_sub', 'ject7","argum', 'ents":{"depth"', ":2}}"]),
      [
        { choices: [{ index: 0, delta: { role: "assistant", content: "Read." } }] },
        { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }
      ]
    ]
    const server = yield* loopback((_, index) => {
      const lines = (turns[index] ?? []).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      return Effect.succeed(
        HttpServerResponse.text(`${lines.join("")}data: [DONE]\n\n`, { contentType: "text/event-stream" })
      )
    })
    const model = yield* Model.fromWire(OpenAiChat.format, { model: "m", url: server.url })
    const agent = yield* Agent.make({ model, toolset: yield* Toolset.dynamic(tools.slice(0, 20)), search: {} })
    const seen: Array<string> = []
    const { text } = yield* Agent.run(agent, "Read", {
      onEvent: (event) => {
        if (event._tag === "CallAnnounced") seen.push(`announced ${event.name}`)
        if (event._tag === "CallStarted")
          seen.push(`started ${event.call.name} ${JSON.stringify(event.call.arguments)}`)
        if (event._tag === "TurnFinished") seen.push("turn")
      }
    })
    expect(text).toBe("Read.")
    expect(seen).toEqual([
      "announced search_tools",
      expect.stringContaining("started search_tools"),
      "turn",
      'started read_subject7 {"depth":2}',
      "turn",
      "turn"
    ])
  }).pipe(Effect.provide(NodeHttpClient.layer))
)
