/** A response as the events of a turn, whether it streams or not, or as the error that it is. */
import type { Turn, TurnEvent } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import * as Json from "@wield/core/Json"
import * as Time from "@wield/core/Time"
import * as ApiError from "@wield/providers/ApiError"
import * as WireError from "@wield/providers/WireError"
import * as StreamDecoder from "@wield/providers/StreamDecoder"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { WireOptions } from "../Model.js"
import { type ModelError, ModelTimedOut } from "../ModelError.js"
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
  const limit = Duration.decode(options.timeouts?.piece ?? "1 minute")
  const lateAfter = (waited: Duration.Duration) => () =>
    new ModelTimedOut({ format: format.name, waitedFor: "piece", limit: Duration.toMillis(waited) })
  const body = response.stream.pipe(Stream.mapError(toError), Stream.timeoutFail(lateAfter(limit), limit))
  if (status < 200 || status >= 300) {
    return Stream.fromEffect(
      // Hidden before it is read: what is quoted of it may be cut off in the middle of a secret.
      Effect.flatMap(beginning(Stream.interruptAfter(body, limit)), (text) =>
        Effect.fail(errorOf(format, { status, headers }, hide(text, secrets)))
      )
    )
  }
  const limited = limitBody(format.name, options.maxResponseBytes ?? maxResponseBytes, body)
  const type = headers["content-type"] ?? ""
  const isStream = /event-?stream|ndjson|jsonl/i.test(type) || (options.isStreaming !== false && !/json/i.test(type))
  const quiet = Duration.times(limit, mostQuietPieces)
  const read = { format, offered, head: { status, headers } }
  const events = withoutQuiet(limited, Duration.toMillis(quiet), lateAfter(quiet), (heard) =>
    isStream ? streamTurn(read, heard) : whole(read, options, heard)
  )
  return Stream.mapError(events, (error) => hideInError(error, secrets))
}

type Head = Pick<Sent["response"], "headers" | "status">

/** What a body is read as. */
interface Read {
  readonly format: WireFormat.WireFormat
  readonly offered: WireFormat.Offered
  readonly head: Head
}

/** Some gateways call a whole turn a stream. It begins with `{`, which events never do; lines of JSON are read as lines first. */
const streamTurn = (read: Read, body: Body): Events =>
  Stream.suspend(() => {
    const kept: Array<Uint8Array> = []
    let mayBeWhole: boolean | undefined
    const heard = Stream.map(body, (piece) => {
      const [first] = mayBeWhole === undefined ? textOf([piece]).trimStart() : []
      if (first !== undefined) mayBeWhole = first === "{"
      if (mayBeWhole === true) kept.push(piece)
      return piece
    })
    return withUntold(StreamDecoder.decodeStream(read.format, read.offered)(heard)).pipe(
      Stream.map((event) => {
        mayBeWhole = false
        kept.length = 0
        return event
      }),
      Stream.catchAll((error) => {
        const json = kept.length > 0 && error._tag === "WireError" ? parseJson(textOf(kept)) : Either.left(error)
        return Either.isRight(json) ? wholeTurn(read, json.right) : Stream.fail(error)
      })
    )
  })

const whole = (read: Read, { isStreaming = true }: WireOptions, body: Body): Events =>
  Stream.unwrap(
    Effect.map(Stream.runCollect(body), (pieces) => {
      const text = textOf(pieces)
      return Either.match(parseJson(text), {
        // Some gateways call every body JSON.
        onLeft: (): Events =>
          isStreaming ? streamTurn(read, Stream.fromChunk(pieces)) : Stream.fail(noJson(read.format.name, text)),
        onRight: (json) => wholeTurn(read, json)
      })
    })
  )

const wholeTurn = ({ format, head, offered }: Read, json: unknown): Events =>
  Either.match(format.decodeTurn(json, offered), {
    onLeft: (error): Events => Stream.fail(errorWithin(format, head, json) ?? error),
    onRight: (turn) => Stream.fromIterable(turnEvents(turn))
  })

