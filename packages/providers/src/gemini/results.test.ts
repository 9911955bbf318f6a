import { expect, it } from "@effect/vitest"
import { Content, Outcome, ToolCall, ToolDefinition, Turn } from "@wield/core"
import * as Either from "effect/Either"
import * as Gemini from "../Gemini.js"
import { decodeTurn } from "./turn.js"
import { encodeResults } from "./messages.js"

const turnOf = (modelVersion: string, ...calls: ReadonlyArray<object>) =>
  Either.getOrThrow(
    decodeTurn({
      candidates: [{ content: { role: "model", parts: calls.map((functionCall) => ({ functionCall })) } }],
      modelVersion
    })
  )

const success = (turn: Turn.Turn, index: number, encoded: unknown, content?: ReadonlyArray<Content.Part>) => {
  const call = Turn.calls(turn)[index] ?? ToolCall.make("none", "none", {})
  return new Outcome.Success({ call, result: encoded, encoded, text: JSON.stringify(encoded) ?? "null", content })
}

const now = { name: "now", args: {} }

it("answers all calls in one content, with an id only where Gemini sent one", () => {
  const turn = turnOf("gemini-3-flash-preview", { ...now, id: "fc1" }, now)
  const { messages } = encodeResults(turn, [success(turn, 1, { hour: 13 }), success(turn, 0, { hour: 12 })])
  expect(messages).toEqual([
    ...turn.native,
    {
      role: "user",
      parts: [
        { functionResponse: { id: "fc1", name: "now", response: { hour: 12 } } },
        { functionResponse: { name: "now", response: { hour: 13 } } }
      ]
    }
  ])
})

it.each([
  [12, { output: 12 }],
  ["text", { output: "text" }],
  [null, { output: null }],
  [undefined, { output: null }],
  [[1, 2], { output: [1, 2] }],
  [{}, {}],
  [{ a: 1 }, { a: 1 }],
  [{ error: "not one" }, { output: { error: "not one" } }],
  [{ output: 1, more: 2 }, { output: { output: 1, more: 2 } }]
])("makes an object of %j", (encoded, response) => {
  const turn = turnOf("gemini-2.5-flash", now)
  expect(encodeResults(turn, [success(turn, 0, encoded)]).messages[1]).toEqual({
    role: "user",
    parts: [{ functionResponse: { name: "now", response } }]
  })
})

it("puts an error under the key that Gemini reads as one", () => {
  const turn = turnOf("gemini-2.5-flash", now)
  const denied = Turn.calls(turn).map((call) => Outcome.denial(call, "not now"))
  expect(encodeResults(turn, denied).messages[1]).toMatchObject({
    parts: [{ functionResponse: { response: { error: "The call of now was denied and not run: not now" } } }]
  })
})

const png = Content.image("image/png", "iVBORw0KGgo=")
const wav = Content.file("audio/wav", "UklGRg==")

it("puts an image inside the response for Gemini 3", () => {
  const turn = turnOf("gemini-3-flash-preview", now)
  expect(encodeResults(turn, [success(turn, 0, null, [Content.text("The page:"), png])]).messages[1]).toEqual({
    role: "user",
    parts: [
      {
        functionResponse: {
          name: "now",
          response: { output: "The page:" },
          parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }]
        }
      }
    ]
  })
})

it.each([
  ["gemini-2.5-flash", png],
  ["gemini-3-flash-preview", wav]
])("lets media follow in its own content where %s takes none inside", (model, part) => {
  const turn = turnOf(model, now)
  const { messages, losses } = encodeResults(turn, [success(turn, 0, null, [part])])
  expect(losses).toEqual([])
  expect(messages.slice(1)).toMatchObject([
    {
      role: "user",
      parts: [{ functionResponse: { response: { output: `File 1 (${part.mediaType}) follows the results.` } } }]
    },
    {
      role: "user",
      parts: [{ text: "File 1, from the result of now:" }, { inlineData: { mimeType: part.mediaType } }]
    }
  ])
})

it("reports a file at an address that Gemini cannot read", () => {
  const turn = turnOf("gemini-3-flash-preview", now)
  const linked = (url: string) => new Content.File({ mediaType: "application/pdf", source: { _tag: "Url", url } })
  const { messages, losses } = encodeResults(turn, [
    success(turn, 0, null, [linked("file:///tmp/a.pdf"), linked("gs://bucket/a.pdf")])
  ])
  expect(losses).toMatchObject([{ subject: "now", keyword: "file" }])
  expect(messages[2]).toMatchObject({ parts: [{}, { fileData: { fileUri: "gs://bucket/a.pdf" } }] })
})

it.each([
  ["an object with a reference", { $ref: "#/x" }],
  ["one inside of it", { schema: { properties: { a: [{ $ref: "file" }] } } }]
])("says a result as text that is %s: Gemini would look for a file of that name", (_, value) => {
  const content = { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] }
  const turn = Either.getOrThrow(Gemini.decodeTurn({ candidates: [{ content, finishReason: "STOP" }] }))
  const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, value))
  const { messages } = Gemini.encodeResults(turn, outcomes)
  expect(messages.at(-1)).toMatchObject({
    parts: [{ functionResponse: { response: { output: JSON.stringify(value) } } }]
  })
})

it("leaves the switch for its own tools out for Vertex AI, which refuses it", () => {
  const search = ToolDefinition.make({
    name: "search",
    provider: { id: "google.googleSearch", name: "googleSearch", settings: {} }
  })
  const configOf = (host: string) =>
    Gemini.format.encodeRequest({
      messages: [],
      definitions: [search, ToolDefinition.make({ name: "now" })],
      options: {},
      settings: undefined,
      losses: [],
      host
    }).body["toolConfig"]
  expect(configOf("generativelanguage.googleapis.com")).toEqual({ includeServerSideToolInvocations: true })
  expect(configOf("us-central1-aiplatform.googleapis.com")).toBeUndefined()
  expect(configOf("aiplatform.googleapis.com")).toBeUndefined()
})
