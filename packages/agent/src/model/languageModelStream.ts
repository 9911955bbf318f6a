/** What a language model of @effect/ai answers, as turn events. It is loaded when one is asked. */
import type { LanguageModel } from "@effect/ai"
import * as AiError from "@effect/ai/AiError"
import * as Response from "@effect/ai/Response"
import type { TurnEvent } from "@wield/core"
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as ApiError from "@wield/providers/ApiError"
import * as Chunk from "effect/Chunk"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { WireFormat } from "@wield/providers"
import * as Anthropic from "@wield/providers/Anthropic"
import * as BedrockConverse from "@wield/providers/BedrockConverse"
import * as Gemini from "@wield/providers/Gemini"
import * as OpenAiChat from "@wield/providers/OpenAiChat"
import * as OpenAiResponses from "@wield/providers/OpenAiResponses"
import { keepOwn, keepPaired } from "@wield/providers/Maker"
import * as WireError from "@wield/providers/WireError"
import * as SchemaTree from "@wield/core/SchemaTree"
import type { LanguageModelOptions, ModelRequest } from "../Model.js"
import { isModelError, type ModelError, Unreachable } from "../ModelError.js"
import { formatName } from "./languageModelFormat.js"
import { promptOf } from "./languageModelPrompt.js"
import { ResponseReader } from "./languageModelReader.js"
import { type Offering, offeringOf, hiddenTool } from "./languageModelTools.js"

type Events = Stream.Stream<TurnEvent.TurnEvent, ModelError>

export const languageModelStream = <I = never, S extends object = never>(
  service: LanguageModel.Service,
  request: ModelRequest,
  { id, isStreaming = true, settings }: LanguageModelOptions<I, S>
): Events =>
  Stream.unwrap(
    Either.gen(function* () {
      const offering = offeringOf(request)
      const options = {
        prompt: yield* promptOf(
          Json.toWellFormed(keepPaired(keepOwn(request.messages, { format: formatName, model: id }), formatName)),
          offering.names
        ),
        toolkit: offering.toolkit,
        toolChoice: offering.toolChoice,
        disableToolCallResolution: true
      }
      const parts: Parts = isStreaming
        ? service.streamText(options)
        : Stream.fromIterableEffect(Effect.map(service.generateText(options), ({ content }) => content))
      return eventsOf(yield* configure(Stream.mapError(parts, aiErrorOf), request.settings, settings), offering)
    })
  )

type Parts = Stream.Stream<Parameters<ResponseReader["push"]>[0], AiError.AiError>

const configure = <I, S extends object>(
  parts: Parts,
  given: Json.JsonObject | undefined,
  tag: Context.Tag<I, S> | undefined
): Either.Either<Parts, ApiError.RequestRejected> => {
  if (given === undefined || Object.keys(given).length === 0) return Either.right(parts)
  if (tag === undefined) {
    return Either.left(
      new ApiError.RequestRejected({
        format: formatName,
        detail: `The settings ${Object.keys(given).join(", ")} have no place in @effect/ai: give Model.fromLanguageModel the Config of the provider's package, or set them in the package's layer`
      })
    )
  }
  return Either.right(
    Stream.unwrap(
      Effect.map(Effect.serviceOption(tag), (current) =>
        // Keys of the request body, which is what a package's Config holds.
        Stream.provideService(parts, tag, { ...Option.getOrUndefined(current), ...given } as unknown as S)
      )
    )
  )
}

const eventsOf = (parts: Parts, offering: Offering): Events =>
  Stream.suspend(() => {
    const reader = new ResponseReader(offering.names)
    let isSaved = false
    const failed = (error: ModelError): Events =>
      reader.hasBegun ? Stream.concat(Stream.fromIterable(reader.end(false)), Stream.fail(error)) : Stream.fail(error)
    const ended = (): Events => {
      if (reader.error !== undefined) return failed(streamedError(reader.error))
      return reader.isFinished || isSaved ? Stream.fromIterable(reader.end(true)) : failed(cutOff())
    }
    return parts.pipe(
      Stream.map((part) => ({ events: reader.push(part), isOver: reader.error !== undefined })),
      Stream.takeUntil(({ isOver }) => isOver),
      Stream.mapConcat(({ events }) => events),
      Stream.catchAll((error) =>
        Stream.unwrap(
          Effect.match(rescue(error, offering, reader), {
            onFailure: (unsaved) => failed(modelError(unsaved)),
            // What the model said behind the call is lost: nothing but the call's own event can be read again.
            onSuccess: (events): Events => {
              isSaved = true
              return Stream.fromIterable(events)
            }
          })
        )
      ),
      Stream.concat(Stream.suspend(ended))
    )
  })

/** Fails with the same error where nothing can be saved. */
const rescue = (
  error: AiError.AiError,
  { tools }: Offering,
  reader: ResponseReader
): Effect.Effect<ReadonlyArray<TurnEvent.TurnEvent>, AiError.AiError> => {
  if (error._tag !== "MalformedOutput") return Effect.fail(error)
  const raw = undecodedParts(error.cause)
  if (raw === undefined) {
    const events = reader.broken(error.description ?? "")
    return events === undefined ? Effect.fail(error) : Effect.succeed(events)
  }
  if (!raw.some((part) => isUnknown(part, tools))) return Effect.fail(error)
  const all = { ...tools, [placeholder]: hiddenTool(placeholder) }
  const decode = Schema.decodeUnknown(Response.AllParts({ tools: all, handle: () => Effect.never }))
  return Effect.forEach(raw, (part) =>
    isUnknown(part, tools)
      ? Effect.map(
          decode({ ...part, name: placeholder }),
          // Only the name is another one.
          (decoded) => ({ ...decoded, name: part.name }) as typeof decoded
        )
      : decode(part)
  ).pipe(
    Effect.map((parts) => parts.flatMap((part) => reader.push(part))),
    Effect.mapError(() => error)
  )
}

