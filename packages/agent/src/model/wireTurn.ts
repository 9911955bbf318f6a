/**
 * A response as the events of a turn, whether it streams or not, or as the
 * error that it is.
 */
import type { TurnEvent } from "@wield/core"
import { Json } from "@wield/core"
import { ApiError, WireError, WireFormat } from "@wield/providers"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { ModelError } from "../ModelError.js"
import { turnEvents } from "./turnEvents.js"
import { untold } from "./untold.js"
import type { Body } from "./wireBody.js"
import { beginning, bounded, pieces, textOf } from "./wireBody.js"
import type { WireOptions } from "./wireOptions.js"
import { hide, hideInError } from "./wireSecrets.js"
import type { Sent } from "./wireSend.js"

/** Of an error's body, which may be a whole page. */
const maxErrorBytes = 64 * 1024

const maxResponseBytes = 128 * 1024 * 1024

type Events = Stream.Stream<TurnEvent.TurnEvent, ModelError>

export const wireTurn = (
  format: WireFormat.WireFormat,
  options: WireOptions,
  offered: WireFormat.Offered,
  { response, secrets, toError }: Sent
): Events => {
  const { headers, status } = response
  const body = pieces(format.name, options, response.stream, toError)
  if (status < 200 || status >= 300) {
    return Stream.fromEffect(
      // Hidden before it is read: what is quoted of it may be cut off in the middle of a secret.
      Effect.flatMap(beginning(body, maxErrorBytes), (text) =>
        errorOf(format, { status, headers }, hide(text, secrets))
      )
    )
  }
  const limited = bounded(format.name, options.maxResponseBytes ?? maxResponseBytes, body)
  const type = headers["content-type"] ?? ""
  const isStream = /event-?stream|ndjson|jsonl/i.test(type) || (options.isStreaming !== false && !/json/i.test(type))
  const events = isStream
    ? streamed(format, offered, limited)
    : whole(format, options, offered, { status, headers }, limited)
  return Stream.mapError(events, (error) => hideInError(error, secrets))
}

type Head = Pick<Sent["response"], "headers" | "status">

const streamed = (format: WireFormat.WireFormat, offered: WireFormat.Offered, body: Body): Events =>
  untold(WireFormat.decodeStream(format, offered)(body))

const whole = (
  format: WireFormat.WireFormat,
  { isStreaming = true }: WireOptions,
  offered: WireFormat.Offered,
  head: Head,
  body: Body
): Events =>
  Stream.unwrap(
    Effect.map(Stream.runCollect(body), (pieces) => {
      const text = textOf(pieces)
      return Either.match(parsed(text), {
        // Some gateways call every body JSON.
        onLeft: (): Events =>
          isStreaming ? streamed(format, offered, Stream.fromChunk(pieces)) : Stream.fail(noJson(format.name, text)),
        onRight: (json) =>
          Either.match(format.decodeTurn(json, offered), {
            onLeft: (error): Events => Stream.fail(errorWithin(format, head, json) ?? error),
            onRight: (turn) => Stream.fromIterable(turnEvents(turn))
          })
      })
    })
  )

const errorOf = (
  format: WireFormat.WireFormat,
  { headers, status }: Head,
  text: string
): Effect.Effect<never, ApiError.ApiError> => {
  if (status >= 400) {
    const body = Either.getOrElse(parsed(text), () => text)
    return Effect.fail(format.decodeError({ status, headers, body }))
  }
  return Effect.fail(
    status >= 300
      ? new ApiError.RequestRejected({
          format: format.name,
          status,
          // Another host would be sent the key.
          detail: `status ${status}: redirects are not followed; give the address that it leads to as \`url\``
        })
      : new ApiError.ProviderUnavailable({ format: format.name, status, detail: `status ${status} and no turn` })
  )
}

/** The error that a body is whose status says that all went well. */
const errorWithin = (
  format: WireFormat.WireFormat,
  { headers, status }: Head,
  body: unknown
): ApiError.ApiError | undefined => {
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (!Json.isObject(first)) return undefined
  const { error, message, object, type } = first
  const isError =
    (error !== undefined && error !== null) || type === "error" || object === "error" || typeof message === "string"
  return isError ? format.decodeError({ status: statedStatus(error) ?? status, headers, body }) : undefined
}

/** OpenRouter and Google say within the error which status it would have. */
const statedStatus = (error: unknown): number | undefined => {
  const code = Json.isObject(error) ? error["code"] : undefined
  return typeof code === "number" && code >= 400 && code < 600 ? code : undefined
}

// JSON.parse reports by throwing.
const parsed = (text: string): Either.Either<unknown, unknown> => Either.try((): unknown => JSON.parse(text))

const noJson = (format: string, text: string): WireError.WireError =>
  new WireError.WireError({
    format,
    path: [],
    expected: "a JSON body",
    received: text === "" ? "nothing" : text.slice(0, 200)
  })
