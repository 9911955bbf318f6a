/**
 * Hears a stream out, event by event, in the fiber that asks for it.
 *
 * `Stream.runForEach` forks a fiber for each stream, and Effect logs the error
 * that such a fiber ends with, all of its words; it also takes several steps for
 * each event, where most events of a model need none.
 */
import * as Channel from "effect/Channel"
import type * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** `each` answers with an effect where the next event has to wait for it. */
export const hearOut = <A, E>(
  events: Stream.Stream<A, E>,
  each: (event: A) => Effect.Effect<void> | undefined
): Effect.Effect<void, E> =>
  // A scope of its own: what the stream has open is closed before the calls are waited for, and no call sees it.
  Effect.acquireUseRelease(
    Scope.make(),
    (scope) => Effect.flatMap(Channel.toPullIn(Stream.toChannel(events), scope), (pull) => hear(pull, each)),
    (scope, exit) => Scope.close(scope, exit)
  )

type Pull<A, E> = Effect.Effect<Either.Either<Chunk.Chunk<A>, unknown>, E>

const hear = <A, E>(pull: Pull<A, E>, each: (event: A) => Effect.Effect<void> | undefined): Effect.Effect<void, E> => {
  const next: Effect.Effect<void, E> = Effect.flatMap(pull, (pulled) =>
    Either.isLeft(pulled) ? Effect.void : rest(pulled.right[Symbol.iterator]())
  )
  const rest = (events: Iterator<A>): Effect.Effect<void, E> => {
    for (let event = events.next(); event.done !== true; event = events.next()) {
      const waiting = each(event.value)
      if (waiting !== undefined) return Effect.flatMap(waiting, () => rest(events))
    }
    return next
  }
  return next
}
