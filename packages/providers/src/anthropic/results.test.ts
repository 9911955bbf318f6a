import { expect, it } from "@effect/vitest"
import type { Turn } from "@wield/core"
import { Content, Facts, Outcome, ToolCall } from "@wield/core"
import * as Either from "effect/Either"
import { decodeTurn } from "./turn.js"
import { encodeResults } from "./messages.js"

const turnOf = (...ids: ReadonlyArray<string>) =>
  Either.getOrThrow(
    decodeTurn({ type: "message", content: ids.map((id) => ({ type: "tool_use", id, name: "shot", input: {} })) })
  )

const success = (id: string, encoded: unknown, content?: ReadonlyArray<Content.Part>) =>
  new Outcome.Success({
    call: ToolCall.make(id, "shot", {}),
    result: encoded,
    encoded,
    text: JSON.stringify(encoded) ?? "null",
    content
  })

const blocksOf = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>) =>
  encodeResults(turn, outcomes).messages.slice(turn.native.length)

it("answers all calls in one user message after the assistant's, in the order of the calls", () => {
  const turn = turnOf("a", "b")
  const { messages, pending, losses } = encodeResults(turn, [success("b", "two"), success("a", { n: 1 })])
  expect(messages).toEqual([
    ...turn.native,
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: '{"n":1}' },
        { type: "tool_result", tool_use_id: "b", content: "two" }
      ]
    }
  ])
  expect({ pending, losses }).toEqual({ pending: [], losses: [] })
})

it("never sends undefined", () => {
  expect(blocksOf(turnOf("a"), [success("a", undefined)])).toEqual([
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "null" }] }
  ])
})

it("gives each of two calls with one id its own outcome", () => {
  expect(blocksOf(turnOf("a", "a"), [success("a", 1), success("a", 2)])).toEqual([
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "1" },
        { type: "tool_result", tool_use_id: "a", content: "2" }
      ]
    }
  ])
})

it("names the calls that still wait, and reports outcomes without a call", () => {
  const deferred = new Outcome.Deferred({
    call: ToolCall.make("b", "shot", {}),
    waitsFor: "approval",
    arguments: {},
    requestId: "r",
    digest: "",
    facts: Facts.unstated
  })
  const turn = turnOf("a", "b", "c")
  const encoded = encodeResults(turn, [success("a", 1), deferred, success("z", 1)])
  expect(encoded.pending).toEqual(["b", "c"])
  expect(encoded.losses.map((loss) => loss.keyword)).toEqual(["outcome"])
  expect(encodeResults(turn, []).messages).toEqual(turn.native)
})

it("carries images, PDF and plain-text files", () => {
  const parts = [
    Content.text("The page:"),
    Content.image("image/png", "iVBORw0KGgo="),
    new Content.Image({ mediaType: "image/png", source: { _tag: "Url", url: "https://example.com/a.png" } }),
    Content.file("application/pdf", "JVBERi0=", "bill.pdf"),
    Content.file("text/plain", "SGVsbG8=")
  ]
  const { messages, losses } = encodeResults(turnOf("a"), [success("a", null, parts)])
  expect(losses).toEqual([])
  expect(messages[1]).toEqual({
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "a",
        content: [
          { type: "text", text: "The page:" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
          { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
            title: "bill.pdf"
          },
          { type: "document", source: { type: "text", media_type: "text/plain", data: "Hello" } }
        ]
      }
    ]
  })
})

it("puts a note where the API takes no such file, and reports it", () => {
  const { messages, losses } = encodeResults(turnOf("a"), [
    success("a", null, [Content.text(""), Content.file("audio/wav", "UklGRg==")])
  ])
  expect(messages[1]).toMatchObject({ content: [{ content: [{ type: "text" }] }] })
  expect(losses).toMatchObject([{ subject: "shot", path: ["content", 1], keyword: "file" }])
})

it("marks an error", () => {
  const denied = Outcome.denial(ToolCall.make("a", "shot", {}), "not now")
  expect(blocksOf(turnOf("a"), [denied])).toMatchObject([{ content: [{ is_error: true }] }])
})
