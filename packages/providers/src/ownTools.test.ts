/** Tools that came from a request of an API and go back to it, without the JSON that was kept of them. */
import { describe, expect, it } from "@effect/vitest"
import type { Json } from "@wield/core"
import { ToolDefinition } from "@wield/core"
import { Either } from "effect"
import * as Anthropic from "./Anthropic.js"
import * as BedrockConverse from "./BedrockConverse.js"
import * as CohereV2 from "./CohereV2.js"
import { all } from "./WireFormat.js"
import * as Gemini from "./Gemini.js"
import * as Mistral from "./Mistral.js"
import * as Ollama from "./Ollama.js"
import * as OpenAiChat from "./OpenAiChat.js"
import * as OpenAiResponses from "./OpenAiResponses.js"
import type { WireFormat } from "./WireFormat.js"

/** No dialect writes it so: an open object beside a reference, `nullable`, an optional property, a union at the root. */
const schema = {
  type: "object",
  properties: {
    size: { type: "string", nullable: true },
    box: { $ref: "#/$defs/Box", type: "object", description: "Its box" }
  },
  required: ["size"],
  anyOf: [{ required: ["box"] }, { required: ["size"] }],
  $defs: { Box: { type: "object", properties: { width: { type: "integer" } } } }
}

const chatTools = [
  {
    type: "function",
    cache_control: { type: "ephemeral" },
    function: { name: "pack", description: "Packs", parameters: schema, strict: true, only_here: 1 }
  },
  { type: "function", function: { name: "now", description: null, only_here: { a: [1] } } }
]

const flatTools = (parameters: string) => [
  { name: "pack", description: "Packs", [parameters]: schema, strict: true, only_here: 1 },
  { name: "now", only_here: { a: [1] } }
]

const cases: ReadonlyArray<readonly [WireFormat, Json.JsonObject]> = [
  [Anthropic.format, { messages: [], tools: flatTools("input_schema") }],
  [
    BedrockConverse.format,
    {
      messages: [],
      toolConfig: {
        tools: [
          {
            toolSpec: { name: "pack", description: "Packs", inputSchema: { json: schema }, strict: true, only_here: 1 }
          },
          { toolSpec: { name: "now", inputSchema: {}, only_here: { a: [1] } } }
        ]
      }
    }
  ],
  [CohereV2.format, { messages: [], tools: chatTools }],
  [Gemini.format, { contents: [], tools: [{ functionDeclarations: flatTools("parametersJsonSchema") }] }],
  [Mistral.format, { messages: [], tools: chatTools }],
  [Ollama.format, { messages: [], tools: chatTools }],
  [OpenAiChat.format, { messages: [], tools: chatTools }],
  [OpenAiResponses.format, { input: [], tools: flatTools("parameters").map((tool) => ({ type: "function", ...tool })) }]
]

describe.each(cases)("$name", (format, body) => {
  const { definitions, options } = Either.getOrThrow(format.decodeRequest(body))
  const changed = definitions.map((definition) => ({ ...definition, native: undefined }))
  const { contents: _1, input: _2, messages: _3, ...tools } = body

  it("sends keys that have no words, and schemas as they were", () => {
    expect(format.encodeTools(changed, options).body).toEqual(tools)
  })

  it("lets a new description and the names of the keys that have words win", () => {
    const described = changed.map((definition) => ({ ...definition, description: "Another" }))
    const text = JSON.stringify(format.encodeTools(described, options).body)
    expect(text.split('"description":"Another"')).toHaveLength(3)
    expect(text).not.toContain('"description":null')
  })

  it("sends them to no other API", () => {
    for (const other of all) {
      if (other === format) continue
      expect(JSON.stringify(other.encodeTools(changed, options).body)).not.toContain("only_here")
    }
  })
})

it("sends what an application sets for one API", () => {
  const definition = ToolDefinition.make({
    name: "write",
    settings: { format: "anthropic", json: { eager_input_streaming: true } }
  })
  expect(Anthropic.encodeTools([definition]).body).toMatchObject({ tools: [{ eager_input_streaming: true }] })
})

it("holds a model to a schema that did not say so before", () => {
  const tool = { type: "function", function: { name: "pack", parameters: { type: "object", properties: {} } } }
  const { definitions } = Either.getOrThrow(OpenAiChat.decodeRequest({ messages: [], tools: [tool] }))
  const changed = definitions.map((definition) => ({ ...definition, native: undefined }))
  expect(OpenAiChat.encodeTools(changed, { isStrict: true }).body).toMatchObject({
    tools: [{ function: { strict: true, parameters: { additionalProperties: false, required: [] } } }]
  })
})
