import { type Json, Turn } from "@wield/core"
import { expect, it } from "vitest"

const page = { url: "https://example.com/rain", title: "Rain" }
const other = { url: "https://example.com/sun" }

/** Messages as the APIs write them. */
const messages: { readonly [format: string]: Json.Json } = {
  "OpenAI Responses, xAI": {
    type: "message",
    content: [
      {
        type: "output_text",
        text: "Rain.",
        annotations: [
          { type: "url_citation", start_index: 0, end_index: 4, ...page },
          { type: "file_citation", file_id: "f" }
        ]
      },
      {
        type: "output_text",
        text: "Sun.",
        annotations: [
          { type: "url_citation", ...page },
          { type: "url_citation", ...other }
        ]
      }
    ]
  },
  "Chat Completions, OpenRouter": {
    role: "assistant",
    content: "Rain.",
    annotations: [
      { type: "url_citation", url_citation: { ...page, content: "…", start_index: 0, end_index: 4 } },
      { type: "url_citation", url_citation: other }
    ]
  },
  Anthropic: {
    role: "assistant",
    content: [
      { type: "text", text: "Rain.", citations: [{ type: "web_search_result_location", cited_text: "…", ...page }] },
      { type: "text", text: "Sun.", citations: [{ type: "search_result_location", source: other.url, title: null }] },
      { type: "text", text: "A file.", citations: [{ type: "char_location", document_title: "a.pdf" }] }
    ]
  },
  Bedrock: {
    role: "assistant",
    content: [
      {
        citationsContent: {
          content: [{ text: "Rain." }],
          citations: [
            { title: page.title, location: { web: { url: page.url, domain: "example.com" } } },
            { location: { web: { url: other.url } } }
          ]
        }
      }
    ]
  },
  Cohere: {
    role: "assistant",
    content: [{ type: "text", text: "Rain." }],
    citations: [
      {
        text: "Rain",
        sources: [
          { type: "tool", id: "t", tool_output: { content: "20 °C" } },
          { type: "document", id: "d", document: page },
          { type: "document", id: "e", document: other }
        ]
      }
    ]
  }
}

it.each(Object.entries(messages))(
  "%s: the pages that a turn cites are found, each once and in their order",
  (_, message) => {
    expect(Turn.sources({ native: [message] })).toEqual([page, other])
  }
)

it("an address that is not of the web is no source, and neither is what a page of results holds", () => {
  const citations = ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", 7, null].map((url) => ({ url }))
  const results = { type: "web_search_tool_result", content: [{ type: "web_search_result", ...page }] }
  expect(Turn.sources({ native: [{ citations }, results, { annotations: "x" }] })).toEqual([])
})
