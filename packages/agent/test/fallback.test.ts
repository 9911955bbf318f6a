import { describe, expect, it } from "@effect/vitest"
import { Agent, type AgentEvent, AgentResult, Fallback, type Model, ModelError } from "@wield/agent"
import { type Message, Toolset } from "@wield/core"
import { Anthropic, ApiError, OpenAiResponses } from "@wield/providers"
import { ScriptedModel } from "@wield/testing"
import { Effect, Stream, TestClock } from "effect"
import { recordSpans } from "../../core/test/recording/Spans.js"

const detail = "as said"
const format = "scripted"
const { call, fail, text, turn } = ScriptedModel
const scripted = (id: string, ...script: Parameters<typeof ScriptedModel.make>[0]) => ScriptedModel.make(script, { id })

const errors: ReadonlyArray<ModelError.ModelError> = [
  new ApiError.ProviderUnavailable({ format, detail }),
  new ApiError.RateLimited({ format, detail }),
  new ApiError.QuotaExceeded({ format, detail }),
  new ApiError.NotAuthorized({ format, detail }),
  new ApiError.ContentFiltered({ format, detail }),
  new ModelError.Unreachable({ format, url: "https://a", detail }),
  new ModelError.ModelTimedOut({ format, waitedFor: "response", limit: 1 })
]

const tell = (model: Model.Model, prompt = "Hello?") =>
  Effect.gen(function* () {
    const events: Array<AgentEvent.AgentEvent> = []
    const agent = yield* Agent.make({ model })
    const result = yield* Agent.run(agent, prompt, { onEvent: (event) => void events.push(event) })
    return { events, result }
  })

describe("a model with others behind it", () => {
  for (const error of errors) {
    it.effect(`gives way where it fails with ${error._tag}, which event and spans tell`, () =>
      Effect.gen(function* () {
        const model = Fallback.make([yield* scripted("large", fail(error)), yield* scripted("small", text("Hello."))])
        const { spans, value } = yield* recordSpans(tell(model))
        expect(yield* AgentResult.output(value.result)).toBe("Hello.")
        expect(value.events.slice(0, 3)).toEqual([
          expect.objectContaining({ _tag: "TurnStarted", model: "large" }),
          { _tag: "ModelGaveWay", from: "large", to: "small", error },
          { _tag: "TextDelta", text: "Hello." }
        ])
        expect([...value.result.usageByModel.keys()]).toEqual(["small"])
        expect(spans.map(({ attributes, name }) => [name, attributes.get("error.type")])).toEqual([
          ["invoke_agent agent", undefined],
          ["chat large", error._tag],
          ["chat small", undefined]
        ])
      })
    )
  }

  it.effect("does not give way where the request is wrong", () =>
    Effect.gen(function* () {
      const rejected = new ApiError.RequestRejected({ format, detail })
      const model = Fallback.make([yield* scripted("large", fail(rejected)), yield* scripted("small", text("Hello."))])
      expect(yield* Effect.flip(tell(model))).toEqual(rejected)
    })
  )

  it.effect("gives way where it refuses at once: in words, or by a filter", () =>
    Effect.gen(function* () {
      const refusals = [turn(ScriptedModel.refusal("I will not.")), turn(ScriptedModel.finish("filter"))]
      for (const refused of refusals) {
        const model = Fallback.make([yield* scripted("large", refused), yield* scripted("small", text("Hello."))])
        const { events, result } = yield* tell(model)
        expect(result.text).toBe("Hello.")
        expect(events.map(({ _tag }) => _tag)).not.toContain("RefusalDelta")
      }
    })
  )

  it.effect("is asked again of the next one where an answer has begun and breaks off", () =>
    Effect.gen(function* () {
      const broken = ScriptedModel.broken(text("Hel"), new ApiError.ProviderUnavailable({ format, detail }))
      const model = Fallback.make([yield* scripted("large", broken), yield* scripted("small", text("Hello."))])
      const { events, result } = yield* tell(model)
      expect(result.text).toBe("Hello.")
      expect(events.map(({ _tag }) => _tag).slice(0, 5)).toEqual([
        "TurnStarted",
        "TextDelta",
        "TurnBroken",
        "TurnStarted",
        "TextDelta"
      ])
    })
  )

  it.effect("that has failed is asked last until its cooldown is over", () =>
    Effect.gen(function* () {
      const busy = fail(new ApiError.ProviderUnavailable({ format, detail }))
      const large = yield* scripted("large", busy, text("Back."))
      const small = yield* scripted("small", text("One."), text("Two."))
      const model = Fallback.make([large, small], { cooldown: "1 minute" })
      const answers = [(yield* tell(model)).result.text, (yield* tell(model)).result.text]
      yield* TestClock.adjust("1 minute")
      answers.push((yield* tell(model)).result.text)
      expect(answers).toEqual(["One.", "Two.", "Back."])
    })
  )

  it.effect("fails with the error of the last one", () =>
    Effect.gen(function* () {
      const last = new ApiError.RateLimited({ format, detail })
      const first = fail(new ApiError.ProviderUnavailable({ format, detail }))
      const model = Fallback.make([yield* scripted("large", first), yield* scripted("small", fail(last))])
      expect(yield* Effect.flip(tell(model))).toEqual(last)
    })
  )

  it.effect("runs no call twice, and streams outside of an agent, too", () =>
    Effect.gen(function* () {
      const ran: Array<string> = []
      const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.sync(() => ran.push("pay")) }])
      const busy = fail(new ApiError.ProviderUnavailable({ format, detail }))
      const large = yield* scripted("large", turn(call("pay")), busy)
      const model = Fallback.make([large, yield* scripted("small", text("Paid."), text("Alone."))])
      const agent = yield* Agent.make({ model, toolset })
      expect((yield* Agent.run(agent, "Pay")).text).toBe("Paid.")
      expect(ran).toEqual(["pay"])
      const events = yield* Stream.runCollect(model.stream({ messages: [], definitions: [] }))
      expect([...events].map(({ _tag }) => _tag)).toContain("Finished")
    })
  )
})

