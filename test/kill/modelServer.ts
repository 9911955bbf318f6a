/**
 * A model on loopback that speaks OpenAI's chat completions: what it answers
 * follows from the conversation that it is sent, whichever process sends it. It
 * complains of a conversation that has lost or repeated something.
 */
import { HttpServerResponse } from "@effect/platform"
import { Effect, type Scope, Stream } from "effect"
import { loopback, type Received } from "../../packages/agent/test/loopback.js"
import { conversationOf, finalText, plannedCalls } from "./task.js"

interface Message {
  readonly role: string
  readonly content: string
  readonly tool_calls?: ReadonlyArray<{ readonly id: string }>
  readonly tool_call_id?: string
}

export interface ModelServer {
  readonly url: string
  /** What was wrong with what it was sent. */
  readonly complaints: ReadonlyArray<string>
}

export const modelServer: Effect.Effect<ModelServer, never, Scope.Scope> = Effect.gen(function* () {
  const complaints: Array<string> = []
  let answers = 0
  const server = yield* loopback((request) => {
    const messages = messagesOf(request)
    complaints.push(...wrongWith(messages))
    return Effect.succeed(answer(messages, ++answers))
  })
  return { url: server.url, complaints }
})

const messagesOf = ({ body }: Received): ReadonlyArray<Message> => {
  const { messages } = body
  if (!Array.isArray(messages)) throw new Error("the request has no messages")
  return messages
}

/** Each call is followed by its one result, and what the user said stands there once. */
const wrongWith = (messages: ReadonlyArray<Message>): ReadonlyArray<string> => {
  const expected = messages.flatMap((message) =>
    message.role === "assistant" ? ["assistant", ...(message.tool_calls ?? []).map(({ id }) => `tool ${id}`)] : []
  )
  const actual = messages.slice(1).map(({ role, tool_call_id: id }) => (id === undefined ? role : `${role} ${id}`))
  return messages[0]?.role === "user" && expected.join() === actual.join()
    ? []
    : [`expected user, then ${expected.join()}; was sent ${messages[0]?.role}, then ${actual.join()}`]
}

const answer = (messages: ReadonlyArray<Message>, number: number): HttpServerResponse.HttpServerResponse => {
  const conversation = conversationOf(messages[0]?.content ?? "")
  const turn = messages.filter(({ role }) => role === "assistant").length + 1
  const calls = plannedCalls(conversation, turn)
  // Some servers count the calls of each turn anew, others have an id for each call that they ever make.
  const idOf = (index: number) => (conversation.endsWith("a") ? `call_${index}` : `call_${number}_${index}`)
  const deltas: ReadonlyArray<object> = [
    { role: "assistant", content: calls.length === 0 ? "All of " : "Let me see." },
    ...(calls.length === 0 ? [{ content: finalText(conversation).slice("All of ".length) }] : []),
    ...calls.flatMap(({ item, tool }, index) => {
      const text = JSON.stringify({ item })
      return [
        { tool_calls: [{ index, id: idOf(index), type: "function", function: { name: tool, arguments: "" } }] },
        { tool_calls: [{ index, function: { arguments: text.slice(0, 8) } }] },
        { tool_calls: [{ index, function: { arguments: text.slice(8) } }] }
      ]
    })
  ]
  const chunks: ReadonlyArray<object> = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: calls.length === 0 ? "stop" : "tool_calls" }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } }
  ]
  const lines = chunks.map((chunk) => ({
    id: `response_${number}`,
    object: "chat.completion.chunk",
    model: "loopback",
    ...chunk
  }))
  const texts = [...lines.map((line) => `data: ${JSON.stringify(line)}\n\n`), "data: [DONE]\n\n"]
  const body = Stream.tap(Stream.rechunk(Stream.fromIterable(texts), 1), () => Effect.sleep("1 millis"))
  return HttpServerResponse.stream(Stream.encodeText(body), { contentType: "text/event-stream" })
}
