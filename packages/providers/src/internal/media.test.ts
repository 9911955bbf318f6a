/** Images of results, over the APIs whose results are text. */
import { describe, expect, it } from "@effect/vitest"
import { Content, type Message, Outcome, Turn } from "@wield/core"
import { Either } from "effect"
import { cases } from "../../test/responses.js"
import { readsImages } from "./media.js"

const models: { readonly [format: string]: readonly [seeing: string, textOnly: string] } = {
  "openai-chat": ["gpt-5-mini", "deepseek-chat"],
  mistral: ["mistral-medium-latest", "codestral-latest"],
  "cohere-v2": ["command-a-vision-07-2025", "command-a-03-2025"],
  ollama: ["qwen3-vl:8b", "qwen3:8b"]
}

const image = [Content.text("Here:"), Content.image("image/png", "iVBORw0KGgo=")]
const isOfTool = (message: unknown): boolean => /"role":"tool"/.test(JSON.stringify(message))

describe.each(cases.filter(({ format }) => format.name in models))("an image in a result, as $format.name", (each) => {
  const { format, response } = each
  const [seeing = "", blind = ""] = models[format.name] ?? []
  const turn = Either.getOrThrow(format.decodeTurn(response(["look", "now", "look"]), {}))
  const outcomes = Turn.calls(turn).map((call, index) =>
    index === 1 ? Outcome.success(call, "noon") : Outcome.success(call, null, image)
  )
  const asked: ReadonlyArray<Message.Message> = [
    { _tag: "User", content: [Content.text("What is there?")], native: undefined },
    { _tag: "Assistant", parts: turn.parts, native: Turn.native(turn) },
    { _tag: "Results", results: outcomes.flatMap((outcome) => Outcome.render(outcome) ?? []), native: undefined }
  ]
  const thanks: Message.Message = { _tag: "User", content: [Content.text("Thanks.")], native: undefined }
  const sent = (model: string, messages: ReadonlyArray<Message.Message>) => {
    const rest = { definitions: [], options: {}, settings: undefined, losses: [] }
    const { body, losses } = format.encodeRequest({ messages, model, ...rest })
    const history = body["messages"]
    return { history: Array.isArray(history) ? history : [], losses }
  }

  it("follows all results in one message of the user's, which names its call", () => {
    const { history, losses } = sent(seeing, [...asked, thanks])
    expect(history.map(isOfTool)).toEqual([false, false, true, true, true, false, false])
    const text = JSON.stringify(history[5])
    expect(text).toContain('"role":"user"')
    expect(text).toContain("Image 1, from the result of look")
    expect(text).toContain("Image 2, from the result of look")
    expect(text.match(/iVBORw0KGgo=/g)).toHaveLength(2)
    expect(JSON.stringify(history[2])).toContain("Image 1 (image/png) follows the results.")
    expect(JSON.stringify(history[4])).toContain("Image 2 (image/png) follows the results.")
    // Ollama's calls have no ids.
    expect(text.includes(`(call ${Turn.calls(turn)[0]?.id})`)).toBe(format.name !== "ollama")
    expect(losses).toEqual([])
    expect(sent(seeing, asked).history).toEqual(history.slice(0, 6))
    const own = format.encodeResults({ ...turn, model: seeing }, outcomes)
    expect(own).toMatchObject({ messages: history.slice(1, 6), losses: [] })
  })

  it("follows results that came one after the other", () => {
    const late = asked.flatMap((message): ReadonlyArray<Message.Message> =>
      message._tag === "Results" ? message.results.map((result) => ({ ...message, results: [result] })) : [message]
    )
    expect(sent(seeing, late)).toEqual(sent(seeing, asked))
  })

  it("is left out where the model reads none, and the model reads so", () => {
    const { history, losses } = sent(blind, [...asked, thanks])
    expect(history.map(isOfTool)).toEqual([false, false, true, true, true, false])
    expect(JSON.stringify(history)).not.toContain("iVBORw0KGgo=")
    expect(JSON.stringify(history[2])).toContain("[an image of type image/png that this API cannot carry in a result]")
    expect(losses).toMatchObject([{ keyword: "image" }, { keyword: "image" }])
    expect(format.encodeResults({ ...turn, model: blind }, outcomes).messages).toEqual(history.slice(1, 5))
  })
})