it("settings of an agent go to models of the first one's API only", () => {
  const one = (provider: string, format: string): Model.Model => ({
    id: provider,
    format,
    origin: { provider },
    stream: () => Stream.empty
  })
  const openAi = one("openai", "openai-chat")
  const request = { messages: [], definitions: [], settings: { prompt_cache_key: "k" } }
  const settingsOf = (model: Model.Model) =>
    Fallback.make([openAi, model]).fallback?.requestFor(model, request).settings
  expect(settingsOf(openAi)).toEqual({ prompt_cache_key: "k" })
  expect(settingsOf(one("groq", "openai-chat"))).toBeUndefined()
  expect(settingsOf(one("anthropic", "anthropic"))).toBeUndefined()
})

it("what one provider signed, and ids of its files, go to no other", () => {
  const from = { host: "api.openai.com", model: "gpt-5" }
  const reasoning = { type: "reasoning", id: "rs_1", encrypted_content: "signed-by-openai", summary: [] }
  const file = { role: "user", content: [{ type: "input_file", file_id: "file-of-openai" }] }
  const messages: ReadonlyArray<Message.Message> = [
    {
      _tag: "User",
      content: [{ _tag: "Text", text: "Read it" }],
      native: { format: "openai-responses", json: [file], from }
    },
    {
      _tag: "Assistant",
      parts: [{ _tag: "Text", text: "Read." }],
      native: {
        format: "openai-responses",
        json: [reasoning, { type: "message", role: "assistant", content: [{ type: "output_text", text: "Read." }] }],
        from
      }
    }
  ]
  const bodyFor = (
    { encodeRequest, name }: typeof Anthropic.format | typeof OpenAiResponses.format,
    host: string,
    model: string
  ) =>
    JSON.stringify(
      encodeRequest({
        messages,
        definitions: [],
        options: {},
        settings: { format: name, json: {} },
        model,
        host,
        losses: []
      }).body
    )
  expect(bodyFor(OpenAiResponses.format, "api.openai.com", "gpt-5")).toMatch(/signed-by-openai.*|file-of-openai/)
  for (const body of [
    bodyFor(OpenAiResponses.format, "another.example", "gpt-5"),
    bodyFor(Anthropic.format, "api.anthropic.com", "claude-sonnet-4-5")
  ]) {
    expect(body).not.toMatch(/signed-by-openai|file-of-openai/)
    expect(body).toMatch("Read it")
  }
})
