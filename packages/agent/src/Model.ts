/** A model: what turns a request into a stream of turn events. The loop knows nothing else of a provider. */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { Json, Loss, Message, ToolDefinition, TurnEvent } from "@wield/core"
import * as Turn from "@wield/core/Turn"
import type { WireFormat } from "@wield/providers"
import * as Context from "effect/Context"
import type { Duration, Redacted } from "effect"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Fallback } from "./Fallback.js"
import type { ModelError } from "./ModelError.js"
import { formatName } from "./model/languageModelFormat.js"
import { checkWire } from "./model/options.js"
import { withRetries } from "./model/wireRetry.js"
import { wireOrigin } from "./model/wireOrigin.js"
import { hostOf, send, wireRequest } from "./model/wireSend.js"
import { wireTurn } from "./model/wireTurn.js"

/**
 * What a model is asked: the conversation so far and the tools on offer.
 *
 * @category models
 */
export interface ModelRequest {
  readonly messages: ReadonlyArray<Message.Message>
  readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  readonly options?: WireFormat.ToolsOptions | undefined
  /** The id of the conversation: its requests share what a provider caches. */
  readonly conversation?: string | undefined
  /** Keys of the provider's request body (temperature, reasoning effort, …), as its API spells them. */
  readonly settings?: Json.JsonObject | undefined
  /** The tool among the definitions whose results find others, where the API is to take the found ones from there. */
  readonly search?: string | undefined
  /** What it finds, as it is defined now: the API is to take the `providerSettings` of found tools from here. */
  readonly findable?: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
  /** Further tools, which the API's own search finds. */
  readonly deferred?: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
}

/**
 * A model.
 *
 * A turn says who made it by `Turn.mark`, so that what is native to it is not
 * sent to another server or model family.
 *
 * `stream` ends with `Finished`, exactly once. Where it fails after it began,
 * it first yields `Finished` with the turn as far as it came, marked
 * incomplete; a request that never came to a turn yields nothing.
 *
 * @category models
 */
export interface Model {
  /** What the API calls the model, such as `gpt-5-mini`. */
  readonly id: string
  /** Name of the format whose native messages it takes and gives, such as `openai-chat`. */
  readonly format: string
  /** Who answers, as spans and metrics say it; without it, the name of the format stands there. */
  readonly origin?: Origin | undefined
  /**
   * Whether it is known to take tools that a search has found from the search's result. False where its API has such a
   * form, but another maker's server or an unknown model may refuse it; absent where the API has none.
   */
  readonly takesFound?: boolean | undefined
  /** Where other models stand behind it. */
  readonly fallback?: Fallback | undefined
  readonly stream: (request: ModelRequest) => Stream.Stream<TurnEvent.TurnEvent, ModelError>
}

/**
 * Who answers for a model, in the words of OpenTelemetry's conventions.
 *
 * @category models
 */
export interface Origin {
  /** `gen_ai.provider.name`, such as `anthropic` or `aws.bedrock`. */
  readonly provider: string
  readonly address?: string | undefined
  readonly port?: number | undefined
  readonly isStreaming?: boolean | undefined
  /** Keys of every request body beside those of the request. */
  readonly settings?: Json.JsonObject | undefined
}

/**
 * The options of `fromWire`.
 *
 * @category options
 */
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
        /**
         * For each next piece of it: 60 seconds unless given, and ten times as long where pieces come that say nothing
         * of the turn. Raise it for models that think long and say nothing of it.
         */
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

/**
 * How often and when a request is sent again.
 *
 * @category options
 */
export interface RetryOptions {
  /** How often a request is sent again, at most: 3 unless given. */
  readonly times?: number | undefined
  /** The wait before the first further try: 500 ms unless given; twice as long each time, up to 30 seconds, give or take a quarter. */
  readonly delay?: Duration.DurationInput | undefined
  /** The longest wait that an API may ask for: 60 seconds unless given. Where it asks for more, the request fails at once. */
  readonly maxRetryAfter?: Duration.DurationInput | undefined
}

/**
 * What a language model of `@effect/ai` does not tell of itself.
 *
 * @category models
 */
export interface LanguageModelOptions<I = never, S extends object = never> {
  /** What the API calls the model, such as `gpt-5-mini`: a `LanguageModel` does not tell. */
  readonly id: string
  /** Whether responses are streamed. They are unless this is `false`. */
  readonly isStreaming?: boolean | undefined
  /**
   * Where the provider's package looks for settings of one request:
   * `OpenAiLanguageModel.Config`, `AnthropicLanguageModel.Config`. Without it, a
   * request that has settings is rejected.
   */
  readonly settings?: Context.Tag<I, S> | undefined
}

/** The tag of `@effect/ai`, whose module takes a while to load. */
const languageModel = Context.GenericTag<LanguageModel.LanguageModel, LanguageModel.Service>(
  "@effect/ai/LanguageModel" satisfies (typeof LanguageModel.LanguageModel)["key"]
)

