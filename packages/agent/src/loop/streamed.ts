/**
 * A run as a stream of what happens in it.
 */
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "../AgentEvent.js"
import type { Emit } from "./plan.js"

/**
 * The reader is given all that waits for it as one chunk, since each chunk costs
 * it more than an event does. Together with as many that wait meanwhile these are
 * the 16 events that are held: beyond them the run waits for the reader.
 */
const capacity = 8

export const streamed = (run: (emit: Emit) => Effect.Effect<unknown, unknown>): Stream.Stream<AgentEvent, unknown> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const mailbox = yield* Mailbox.make<AgentEvent, unknown>(capacity)
      const emit: Emit = (event) =>
        Effect.suspend(() => (mailbox.unsafeOffer(event) ? Effect.void : Effect.asVoid(mailbox.offer(event))))
      // Ends with the stream: a reader that leaves interrupts the run.
      yield* Effect.forkScoped(Mailbox.into(run(emit), mailbox))
      // Before the run is interrupted: what cannot be, would wait for the reader for ever.
      yield* Effect.addFinalizer(() => mailbox.shutdown)
      return Mailbox.toStream(mailbox)
    })
  )
