/**
 * A server on loopback that gives replies in their order and keeps what it was
 * sent; and the layers of @effect/ai's providers that talk to it.
 */
import { createServer, type ServerResponse } from "node:http"
import { AnthropicClient, AnthropicLanguageModel } from "@effect/ai-anthropic"
import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai"
import { FetchHttpClient, HttpServer, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer, NodeHttpServerRequest } from "@effect/platform-node"
import { Effect, Layer, Redacted, Stream } from "effect"

/** A JSON body, or the events of a stream; `isBrokenOff` ends the connection in the middle of them. */
export interface Reply {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: unknown
  readonly events?: ReadonlyArray<unknown>
  readonly isBrokenOff?: boolean
}

export interface Received {
  readonly path: string
  // What a request body holds is what the tests look at, key by key.
  readonly body: { readonly [key: string]: unknown }
}

export const serve = (replies: ReadonlyArray<Reply>) =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const server = yield* NodeHttpServer.make(() => createServer(), { port: 0, host: "127.0.0.1" })
    yield* server.serve(
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const reply = replies[received.length] ?? { status: 500, body: { error: { message: "no reply is left" } } }
        received.push({ path: request.url, body: (yield* request.json) as Received["body"] })
        return responseOf(reply, NodeHttpServerRequest.toServerResponse(request))
      }).pipe(Effect.orDie)
    )
    return { received, url: HttpServer.formatAddress(server.address) }
  })

const responseOf = ({ body, events, headers = {}, isBrokenOff, status = 200 }: Reply, connection: ServerResponse) =>
  events === undefined
    ? HttpServerResponse.unsafeJson(body, { status, headers })
    : HttpServerResponse.stream(
        Stream.fromIterable(events).pipe(
          Stream.map((event) => `event: ${typeOf(event)}\ndata: ${JSON.stringify(event)}\n\n`),
          Stream.encodeText,
          Stream.concat(isBrokenOff === true ? brokenOff(connection) : Stream.empty)
        ),
        { status, headers, contentType: "text/event-stream" }
      )

/** What was written is still sent; the end of the body is not. */
const brokenOff = (connection: ServerResponse) =>
  Stream.execute(
    Effect.zipRight(
      Effect.sync(() => connection.socket?.destroySoon()),
      Effect.never
    )
  )

const typeOf = (event: unknown): string =>
  typeof event === "object" && event !== null && "type" in event ? String(event.type) : "message"

const key = Redacted.make("sk-not-a-key")

/** OpenAI's Responses API, as @effect/ai-openai speaks it. */
export const openAi = (url: string, config: { readonly strict?: boolean } = { strict: false }) =>
  OpenAiLanguageModel.layer({ model: "gpt-5-mini", config }).pipe(
    Layer.provide(OpenAiClient.layer({ apiKey: key, apiUrl: url })),
    Layer.provide(FetchHttpClient.layer)
  )

/** Anthropic's Messages API, as @effect/ai-anthropic speaks it. */
export const anthropic = (url: string) =>
  AnthropicLanguageModel.layer({ model: "claude-sonnet-4-5", config: { max_tokens: 1024 } }).pipe(
    Layer.provide(AnthropicClient.layer({ apiKey: key, apiUrl: url })),
    Layer.provide(FetchHttpClient.layer)
  )
