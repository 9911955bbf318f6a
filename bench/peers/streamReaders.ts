/** Readers of streamed bodies: bytes in pieces in, the text and the call's arguments out. */
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import type { TurnEvent } from "@wield/core"
import { decodeStream, type WireFormat } from "@wield/providers/WireFormat"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createParser } from "eventsource-parser"
import type { Body } from "../task/streams.js"

type Pieces = ReadonlyArray<Uint8Array>
export type Read = (pieces: Pieces) => string | Promise<string>

export const bareParser = (read: NonNullable<Body["read"]>): Read => {
  return (pieces) => {
    const decoder = new TextDecoder()
    let text = ""
    let argumentText = ""
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data === "[DONE]") return
        const [more, moreArguments] = read(JSON.parse(data) as never)
        text += more
        argumentText += moreArguments
      }
    })
    for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }))
    return `${text}\n${argumentText}`
  }
}

interface Reading {
  text: string
  argumentText: string
}

const take = (reading: Reading, event: TurnEvent.TurnEvent): void => {
  if (event._tag === "TextDelta") reading.text += event.text
  if (event._tag === "CallComplete") {
    const sent = event.part.call.arguments
    reading.argumentText = typeof sent === "string" ? sent : JSON.stringify(sent)
  }
}

type Streaming = Pick<WireFormat & Required<Pick<WireFormat, "streamDecoder">>, "streamDecoder">

export const wieldDecoder =
  (format: Streaming): Read =>
  (pieces) => {
    const decoder = format.streamDecoder()
    const reading: Reading = { text: "", argumentText: "" }
    for (const piece of pieces) for (const event of decoder.push(piece)) take(reading, event)
    for (const event of decoder.end()) take(reading, event)
    return `${reading.text}\n${reading.argumentText}`
  }

export const wieldStream =
  (format: Streaming): Read =>
  async (pieces) => {
    const reading: Reading = { text: "", argumentText: "" }
    await Effect.runPromise(
      Stream.fromIterable(pieces).pipe(
        Stream.rechunk(1),
        decodeStream(format),
        Stream.runForEach((event) => Effect.sync(() => take(reading, event)))
      )
    )
    return `${reading.text}\n${reading.argumentText}`
  }

let served: Pieces = []
const serve = async (): Promise<Response> => {
  const pieces = served[Symbol.iterator]()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = pieces.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    }
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

const openAi = createOpenAI({ apiKey: "none", fetch: serve })
const anthropic = createAnthropic({ apiKey: "none", fetch: serve })

const models = {
  "openai-chat": openAi.chat("gpt-4o"),
  "openai-responses": openAi.responses("gpt-5"),
  anthropic: anthropic("claude-sonnet-4-5")
}

/** The AI SDK's own provider packages over the same bytes, without a network; absent where it is not installed here. */
export const aiSdkReader = (format: string): Read | undefined => {
  const model = Object.entries(models).find(([name]) => name === format)?.[1]
  if (model === undefined) return undefined
  return async (pieces) => {
    served = pieces
    const { stream } = await model.doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "Which orders are open?" }] }],
      tools: [{ type: "function", name: "find_orders", inputSchema: { type: "object" } }]
    })
    const reading: Reading = { text: "", argumentText: "" }
    const reader = stream.getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const part = next.value
      if (part.type === "text-delta") reading.text += part.delta
      if (part.type === "tool-call") reading.argumentText = part.input
      if (part.type === "error") throw part.error
    }
    return `${reading.text}\n${reading.argumentText}`
  }
}
