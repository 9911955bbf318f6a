/** What @effect/ai and its packages fail with, as the errors of a model. */
import type { AiError } from "@effect/ai"
import type { WireFormat } from "@wield/providers"
import * as Anthropic from "@wield/providers/Anthropic"
import * as ApiError from "@wield/providers/ApiError"
import * as BedrockConverse from "@wield/providers/BedrockConverse"
import * as Gemini from "@wield/providers/Gemini"
import * as OpenAiChat from "@wield/providers/OpenAiChat"
import * as OpenAiResponses from "@wield/providers/OpenAiResponses"
import * as WireError from "@wield/providers/WireError"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { type ModelError, Unreachable } from "../ModelError.js"
import { formatName } from "./languageModelFormat.js"

export const modelError = (error: AiError.AiError): ModelError => {
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
      return malformedResponse(error.description ?? show(error.cause))
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

const show = (cause: unknown): string => {
  if (ParseResult.isParseError(cause)) return cause.message
  return cause instanceof Error ? cause.message : "nothing that it describes"
}

/** A stream that ended before its response gave a reason. */
export const cutOff = (): WireError.WireError =>
  wireError("the rest of the stream", "its end before the response was complete")

/**
 * An error that a provider sent within a stream, as the format reads it whose
 * error event it is: OpenAI's package hands over the event, Anthropic's the
 * error in it.
 */
export const streamedError = (error: unknown): ModelError => {
  const event = isEvent(error) ? error : { type: "error", error }
  const format = isEvent(error) ? OpenAiResponses.format : Anthropic.format
  const decoder = format.streamDecoder()
  decoder.push(new TextEncoder().encode(`event: error\ndata: ${JSON.stringify(event)}\n\n`))
  return decoder.failure() ?? malformedResponse(JSON.stringify(error) ?? "an error without words")
}

const isEvent = Schema.is(Schema.Struct({ type: Schema.Literal("error") }))
