import { describe, expect, it } from "@effect/vitest"
import { Content, Outcome, ToolDefinition, Turn } from "@wield/core"
import { Effect } from "effect"
import * as Claude from "./anthropicReplies.js"
import { assistant, claude, getOrders, gpt, heard, runner, turnOf, user } from "./models.js"
import * as Gpt from "./openAiReplies.js"
import { serve } from "./serve.js"

describe("a call of a tool that was not offered", () => {
  it.scoped("is a call like any other, not streamed: nothing of the response is lost", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([
        Claude.whole(
          Claude.thinking("Hm", "sig=="),
          Claude.call("toolu_1", "get_order", { limit: 3 }),
          Claude.call("toolu_2", "get_orders", { limit: 3 })
        )
      ])
      const turn = yield* turnOf(yield* claude(url, false))
      const outcomes = yield* (yield* runner).runAll(Turn.calls(turn))
      expect(outcomes.map(({ _tag }) => _tag)).toEqual(["UnknownTool", "Success"])
      expect(turn).toMatchObject({ finish: "calls", isComplete: true, usage: { output: 30 } })
      expect(JSON.stringify(turn.native)).toContain("sig==")
    })
  )

  for (const name of ["get_order", "toString", "__proto__"]) {
    it.scoped(`${name} ends a streamed turn, whose history can go on`, () =>
      Effect.gen(function* () {
        const { received, url } = yield* serve([
          Gpt.streamed(
            Gpt.reasoning("rs_1", ["Hm"], "gAAAA"),
            Gpt.call("call_1", "get_orders", '{"limit":3}'),
            Gpt.call("call_2", name, '{"limit":3}'),
            Gpt.call("call_3", "get_orders", '{"limit":4}')
          ),
          Gpt.streamed(Gpt.text("msg_2", "-"))
        ])
        const model = yield* gpt(url)
        const { failure, turn } = yield* heard(model)
        expect(failure).toBeUndefined()
        expect(turn).toMatchObject({ finish: "calls", isComplete: true, usage: Turn.unknownUsage })
        if (turn === undefined) return expect.unreachable()
        const outcomes = yield* (yield* runner).runAll(Turn.calls(turn))
        expect(outcomes.map(({ _tag, id }) => [id, _tag])).toEqual([
          ["call_1", "Success"],
          ["call_2", "UnknownTool"]
        ])
        const results = outcomes.flatMap((outcome) => Outcome.render(outcome) ?? [])
        yield* turnOf(model, {
          messages: [user("-"), assistant(turn), { _tag: "Results", results, native: undefined }]
        })
        const input = received[1]?.body["input"] as ReadonlyArray<{ readonly call_id?: string }>
        expect(input.map(({ call_id }) => call_id).filter((id) => id !== undefined)).toEqual([
          "call_1",
          "call_2",
          "call_1",
          "call_2"
        ])
        expect(JSON.stringify(input)).toContain("gAAAA")
      })
    )
  }

  it.scoped("that the conversation has called before is decoded, and advertised to nobody", () =>
    Effect.gen(function* () {
      const former = Gpt.call("call_1", "search", "{}")
      const { received, url } = yield* serve([
        Gpt.streamed(former),
        Gpt.streamed(Gpt.call("call_2", "search", "{}"), Gpt.call("call_3", "get_orders", '{"limit":4}'))
      ])
      const model = yield* gpt(url)
      const first = yield* turnOf(model, { definitions: [getOrders, ToolDefinition.make({ name: "search" })] })
      const result = { id: "call_1", name: "search", isError: false, content: [Content.json(1)], structured: 1 }
      const second = yield* turnOf(model, {
        messages: [user("-"), assistant(first), { _tag: "Results", results: [result], native: undefined }]
      })
      expect(Turn.calls(second).map(({ name }) => name)).toEqual(["search", "get_orders"])
      expect(second.usage).toMatchObject({ input: 120, output: 30, cacheRead: 100 })
      expect(received[1]?.body["tools"]).toMatchObject([{ name: "get_orders" }])
      expect(received[1]?.body["tool_choice"]).toBe("auto")
    })
  )
})

