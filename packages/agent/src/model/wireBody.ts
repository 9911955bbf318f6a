/**
 * The body of a response: in pieces that come in time, or as text, and never
 * more of it than is bounded.
 */
import type * as HttpClientError from "@effect/platform/HttpClientError"
import { WireError } from "@wield/providers"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ModelError } from "../ModelError.js"
import { ModelTimedOut } from "../ModelError.js"
import type { WireOptions } from "./wireOptions.js"
import type { Sent } from "./wireSend.js"

export type Body = Stream.Stream<Uint8Array, ModelError>

export const pieces = (
  format: string,
  { timeouts }: WireOptions,
  body: Stream.Stream<Uint8Array, HttpClientError.ResponseError>,
  toError: Sent["toError"]
): Body => {
  const limit = Duration.decode(timeouts?.piece ?? "1 minute")
  return body.pipe(
    Stream.mapError(toError),
    Stream.timeoutFail(() => new ModelTimedOut({ format, waitedFor: "piece", limit: Duration.toMillis(limit) }), limit)
  )
}

export const bounded = (format: string, limit: number, body: Body): Body =>
  Stream.suspend(() => {
    let read = 0
    const tooLong = new WireError.WireError({
      format,
      path: [],
      expected: `a response of at most ${limit} bytes (maxResponseBytes)`,
      received: "a longer one"
    })
    return Stream.tap(body, (piece) => {
      read += piece.length
      return read <= limit ? Effect.void : Effect.fail(tooLong)
    })
  })

/** The beginning of an error's body, as far as it can be read: the status has said already that it is an error. */
export const beginning = (body: Body, bytes: number): Effect.Effect<string> =>
  Effect.suspend(() => {
    const read: Array<Uint8Array> = []
    let left = bytes
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

export const textOf = (pieces: Iterable<Uint8Array>): string => {
  const decoder = new TextDecoder()
  let text = ""
  for (const piece of pieces) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}
