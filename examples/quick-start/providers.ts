/** What a person calls the four wire formats, and where in a request their history stands. */
import type { Turn } from "@wield/core"

export interface Provider {
  readonly title: string
  /** The key of the request body to which a fragment is appended. */
  readonly history: string
}

const providers: ReadonlyMap<string, Provider> = new Map([
  ["openai-chat", { title: "OpenAI Chat Completions", history: "messages" }],
  ["openai-responses", { title: "OpenAI Responses", history: "input" }],
  ["anthropic", { title: "Anthropic Messages", history: "messages" }],
  ["gemini", { title: "Google Gemini", history: "contents" }]
])

export const providerOf = (turn: Turn.Turn): Provider =>
  providers.get(turn.format) ?? { title: turn.format, history: "messages" }
