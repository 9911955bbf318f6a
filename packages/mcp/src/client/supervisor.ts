/**
 * Keeps one connection to a server alive: opens it when it is needed, opens it
 * again when it ended, and repeats what is safe to repeat.
 */
import * as Fibers from "@wield/core/Fibers"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { State } from "./model.js"
import { Disconnected, type McpError } from "../McpError.js"
import type { Connection } from "./Connection.js"

export interface Supervisor {
  readonly state: SubscriptionRef.SubscriptionRef<State>
  /** The connection; opens one if needed. */
  readonly get: Effect.Effect<Connection, McpError>
  /**
   * Uses the connection. Where it was lost, `use` is run once more with the next
   * one: if the request was not sent, or if `isRepeatable`.
   */
  readonly use: <A, E extends { readonly _tag: string } = never>(
    use: (connection: Connection) => Effect.Effect<A, McpError | E>,
    isRepeatable: boolean
  ) => Effect.Effect<A, McpError | E>
}

interface Live {
  readonly connection: Connection
  readonly scope: Scope.CloseableScope
}

/** `open` also does what has to be done before the connection is used. */
export const makeSupervisor = (
  open: Effect.Effect<Connection, McpError, Scope.Scope>
): Effect.Effect<Supervisor, never, Scope.Scope> =>
  Effect.gen(function* () {
    const outer = yield* Effect.scope
    const state = yield* SubscriptionRef.make<State>({ _tag: "Idle" })
    let live: Live | undefined
    let opening: Fiber.RuntimeFiber<Connection, McpError> | undefined

    const openNow = Effect.gen(function* () {
      yield* SubscriptionRef.set(state, { _tag: "Connecting" })
      const scope = yield* Scope.make()
      const opened = yield* Effect.exit(Effect.interruptible(Scope.extend(open, scope)))
      if (Exit.isFailure(opened)) {
        yield* Scope.close(scope, opened)
        yield* SubscriptionRef.set(state, { _tag: "Disconnected", reason: "it could not be reached" })
        return yield* opened
      }
      const connection = opened.value
      live = { connection, scope }
      yield* SubscriptionRef.set(state, { _tag: "Ready", revision: connection.agreement.revision })
      // Opening is uninterruptible; watching is not.
      yield* Effect.forkIn(Effect.interruptible(watch(live)), outer)
      return connection
    })

    /** In a fiber of its own: the one that needed it first may be interrupted, and others wait for it, too. */
    const get: Effect.Effect<Connection, McpError> = Effect.suspend(() => {
      if (live !== undefined) return Effect.succeed(live.connection)
      if (opening !== undefined) return Fiber.join(opening)
      return Effect.flatMap(
        Effect.forkIn(
          Effect.uninterruptible(
            Effect.ensuring(
              openNow,
              Effect.sync(() => void (opening = undefined))
            )
          ),
          outer
        ),
        (fiber) => {
          // It may have ended already.
          if (Fibers.endOf(fiber) === undefined) opening = fiber
          return Fiber.join(fiber)
        }
      )
    })

    const drop = (connection: Connection, reason: string) =>
      Effect.suspend(() => {
        if (live?.connection !== connection) return Effect.void
        const { scope } = live
        live = undefined
        return Effect.zipRight(
          SubscriptionRef.set(state, { _tag: "Disconnected", reason }),
          Scope.close(scope, Exit.void)
        )
      })

    /** Opens the next connection when this one has ended, so that what the server announces is not missed. */
    const watch = ({ connection }: Live) =>
      Effect.gen(function* () {
        const reason = yield* connection.ended
        yield* Effect.uninterruptible(drop(connection, reason))
        yield* Effect.sleep(firstDelay)
        yield* Effect.ignore(Effect.retry(get, again))
      })

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        const fiber = opening
        const last = live
        return Effect.zipRight(
          fiber === undefined ? Effect.void : Fiber.interrupt(fiber),
          last === undefined ? Effect.void : drop(last.connection, "its scope has ended")
        )
      })
    )

    return {
      state,
      get,
      use: (use, isRepeatable) =>
        Effect.flatMap(get, (connection) =>
          Effect.catchIf(
            use(connection),
            (error): error is Disconnected => error instanceof Disconnected && (!error.wasSent || isRepeatable),
            (error) =>
              Effect.flatMap(Effect.zipRight(Effect.uninterruptible(drop(connection, error.message)), get), use)
          )
        )
    }
  })

const firstDelay = Duration.millis(100)

/** Up to about five minutes; after that, the next call tries again. */
const again = Schedule.exponential(firstDelay).pipe(
  Schedule.either(Schedule.spaced("30 seconds")),
  Schedule.intersect(Schedule.recurs(16))
)
