/**
 * A run as a stream of what happens in it.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Take from "effect/Take"
import type { AgentEvent } from "../AgentEvent.js"
import type { Emit } from "./plan.js"

/** Beyond so many unread events, the run waits for the reader. */
const capacity = 16

export const streamed = (run: (emit: Emit) => Effect.Effect<unknown, unknown>): Stream.Stream<AgentEvent, unknown> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const queue = yield* Queue.bounded<Take.Take<AgentEvent, unknown>>(capacity)
      // Once the reader has left there is nobody to tell, and nothing to wait for.
      const emit: Emit = (event) =>
        Effect.catchAllCause(Effect.asVoid(Queue.offer(queue, Take.of(event))), (cause) =>
          Effect.flatMap(Queue.isShutdown(queue), (hasLeft) => (hasLeft ? Effect.void : Effect.failCause(cause)))
        )
      yield* run(emit).pipe(
        Effect.exit,
        Effect.flatMap((exit) => Queue.offer(queue, takeOf(exit))),
        // Ends with the stream: a reader that leaves interrupts the run.
        Effect.forkScoped
      )
      // Before the run is interrupted: what cannot be, would wait for the reader for ever.
      yield* Effect.addFinalizer(() => Queue.shutdown(queue))
      return Stream.flattenTake(Stream.fromQueue(queue, { maxChunkSize: 1 }))
    })
  )

const takeOf = (exit: Exit.Exit<unknown, unknown>): Take.Take<AgentEvent, unknown> =>
  Exit.isSuccess(exit) ? Take.end : Take.failCause(exit.cause)
