/**
 * The last word of a stream that broke. A turn of which nothing was told is not
 * finished, so that its request can be sent again; one that was told to its end
 * has not failed, whatever became of the connection.
 */
import type { TurnEvent } from "@wield/core"
import * as Stream from "effect/Stream"
import type { ModelError } from "../ModelError.js"

export const untold = (
  events: Stream.Stream<TurnEvent.TurnEvent, ModelError>
): Stream.Stream<TurnEvent.TurnEvent, ModelError> =>
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
