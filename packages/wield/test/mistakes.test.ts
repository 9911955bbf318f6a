/** What a developer without types reads of a mistake: what it is, where, and what to do. */
import { simulateReadableStream } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { beforeAll, describe, expect, it } from "vitest"
import { tool, wield } from "wield"
import { messagesOf } from "../../../test/compiler/messages.js"

const now = tool("now", { execute: () => "noon" })
const response = { choices: [{ message: { role: "assistant", content: "It is noon." } }] }

describe("a response that is not yet parsed JSON is refused with what to give:", () => {
  it.each([
    ["a text", JSON.stringify(response), /a text: give `JSON.parse` of it/],
    ["a promise", Promise.resolve(response), /a promise: `await` it first/],
    ["a Response", Response.json(response), /a Response of fetch: give `await response.json\(\)`/]
  ])("%s", async (_, given, message) => {
    await using tools = await wield({ tools: [now] })
    await expect(tools.run().answer("openai-chat", given)).rejects.toThrow(message)
  })
})

describe("an option that another library spells so is named as it is here:", () => {
  const make = async (declaration: object) => {
    await using tools = await wield({ tools: [tool("now", declaration)] })
    return tools
  }
  it.each([
    [{ inputSchema: {}, execute: (): number => 1 }, /no option `inputSchema`: it is `parameters` here/],
    [{ handler: () => 1 }, /no option `handler`: it is `execute` here/],
    [{ needsApproval: true, execute: (): number => 1 }, /no option `needsApproval`/]
  ])("%o of a tool", async (declaration, message) => {
    await expect(make(declaration)).rejects.toThrow(message)
  })

  it("`system` of an agent", async () => {
    await using tools = await wield({ tools: [now] })
    expect(() => tools.agent({ model: { format: "anthropic", model: "m" }, system: "Be brief." } as never)).toThrow(
      /no option `system`: it is `instructions` here/
    )
  })
})

describe("a model", () => {
  it("may be one of the AI SDK's as it is", async () => {
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
    const chunks = [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "It is noon." },
      { type: "text-end", id: "1" },
      { type: "finish", finishReason: { unified: "stop", raw: "end_turn" }, usage }
    ]
    const model = new MockLanguageModelV4({
      doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) as never
    })
    await using tools = await wield({ tools: [now] })
    expect((await tools.agent({ model }).ask("What time is it?")).text).toBe("It is noon.")
  })

  it.each(["gpt-5", undefined, null])("that is %s is refused with what to give", async (model) => {
    await using tools = await wield({ tools: [now] })
    expect(() => tools.agent({ model: model as never })).toThrow(/`model` is .*: give \{ format: "anthropic"/)
  })
})

describe("a compiler", () => {
  const mistakes: ReadonlyArray<readonly [what: string, model: string, says: RegExp]> = [
    [
      "the format of a model that there is not",
      `{ format: "openai", model: "gpt-5", key }`,
      /"openai".* type 'FormatName( \| undefined)?'/s
    ],
    ["a key under another name", `{ format: "openai-chat", model: "gpt-5", apiKey: key }`, /'apiKey' does not exist/],
    ["a model under another name", `{ format: "openai-chat", modelId: "gpt-5", key }`, /\bmodel(Id)?\b/]
  ]

  let messages: ReadonlyArray<ReadonlyArray<string>> = []
  beforeAll(async () => {
    // Most of its time goes into what all programs import.
    messages = await messagesOf(
      mistakes.map(
        ([, model]) => `import { wield } from "wield"
const key = "k"
const shop = await wield({ tools: [] })
export const agent = shop.agent({ model: ${model} })`
      )
    )
  }, 60_000)

  it.each(mistakes.map(([what, , says], index) => [what, says, index] as const))("names %s", (_, says, index) => {
    expect(messages[index]?.join("\n")).toMatch(says)
  })
})

it("no tools are tools: an empty set, for an agent that only talks", async () => {
  await using none = await wield({})
  expect(await none.run().tools("openai-chat")).toEqual({})
})
