/** An agent of 5,000 tools over every wire format: what was sent before stays, byte for byte. */
import { HttpServerResponse } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Agent, type Conversation, Model } from "@wield/agent"
import { Toolset } from "@wield/core"
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
