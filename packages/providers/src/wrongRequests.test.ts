/** Bodies that are no request: every format says where they are wrong. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { all } from "./WireFormat.js"

type Wrong = ReadonlyArray<readonly [body: unknown, path: ReadonlyArray<string | number>]>

const chat: Wrong = [
  [undefined, []],
  [{}, ["messages"]],
  [{ messages: [null] }, ["messages", 0]],
  [{ messages: [{ role: "assistant", tool_calls: [1] }] }, ["messages", 0, "tool_calls", 0]],
  [{ messages: [], tools: {} }, ["tools"]],
  [{ messages: [], tools: [1] }, ["tools", 0]]
]

const wrong: { readonly [format: string]: Wrong } = {
  anthropic: [
    [7, []],
    [{}, ["messages"]],
    [{ messages: [{ role: "user" }] }, ["messages", 0]],
    [{ messages: [{ role: "robot", content: "" }] }, ["messages", 0, "role"]],
    [{ messages: [], tools: [{}] }, ["tools", 0, "name"]]
  ],
  "bedrock-converse": [
    [undefined, []],
    [{ messages: "x" }, ["messages"]],
    [{ messages: [null] }, ["messages", 0]],
    [{ messages: [{ role: "robot", content: [] }] }, ["messages", 0, "role"]],
    [{ messages: [{ role: "user", content: "x" }] }, ["messages", 0, "content"]],
    [{ messages: [], toolConfig: { tools: [1] } }, ["toolConfig", "tools", 0]]
  ],
  "cohere-v2": [
    [undefined, []],
    [{}, ["messages"]],
    [{ messages: [1] }, ["messages", 0]],
    [{ messages: [{ role: "robot" }] }, ["messages", 0, "role"]],
    [{ messages: [{ role: "assistant", tool_calls: [{ id: 1 }] }] }, ["messages", 0, "tool_calls", 0, "id"]]
  ],
  gemini: [
    [7, []],
    [{}, ["contents"]],
    [{ contents: [7] }, ["contents", 0]],
    [
      { contents: [{ role: "model", parts: [{ functionCall: {} }] }] },
      ["contents", 0, "parts", 0, "functionCall", "name"]
    ],
    [{ contents: [], tools: [{ functionDeclarations: [{}] }] }, ["tools", 0, "functionDeclarations", 0]]
  ],
  mistral: chat,
  ollama: [
    [undefined, []],
    [{}, ["messages"]],
    [{ messages: [1] }, ["messages", 0]]
  ],
  "openai-chat": chat,
  "openai-responses": [
    [3, []],
    [{ input: 3 }, ["input"]],
    [{ input: [{ role: "user", content: "Hi" }, 3] }, ["input", 1]],
    [{ tools: {} }, ["tools"]],
    [{ tools: [null] }, ["tools", 0]]
  ]
}

describe.each(all)("$name", (format) => {
  it("says where a body is no request", () => {
    const expected = (wrong[format.name] ?? []).map(([, path]) => ({ left: { format: format.name, path } }))
    expect(expected.length).toBeGreaterThan(0)
    expect((wrong[format.name] ?? []).map(([body]) => format.decodeRequest(body))).toMatchObject(expected)
  })

  it("throws at no value", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.anything(), (body) => {
        expect(Either.isEither(format.decodeRequest(body))).toBe(true)
      })
    )
  })
})
