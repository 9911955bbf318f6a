import { describe, expect, it } from "@effect/vitest"
import type { Json } from "@wield/core"
import { OpenAiChat } from "@wield/providers"
import * as agent from "./agent.js"
import { checkConversation } from "./agent/checkConversation.js"
import { findConversations } from "./agent/conversations.js"
import type { Exchange } from "./exchanges.js"
import { corpusFolder, freshFolder, hasCorpus } from "./folder.js"
import type { Case } from "./wire/formats.js"

it.skipIf(!hasCorpus(agent.part))(
  "runs every recorded conversation again, asking what was asked (skipped where there are no recordings)",
  async () => {
    const report = await agent.run(corpusFolder)
    expect(report.failures).toEqual([])
    expect(report.passed).toBeGreaterThan(0)
  }
)

it.skipIf(!hasCorpus(agent.part, freshFolder))(
  "runs every newer conversation again (skipped where there are no newer recordings)",
  async () => {
    const report = await agent.run(freshFolder)
    expect(report.failures).toEqual([])
    expect(report.passed).toBeGreaterThan(0)
  }
)

const chat: Case = { wire: "openai-chat", format: OpenAiChat.format, endpoint: /$/, differences: [] }

const call = { id: "call_1", type: "function", function: { name: "get_orders", arguments: '{"limit":3}' } }
const asked: Json.JsonObject = {
  model: "m",
  messages: [{ role: "user", content: "Where is my kettle?" }],
  tools: [
    {
      type: "function",
      function: {
        name: "get_orders",
        parameters: { type: "object", properties: { limit: { type: "integer" } }, required: ["limit"] }
      }
    }
  ]
}
const answered = (result: string): Json.JsonObject => ({
  ...asked,
  messages: [
    { role: "user", content: "Where is my kettle?" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: result }
  ]
})
const response = (message: Json.JsonObject, finish: string): Json.JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
})
const exchange = (index: number, requestBody: Json.JsonObject, body: Json.JsonObject): Exchange => ({
  file: `${index}`,
  wire: "openai-chat",
  provider: "openai",
  source: { repo: "r", path: "p", index },
  uri: undefined,
  requestBody,
  status: 200,
  headers: {},
  body,
  stream: undefined
})
const recording = [
  exchange(0, asked, response({ content: null, tool_calls: [call] }, "tool_calls")),
  exchange(1, answered("Shipped."), response({ content: "It is on its way." }, "stop"))
]
const found = () => findConversations(recording, chat).conversations

/** The conversation, and its two steps. */
const only = () => {
  const [conversation] = found()
  const [first, second] = conversation?.steps ?? []
  if (conversation === undefined || first === undefined || second === undefined) throw new Error("no conversation")
  return { conversation, first, second }
}

describe("a recorded conversation", () => {
  it("is the exchanges whose history goes on", () => {
    expect(found().map(({ steps }) => steps.map(({ exchange: { file } }) => file))).toEqual([["0", "1"]])
    const other = exchange(1, { ...answered("Shipped."), model: "another" }, response({ content: "No." }, "stop"))
    expect(findConversations([recording[0] ?? other, other], chat).conversations).toMatchObject([
      { steps: [{ exchange: other }] }
    ])
  })

  it("passes where the same is asked", async () => {
    expect(await checkConversation(only().conversation, false, () => {})).toEqual([])
  })

  it.each([
    ["another result was sent", answered("Lost."), "in words"],
    ["another setting was sent", { ...answered("Shipped."), temperature: 1 }, "body"],
    ["another tool was offered", { ...answered("Shipped."), tools: [] }, "in words"]
  ])("fails where %s", async (_, body, problem) => {
    const { conversation, first, second } = only()
    const changed = { ...conversation, steps: [first, { ...second, body }] }
    expect((await checkConversation(changed, false, () => {})).join("\n")).toContain(problem)
  })

  it("fails where the recording ends with other words, or the model is not asked as often", async () => {
    const { conversation, first, second } = only()
    const other = { ...second, turn: { ...second.turn, parts: [{ _tag: "Text" as const, text: "No." }] } }
    const ended = await checkConversation({ ...conversation, steps: [first, other] }, false, () => {})
    expect(ended.join("\n")).toContain("final text")
    const longer = await checkConversation({ ...conversation, steps: [first, second, second] }, false, () => {})
    expect(longer.join("\n")).toContain("2 requests instead of 3")
  })
})
