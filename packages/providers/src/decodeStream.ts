/**
 * A format's stream decoder over an Effect stream.
 */
import type { TurnEvent } from "@wield/core"
import * as Cause from "effect/Cause"
import * as Stream from "effect/Stream"
import type { ApiError } from "./ApiError.js"
import type { WireError } from "./WireError.js"
import type { Conversing, Offered } from "./WireFormat.js"

/**
 * A streamed response body as a stream of turn events.
 *
 * @category streaming
 */
export const decodeStream =
  (format: Pick<Conversing, "streamDecoder">, offered?: Offered) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<TurnEvent.TurnEvent, E | WireError | ApiError, R> =>
    Stream.suspend(() => {
      const decoder = format.streamDecoder(offered)
      const failed = Stream.suspend(() => {
        const failure = decoder.failure()
        return failure === undefined ? Stream.empty : Stream.fail(failure)
      })
      return bytes.pipe(
        // Whether it has failed is known by the piece: a stream hands over several
        // pieces at once, and what came before the failure is told all the same.
        Stream.map((piece) => ({ events: decoder.push(piece), hasFailed: decoder.failure() !== undefined })),
        // The rest of a body that cannot be read is not waited for.
        Stream.takeUntil(({ hasFailed }) => hasFailed),
        Stream.mapConcat(({ events }) => events),
        Stream.concat(Stream.suspend(() => Stream.fromIterable(decoder.end()))),
        Stream.concat(failed),
        Stream.catchAllCause((cause) =>
          Cause.isInterruptedOnly(cause)
            ? Stream.failCause(cause)
            : Stream.concat(
                Stream.suspend(() => Stream.fromIterable(decoder.end())),
                Stream.failCause(cause)
              )
        )
      )
    })
