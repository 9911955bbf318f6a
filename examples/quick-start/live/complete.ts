/**
 * One request to OpenAI's Chat Completions API, over the HTTP client of
 * @effect/ai-openai: it knows the address and holds the key. The body that comes
 * back is left as it is, so that the turn can be sent back as it came.
 */
import { OpenAiClient } from "@effect/ai-openai"
import { HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Effect, Schema } from "effect"

export class RequestFailed extends Schema.TaggedError<RequestFailed>()("RequestFailed", { reason: Schema.String }) {
  override get message(): string {
    return `The request to the model failed: ${this.reason}`
  }
}

export const complete = (
  body: Readonly<Record<string, unknown>>
): Effect.Effect<unknown, RequestFailed, OpenAiClient.OpenAiClient> =>
  Effect.gen(function* () {
    const { client } = yield* OpenAiClient.OpenAiClient
    const request = HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/chat/completions"), body)
    const response = yield* Effect.flatMap(client.httpClient.execute(request), HttpClientResponse.filterStatusOk)
    return yield* response.json
  }).pipe(
    Effect.timeoutFail({
      duration: "2 minutes",
      onTimeout: () => new RequestFailed({ reason: "no answer within two minutes" })
    }),
    Effect.catchTags({
      RequestError: (error) => new RequestFailed({ reason: error.message }),
      ResponseError: ({ message, response }) => Effect.flatMap(reasonOf(response, message), fail)
    })
  )

const fail = (reason: string): RequestFailed => new RequestFailed({ reason })

/** OpenAI says in the body of an error response what is wrong. */
const ErrorBody = Schema.parseJson(Schema.Struct({ error: Schema.Struct({ message: Schema.String }) }))

const reasonOf = (response: HttpClientResponse.HttpClientResponse, otherwise: string): Effect.Effect<string> =>
  response.text.pipe(
    Effect.flatMap(Schema.decode(ErrorBody)),
    Effect.map(({ error }) => `${response.status}: ${error.message}`),
    Effect.orElseSucceed(() => otherwise)
  )