const errorOf = (format: WireFormat.WireFormat, { headers, status }: Head, text: string): ApiError.ApiError => {
  if (status >= 400) {
    return format.decodeError({ status, headers, body: Either.getOrElse(parseJson(text), () => text) })
  }
  const common = { format: format.name, status }
  if (status < 300) return new ApiError.ProviderUnavailable({ ...common, detail: `status ${status} and no turn` })
  // Another host would be sent the key.
  const detail = `status ${status}: redirects are not followed; give the address that it leads to as \`url\``
  return new ApiError.RequestRejected({ ...common, detail })
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
const parseJson = (text: string): Either.Either<unknown, unknown> =>
  Either.try((): unknown => Json.parse(text, { decimals: "rounded" }))

const noJson = (format: string, text: string): WireError.WireError =>
  bodyError(format, "a JSON body", text === "" ? "nothing" : text.slice(0, 200))

const bodyError = (format: string, expected: string, received: string): WireError.WireError =>
  new WireError.WireError({ format, path: [], expected, received })

/** A turn that came whole, as the events of a stream. */
const turnEvents = (turn: Turn.Turn): ReadonlyArray<TurnEvent.TurnEvent> => {
  const events: Array<TurnEvent.TurnEvent> = []
  let index = 0
  for (const part of turn.parts) {
    if (part._tag !== "Call") {
      if (part.text !== "") events.push({ _tag: `${part._tag}Delta` as const, text: part.text })
      continue
    }
    // Only the turn has what the provider ran itself.
    if (part.executedBy !== "application") continue
    const { arguments: sent, id, name } = part.call
    events.push({ _tag: "CallStarted", index, id, name })
    const text = typeof sent === "string" ? sent : (JSON.stringify(sent) ?? "")
    if (text !== "") events.push({ _tag: "ArgumentsDelta", index, text })
    events.push({ _tag: "CallComplete", index, part })
    index++
  }
  if (Object.values(turn.usage).some((count) => count !== undefined)) {
    events.push({ _tag: "UsageKnown", usage: turn.usage })
  }
  events.push({ _tag: "Finished", turn })
  return events
}

/**
 * The last word of a stream that broke. A turn of which nothing came is not
 * finished, so that its request can be sent again; one that came whole
 * has not failed, whatever became of the connection.
 */
const withUntold = (events: Events): Events =>
  Stream.suspend(() => {
    let hasBegun = false
    let isWhole = false
    return events.pipe(
      Stream.filter((event) => {
        if (event._tag === "Finished") {
          isWhole = event.turn.isComplete
          // A failure comes behind it.
          if (!isWhole && !hasBegun) return false
        }
        hasBegun = true
        return true
      }),
      Stream.catchAll((error) =>
        isWhole && (error._tag === "Unreachable" || error._tag === "ModelTimedOut") ? Stream.empty : Stream.fail(error)
      )
    )
  })

type Body = Stream.Stream<Uint8Array, ModelError>

const limitBody = (format: string, limit: number, body: Body): Body =>
  Stream.suspend(() => {
    let read = 0
    const tooLong = bodyError(format, `a response of at most ${limit} bytes (maxResponseBytes)`, "a longer one")
    return Stream.tap(body, (piece) => {
      read += piece.length
      return read <= limit ? Effect.void : Effect.fail(tooLong)
    })
  })

/** How many times as long as for a piece it may be that pieces say nothing: comments keep a connection open without end. */
const mostQuietPieces = 10

/** Fails where pieces come, and nothing of the turn does. `limit` is in milliseconds. */
const withoutQuiet = (body: Body, limit: number, late: () => ModelTimedOut, read: (body: Body) => Events): Events =>
  Stream.unwrap(
    Effect.map(Time.monotonic, (start) => {
      let since = start
      let hasSpoken = false
      const heard = Stream.tap(body, () =>
        Effect.flatMap(Time.monotonic, (now) => {
          if (hasSpoken) since = now
          hasSpoken = false
          return now - since > limit ? Effect.fail(late()) : Effect.void
        })
      )
      return Stream.mapChunks(read(heard), (events) => {
        hasSpoken ||= events.length > 0
        return events
      })
    })
  )

/** The beginning of an error's body, as far as it can be read: the status has said already that it is an error. */
const beginning = (body: Body): Effect.Effect<string> =>
  Effect.suspend(() => {
    const read: Array<Uint8Array> = []
    let left = maxErrorBytes
    return body.pipe(
      Stream.takeUntil((piece) => {
        if (left > 0) read.push(piece.subarray(0, left))
        left -= piece.length
        return left <= 0
      }),
      Stream.runDrain,
      Effect.ignore,
      Effect.map(() => textOf(read))
    )
  })

const textOf = (pieces: Iterable<Uint8Array>): string => {
  const decoder = new TextDecoder()
  let text = ""
  for (const piece of pieces) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}
