import { describe, expect, it } from "@effect/vitest"
import { cases } from "../test/responses.js"
import * as Anthropic from "./Anthropic.js"
import * as BedrockConverse from "./BedrockConverse.js"
import * as CohereV2 from "./CohereV2.js"
import * as Gemini from "./Gemini.js"
import * as Mistral from "./Mistral.js"
import * as Ollama from "./Ollama.js"
import * as OpenAiChat from "./OpenAiChat.js"
import * as OpenAiResponses from "./OpenAiResponses.js"
import type { WireFormat } from "./WireFormat.js"

const addressOf = ({ endpoint }: WireFormat, model: string, isStreaming: boolean) =>
  `${endpoint.url ?? ""}${endpoint.path(model, isStreaming)}`

describe("endpoint", () => {
  it("is where each API documents it to be", () => {
    const addresses = (isStreaming: boolean) => cases.map(({ format }) => addressOf(format, "m", isStreaming))
    const same = [
      "https://api.openai.com/v1/chat/completions",
      "https://api.mistral.ai/v1/chat/completions",
      "https://api.openai.com/v1/responses",
      "https://api.cohere.com/v2/chat",
      "http://127.0.0.1:11434/api/chat",
      "https://api.anthropic.com/v1/messages"
    ]
    const gemini = "https://generativelanguage.googleapis.com/v1beta/models/m"
    expect(addresses(false).toSorted()).toEqual([...same, "/model/m/converse", `${gemini}:generateContent`].toSorted())
    expect(addresses(true).toSorted()).toEqual(
      [...same, "/model/m/converse-stream", `${gemini}:streamGenerateContent?alt=sse`].toSorted()
    )
  })

  it("keeps a model's name to one segment of the address", () => {
    const arn = "arn:aws:bedrock:eu-central-1:1:inference-profile/eu.claude"
    expect(BedrockConverse.format.endpoint.path(arn, false)).toBe(
      "/model/arn%3Aaws%3Abedrock%3Aeu-central-1%3A1%3Ainference-profile%2Feu.claude/converse"
    )
    expect(Gemini.format.endpoint.path("a/b?c", false)).toBe("/models/a%2Fb%3Fc:generateContent")
    expect(Gemini.format.endpoint.path("models/gemini-3-pro", false)).toBe("/models/gemini-3-pro:generateContent")
    expect(Gemini.format.endpoint.path("tunedModels/mine", false)).toBe("/tunedModels/mine:generateContent")
  })

  it("names the model and asks for a stream where the API has that in the body", () => {
    const bodies = (format: WireFormat) => [format.endpoint.body("m", false), format.endpoint.body("m", true)]
    const plain = [{ model: "m" }, { model: "m", stream: true }]
    expect(bodies(OpenAiResponses.format)).toEqual(plain)
    expect(bodies(Mistral.format)).toEqual(plain)
    expect(bodies(CohereV2.format)).toEqual(plain)
    expect(bodies(OpenAiChat.format)).toEqual([
      { model: "m" },
      { model: "m", stream: true, stream_options: { include_usage: true } }
    ])
    expect(bodies(Anthropic.format)).toEqual(plain.map((body) => ({ ...body, max_tokens: 4096 })))
    expect(bodies(Ollama.format)).toEqual([
      { model: "m", stream: false },
      { model: "m", stream: true }
    ])
    expect(bodies(Gemini.format)).toEqual([{}, {}])
    expect(bodies(BedrockConverse.format)).toEqual([{}, {}])
  })

  it("has headers under lower-case names, as they are matched", () => {
    for (const { format } of cases) {
      const { headers, key } = format.endpoint
      for (const header of [key.header, ...Object.keys(headers)]) expect(header).toBe(header.toLowerCase())
    }
  })

  it("has Bedrock's address in China under China's domain", () => {
    expect(BedrockConverse.regionUrl("cn-north-1")).toBe("https://bedrock-runtime.cn-north-1.amazonaws.com.cn")
  })
})
