/** An agent of 5,000 tools over every wire format: what was sent before stays, byte for byte. */
import { HttpServerResponse } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Agent, Model } from "@wield/agent"
import { OpenAiChat } from "@wield/providers"
import { Effect } from "effect"
import { cases } from "../../providers/test/responses.js"
import { isSoak } from "../../../test/sizes.js"
import { loopback } from "./loopback.js"
import { askInTurns, expectToGrow, expectToSave, few } from "./subjects.js"

it.scopedLive.each(cases)(
  "$format.name: in all turns over 5,000 tools, each request begins as the one before, at a small part of the tokens of all",
  ({ format, response }) =>
    Effect.gen(function* () {
      const call = (name: string, input: object) => response([name], JSON.stringify(input))
      const answer = response([])
      const sent = yield* askInTurns(
        format,
        (number) => [
          call("search_tools", { query: `subject${number}` }),
          call("call_tool", { name: `read_subject${number}`, arguments: { depth: 2 } }),
          answer
        ],
        {}
      )
      expectToGrow(format, sent)
      if (!isSoak && format !== OpenAiChat.format) return
      const whole = yield* askInTurns(format, (number) => [call(`read_subject${number}`, { depth: 2 }), answer])
      yield* expectToSave(format, sent, whole)
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
    const agent = yield* Agent.make({ model, toolset: yield* few, search: {} })
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