describe("a conversation that has called tools and is offered none", () => {
  for (const [provider, model, reply] of [
    ["OpenAI", gpt, Gpt.streamed(Gpt.call("call_2", "get_orders", "{}"))],
    ["Anthropic", claude, Claude.streamed(Claude.call("toolu_2", "get_orders", {}))]
  ] as const) {
    it.scoped(`is sent to ${provider} without tools, and a call is a call all the same`, () =>
      Effect.gen(function* () {
        const { received, url } = yield* serve([reply])
        const call = { id: "call_1", name: "get_orders", arguments: {} }
        const turn = yield* turnOf(yield* model(url), {
          definitions: [],
          messages: [
            user("-"),
            {
              _tag: "Assistant",
              parts: [{ _tag: "Call", call, executedBy: "application", nativeName: "get_orders", nativeId: "call_1" }],
              native: undefined
            },
            {
              _tag: "Results",
              results: [{ id: "call_1", name: "get_orders", isError: false, content: [] }],
              native: undefined
            }
          ]
        })
        expect(received[0]?.body).not.toHaveProperty("tools")
        expect(received[0]?.body).not.toHaveProperty("tool_choice")
        expect(Turn.calls(turn).map(({ name }) => name)).toEqual(["get_orders"])
      })
    )
  }
})

describe("arguments that are no JSON", () => {
  it.scoped("end a streamed turn of OpenAI as a call with the text that was sent", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([
        Gpt.streamed(Gpt.text("msg_1", "Look:"), Gpt.call("call_1", "get_orders", '{"limit": three}'))
      ])
      const turn = yield* turnOf(yield* gpt(url))
      expect(Turn.calls(turn)).toEqual([{ id: "call_1", name: "get_orders", arguments: '{"limit": three}' }])
      const [outcome] = yield* (yield* runner).runAll(Turn.calls(turn))
      expect(outcome?._tag).toBe("InvalidArguments")
    })
  )

  it.scoped("end a streamed turn of Anthropic likewise, and go back as an object", () =>
    Effect.gen(function* () {
      const broken = { type: "tool_use", id: "toolu_1", name: "get_orders", input: '{"limit": 3' }
      const { received, url } = yield* serve([Claude.streamed(broken), Claude.streamed(Claude.text("-"))])
      const model = yield* claude(url)
      const turn = yield* turnOf(model)
      const [outcome] = yield* (yield* runner).runAll(Turn.calls(turn))
      expect(outcome?._tag).toBe("InvalidArguments")
      const results = outcome === undefined ? [] : [Outcome.render(outcome)].flatMap((result) => result ?? [])
      yield* turnOf(model, { messages: [user("-"), assistant(turn), { _tag: "Results", results, native: undefined }] })
      expect(received[1]?.body["messages"]).toMatchObject([
        {},
        { content: [{ type: "tool_use", input: {} }] },
        { content: [{ type: "tool_result", is_error: true, content: expect.stringContaining("JSON") }] }
      ])
    })
  )

  it.scoped("that name a prototype reach the runner as text, not as a prototype", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([
        Gpt.streamed(Gpt.call("call_1", "get_orders", '{"limit":1,"__proto__":{"admin":true}}'))
      ])
      const turn = yield* turnOf(yield* gpt(url))
      const [outcome] = yield* (yield* runner).runAll(Turn.calls(turn))
      expect(outcome?._tag).toBe("InvalidArguments")
      expect(({} as { admin?: boolean }).admin).toBeUndefined()
    })
  )

  it.scoped("fail as WireError where the response is not streamed", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([Gpt.whole(Gpt.call("call_1", "get_orders", "{"))])
      const { events, failure } = yield* heard(yield* gpt(url, false))
      expect(events).toEqual([])
      expect(failure?._tag).toBe("WireError")
      expect(failure?.message).toContain("get_orders")
    })
  )
})