/**
 * The `LanguageModel` that is in the context, of any provider package of
 * `@effect/ai`, as a model.
 *
 * The package sends the requests and reads the responses; it never runs a
 * tool. Arguments come as the model sent them, names that providers refuse are
 * mapped, and what the package keeps beside each part (signatures, encrypted
 * reasoning) goes back with the history, whose format is `effect-ai`.
 *
 * A call of a tool that was not offered ends as `UnknownTool` or `Unavailable`
 * like any other. In a stream, where `@effect/ai` gives up at such a name, the
 * turn ends with that call and its usage is not known, unless the name is one
 * that the conversation has called before; so it does where arguments are no
 * JSON. Not streamed, arguments that are no JSON fail as `WireError`.
 *
 * `isParallel`, `isStrict` and `isCached` have no words in `@effect/ai`: set
 * them in the package's own configuration. The OpenAI package asks for strict
 * schemas unless its `strict` is `false`, and OpenAI then refuses tools with
 * optional parameters.
 *
 * @category constructors
 */
export const fromLanguageModel = <I = never, S extends object = never>(
  options: LanguageModelOptions<I, S>
): Effect.Effect<Model, never, LanguageModel.LanguageModel> =>
  Effect.map(languageModel, (service) => ({
    id: options.id,
    format: formatName,
    stream: (request) =>
      Stream.unwrap(
        Effect.map(
          Effect.promise(() => import("./model/languageModelStream.js")),
          ({ languageModelStream }) => languageModelStream(service, request, options)
        )
      ).pipe(Stream.map(markTurn({ model: options.id })))
  }))

/**
 * A model behind an API of one of Wield's wire formats: OpenAI and the many
 * servers that speak its language, Anthropic, Gemini, Bedrock, Mistral,
 * Cohere, Ollama.
 *
 * - A request that is limited, finds the provider unavailable or unreachable,
 *   or whose response does not begin in time, is sent again, up to 3 times,
 *   after the time that the API asks for; never once an event came.
 * - A response that breaks off ends with `Finished`, its turn marked
 *   incomplete, and then fails.
 * - A server that does not stream tells the same events at once
 *   (`isStreaming: false`).
 * - Interruption closes the connection.
 * - The key, other headers that are `Redacted`, and headers that
 *   `prepareRequest` adds stand in no error, no log and no span, those of the
 *   client of HTTP included.
 * - What the format cannot say of a request goes to `onLosses`, or into the
 *   log at level DEBUG.
 *
 * Redirects are not followed by Node's clients, and fail as
 * `RequestRejected`. `fetch` follows them and takes most headers along: give
 * it `redirect: "manual"` by `FetchHttpClient.RequestInit`.
 *
 * @example
 * ```ts
 * import { Model } from "@wield/agent"
 * import { OpenAiChat } from "@wield/providers"
 * import { Redacted } from "effect"
 *
 * const model = Model.fromWire(OpenAiChat.format, { model: "gpt-5-mini", key: Redacted.make("the key") })
 * ```
 *
 * @category constructors
 */
export const fromWire = (
  format: WireFormat.WireFormat,
  options: WireOptions
): Effect.Effect<Model, never, HttpClient.HttpClient> =>
  Effect.map(
    Effect.zipRight(
      Effect.sync(() => checkWire(options)),
      HttpClient.HttpClient
    ),
    (client): Model => ({
      id: options.model,
      format: format.name,
      origin: wireOrigin(format, options),
      takesFound: format.takesFound?.({ host: hostOf(format, options), model: options.model }),
      stream: (request) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const wire = yield* wireRequest(format, options, request)
            if (wire.losses.length > 0) yield* (options.onLosses ?? logLosses(format.name))(wire.losses)
            const attempt = Stream.unwrapScoped(
              Effect.map(send(format, client, options, wire), (sent) => wireTurn(format, options, wire.offered, sent))
            ).pipe(Stream.map(markTurn(wire.maker)))
            return withRetries(attempt, options.retry)
          })
        )
    })
  )

/** So that what is native to a turn goes back to its maker only. */
const markTurn =
  (maker: Message.Maker) =>
  (event: TurnEvent.TurnEvent): TurnEvent.TurnEvent =>
    event._tag === "Finished" ? { ...event, turn: Turn.mark(event.turn, maker) } : event

/** Losses name tools, places and keywords, and no values. */
const logLosses =
  (format: string) =>
  (losses: ReadonlyArray<Loss.Loss>): Effect.Effect<void> =>
    Effect.forEach(
      losses,
      ({ keyword, path, reason, subject }) =>
        Effect.logDebug(`${format} cannot say ${[subject, ...path, keyword].join(".")}: ${reason}`),
      { discard: true }
    )