it.each([
  ["gpt-4o", true],
  ["gpt-4", false],
  ["gpt-4-0613", false],
  ["gpt-4.1", true],
  ["gpt-4-turbo", true],
  ["gpt-3.5-turbo", false],
  ["openai/gpt-oss-120b", false],
  ["o3-mini", false],
  ["o3", true],
  ["claude-sonnet-4-5", true],
  ["google/gemini-3-pro-preview", true],
  ["deepseek-ai/DeepSeek-V3.1", false],
  ["deepseek-vl2", true],
  ["moonshotai/kimi-k2-instruct", false],
  ["kimi-k2.5", true],
  ["glm-4.6", false],
  ["glm-4.5v", true],
  ["grok-3", false],
  ["grok-4", true],
  ["meta-llama/Llama-3.3-70B-Instruct", false],
  ["llama3.2-vision:11b", true],
  ["llama-4-scout", true],
  ["Qwen/Qwen2.5-VL-7B-Instruct", true],
  ["qwen2.5vl:7b", true],
  ["qwen3-coder", false],
  ["gemma3:12b", true],
  ["gemma2:9b", false],
  ["llava:13b", true],
  ["mistral-small-2501", false],
  ["mistral-small-2506", true],
  ["open-mixtral-8x7b", false],
  ["pixtral-12b-2409", true],
  ["mistral:7b", false],
  ["phi4", false],
  ["a-model-of-ones-own", true],
  [undefined, true]
])("%s reads images: %s", (model, isSeeing) => {
  expect(readsImages(model)).toBe(isSeeing)
})

const ofImage = (mediaType: string, source: Content.Source) => new Content.Image({ mediaType, source })
const data = { _tag: "Base64", data: "AAAA" } as const
const at = (url: string) => ({ _tag: "Url", url }) as const

describe.each(cases)("an image of the user's, as $format.name", ({ format }) => {
  const sent = (image: Content.Image | Content.File) => {
    const message: Message.Message = { _tag: "User", content: [Content.text("See"), image], native: undefined }
    const rest = { definitions: [], options: {}, settings: undefined, losses: [], model: "a" }
    const { body, losses } = format.encodeRequest({ messages: [message], ...rest })
    return { text: JSON.stringify(body), losses: losses.map(({ keyword }) => keyword) }
  }

  it.each([
    ["of a type that no API reads", ofImage("image/svg+xml", data)],
    ["at an address that no API fetches", ofImage("image/png", at("ftp://example.com/a.png"))],
    ["that is a data URL without Base64", ofImage("image/*", at("data:image/svg+xml,<svg/>"))]
  ])("is a note where it is one %s, and a loss", (_, image) => {
    const { losses, text } = sent(image)
    expect(losses).toEqual(["image"])
    expect(text).not.toMatch(/AAAA|ftp:|data:/)
    expect(text).toMatch(/an image of type image/)
  })

  it("is a loss as a file is at an address that no API fetches", () => {
    const { losses, text } = sent(new Content.File({ mediaType: "application/pdf", source: at("ftp://example.com/a") }))
    expect([losses, text.includes("ftp:")]).toEqual([["file"], false])
  })

  it("is sent by the usual name of its type", () => {
    const { losses, text } = sent(ofImage("IMAGE/JPG; q=1", data))
    expect(losses).toEqual([])
    expect(text).toContain("AAAA")
    expect(text).not.toMatch(/jpg|q=1/i)
  })

  it("of a type that is not said is sent by what it begins with", () => {
    const { losses, text } = sent(ofImage("image/*", { _tag: "Base64", data: "/9j/AAAA" }))
    expect([losses, text.includes("/9j/AAAA"), text.includes("image/*")]).toEqual([[], true, false])
  })
})