/** Stands for an unknown name while its part is decoded: a name that no provider accepts, hence no tool's. */
const placeholder = "?"

const isUnknown = (part: RawPart, tools: Offering["tools"]): boolean =>
  (part.type === "tool-call" || part.type === "tool-result") &&
  typeof part.name === "string" &&
  // Schema finds a member of a union by an object's keys, among which this one cannot be.
  (!Object.hasOwn(tools, part.name) || part.name === "__proto__")

interface RawPart {
  readonly type: unknown
  readonly name?: unknown
}

/** The parts that did not decode: the whole response, or of a stream the parts of one event. */
const undecodedParts = (cause: unknown): ReadonlyArray<RawPart> | undefined => {
  if (!SchemaTree.isDecodeError(cause)) return undefined
  const { actual } = cause.issue
  const parts: ReadonlyArray<unknown> = Chunk.isChunk(actual)
    ? Chunk.toReadonlyArray(actual)
    : Array.isArray(actual)
      ? actual
      : []
  const isPart = (value: unknown): value is RawPart => Predicate.hasProperty(value, "type")
  return parts.length > 0 && parts.every(isPart) ? parts : undefined
}

/** A model of one's own may fail with anything. */
const aiErrorOf = (error: unknown): AiError.AiError =>
  AiError.isAiError(error)
    ? error
    : new AiError.UnknownError({ module: "LanguageModel", method: "streamText", cause: error })

const modelError = (error: AiError.AiError): ModelError => {
  switch (error._tag) {
    case "HttpRequestError":
      return error.reason === "Transport"
        ? unreachable(error.request.url, error.description ?? "the connection failed")
        : new ApiError.RequestRejected({ format: formatName, detail: error.description ?? error.reason })
    case "HttpResponseError":
      return responseError(error)
    case "MalformedInput":
      return new ApiError.RequestRejected({ format: formatName, detail: error.description ?? show(error.cause) })
    case "MalformedOutput":
    case "UnknownError":
      // A model that asks another one of Wield fails as that one does.
      return isModelError(error.cause) ? error.cause : malformedResponse(error.description ?? show(error.cause))
  }
}

const responseError = (error: AiError.HttpResponseError): ModelError => {
  const { headers, status } = error.response
  if (status >= 400) return formatOf(error.module).decodeError({ status, headers, body: bodyOf(error.body) })
  // A stream that breaks off is an answer whose body cannot be read.
  return error.method.toLowerCase().includes("stream")
    ? unreachable(error.request.url, error.description ?? "the response broke off")
    : malformedResponse(error.description ?? `a response of status ${status} whose body cannot be read`)
}

/** The module that failed tells which package it is; others mostly speak as OpenAI's chat API does. */
const formatOf = (module: string): WireFormat.WireFormat => {
  if (module.startsWith("OpenAi")) return OpenAiResponses.format
  if (module.startsWith("Anthropic")) return Anthropic.format
  if (module.startsWith("Google")) return Gemini.format
  if (module.startsWith("AmazonBedrock")) return BedrockConverse.format
  return OpenAiChat.format
}

const parseJson = Schema.decodeUnknownEither(Schema.parseJson())

const bodyOf = (body: string | undefined): unknown =>
  body === undefined ? undefined : Either.getOrElse(parseJson(body), () => body)

const unreachable = (url: string, detail: string): Unreachable =>
  new Unreachable({ format: formatName, url: withoutQuery(url), detail })

/** A query may hold a key. */
const withoutQuery = (url: string): string => url.split(/[?#]/)[0] ?? url

const malformedResponse = (received: string): WireError.WireError =>
  wireError("a response that @effect/ai can decode", received.slice(0, 500))

const wireError = (expected: string, received: string): WireError.WireError =>
  new WireError.WireError({ format: formatName, path: [], expected, received })

/** An error may have no message, and a tag instead; what plain JavaScript fails with may be no error. */
const show = (cause: unknown): string => {
  const words = [
    cause,
    ...["message", "_tag"].map((key) => (Predicate.hasProperty(cause, key) ? cause[key] : undefined))
  ]
  return words.filter(Predicate.isString).find((word) => word !== "") ?? Issue.show(cause)
}

/** A stream that ended before its response gave a reason. */
const cutOff = (): WireError.WireError =>
  wireError("the rest of the stream", "its end before the response was complete")

/**
 * An error that a provider sent within a stream, as the format reads it whose
 * error event it is: OpenAI's package hands over the event, Anthropic's the
 * error in it.
 */
const streamedError = (error: unknown): ModelError => {
  const event = isEvent(error) ? error : { type: "error", error }
  const format = isEvent(error) ? OpenAiResponses.format : Anthropic.format
  const decoder = format.streamDecoder()
  decoder.push(new TextEncoder().encode(`event: error\ndata: ${JSON.stringify(event)}\n\n`))
  return decoder.failure() ?? malformedResponse(JSON.stringify(error) ?? "an error without words")
}

const isEvent = Schema.is(Schema.Struct({ type: Schema.Literal("error") }))
