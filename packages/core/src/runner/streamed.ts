/**
 * A batch as a stream of what happens in it.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Take from "effect/Take"
import type { Outcome } from "../Outcome.js"
import type { ToolCall } from "../ToolCall.js"
import { batch, type Watcher } from "./batch.js"
import type { Machine } from "./machine.js"
import type { Run } from "./run.js"

type Event =
  | { readonly _tag: "Started"; readonly call: ToolCall }
  | { readonly _tag: "Progress"; readonly call: ToolCall; readonly value: unknown }
  | { readonly _tag: "Finished"; readonly call: ToolCall; readonly outcome: Outcome }

/** Beyond so many unread events, the calls wait for the reader. */
const capacity = 16

export const streamed =
  (
    machine: Machine,
    current: () => Run,
    raise: (outcomes: ReadonlyArray<Outcome>, value: void) => Effect.Effect<void, unknown>
  ) =>
  (calls: ReadonlyArray<ToolCall>): Stream.Stream<Event, unknown> =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const queue = yield* Queue.bounded<Take.Take<Event, unknown>>(capacity)
        // Once the reader has left there is nobody to tell, and nothing to wait for.
        const tell = (event: Event): Effect.Effect<void> =>
          Effect.catchAllCause(Effect.asVoid(Queue.offer(queue, Take.of(event))), (cause) =>
            Effect.flatMap(Queue.isShutdown(queue), (hasLeft) => (hasLeft ? Effect.void : Effect.failCause(cause)))
          )
        const watcher: Watcher = {
          started: (call) => tell({ _tag: "Started", call }),
          progress: (call) => (value) => tell({ _tag: "Progress", call, value }),
          finished: (call, outcome) => tell({ _tag: "Finished", call, outcome })
        }
        yield* batch(machine, current, calls, watcher).pipe(
          Effect.flatMap((outcomes) => raise(outcomes, undefined)),
          Effect.exit,
          Effect.flatMap((exit) => Queue.offer(queue, Exit.isSuccess(exit) ? Take.end : Take.failCause(exit.cause))),
          // Ends with the stream: a reader that leaves interrupts the calls.
          Effect.forkScoped
        )
        // Before the calls are interrupted: one that cannot be, would wait for the reader for ever.
        yield* Effect.addFinalizer(() => Queue.shutdown(queue))
        // One at a time: a chunk of events that the reader holds is unread, too.
        return Stream.flattenTake(Stream.fromQueue(queue, { maxChunkSize: 1 }))
      })
    )
