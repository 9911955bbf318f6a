/**
 * The options of a model over a wire format, and their defaults.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { Json, Loss } from "@wield/core"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { ModelError } from "../ModelError.js"

export interface WireOptions {
  /** What the API calls the model, such as `gpt-5-mini`. */
  readonly model: string
  /** The base URL: that of the format's own provider unless given. Bedrock has one per region: `BedrockConverse.regionUrl`. */
  readonly url?: string | undefined
  /** The API's key. Sent in the header that the format's API reads, and shown nowhere else. */
  readonly key?: Redacted.Redacted | undefined
  /** Further headers; they take the place of the format's own. Those that are `Redacted` are shown nowhere else. */
  readonly headers?: { readonly [name: string]: string | Redacted.Redacted } | undefined
  /** Keys of every request body (temperature, reasoning effort, …), as the API spells them. Those of a request count before them. */
  readonly settings?: Json.JsonObject | undefined
  /** Whether the response is asked for as a stream: true unless given. The events are the same either way. */
  readonly isStreaming?: boolean | undefined
  readonly timeouts?:
    | {
        /** For the beginning of the response: 60 seconds unless given, and 10 minutes where it does not stream. */
        readonly response?: Duration.DurationInput | undefined
        /** For each next piece of it: 60 seconds unless given. Raise it for models that think long and say nothing of it. */
        readonly piece?: Duration.DurationInput | undefined
      }
    | undefined
  /** How requests are sent again; `false` for never. */
  readonly retry?: RetryOptions | false | undefined
  /** A response of more bytes fails: 128 MiB unless given. */
  readonly maxResponseBytes?: number | undefined
  /**
   * The last change to each request, before each try: a signature (AWS), a
   * parameter of the address (Azure), what a gateway wants. Headers that it adds
   * or changes are shown nowhere, as the key.
   */
  readonly prepareRequest?:
    | ((request: HttpClientRequest.HttpClientRequest) => Effect.Effect<HttpClientRequest.HttpClientRequest, ModelError>)
    | undefined
  /** What the format could not say of a request. Logged at level DEBUG unless given. */
  readonly onLosses?: ((losses: ReadonlyArray<Loss.Loss>) => Effect.Effect<void>) | undefined
}

export interface RetryOptions {
  /** How often a request is sent again, at most: 3 unless given. */
  readonly times?: number | undefined
  /** The wait before the first further try: 500 ms unless given; twice as long each time, up to 30 seconds, give or take a quarter. */
  readonly delay?: Duration.DurationInput | undefined
  /** The longest wait that an API may ask for: 60 seconds unless given. Where it asks for more, the request fails at once. */
  readonly maxRetryAfter?: Duration.DurationInput | undefined
}
