/** Starts a worker and waits until its program has loaded its scripts. */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Pipes, Process } from "@wield/process"
import { makeWorker, type Worker, type WorkerOptions } from "./Worker.js"

export class NotStarted extends Data.TaggedError("NotStarted")<{
  readonly reason: "interpreter-missing" | "internal" | "loading"
  readonly detail: string
  readonly standardError: string
}> {}

const howEnded = ({ code, signal }: Process.Ended): string =>
  signal === null ? `its interpreter exited with code ${code}` : `its interpreter was ended by ${signal}`

export interface StartOptions extends WorkerOptions {
  /** What to do where the command is missing. */
  readonly advice: string
}

const notStarted = ({ detail, reason }: Process.NotStarted, advice: string): NotStarted => {
  if (reason === "command") {
    return new NotStarted({ reason: "interpreter-missing", detail: `${detail}; ${advice}`, standardError: "" })
  }
  const hint = reason === "environment" ? "; make .env, or what environment.set or pass gives, smaller" : ""
  return new NotStarted({ reason: "internal", detail: `${detail}${hint}`, standardError: "" })
}

/** `ready` gets the worker first, and again at each call's end. */
export const startWorker = (
  pipes: Pipes.Pipes,
  options: StartOptions
): Effect.Effect<Worker, NotStarted, Scope.Scope> =>
  Effect.gen(function* () {
    const loaded = yield* Deferred.make<Worker, NotStarted>()
    yield* makeWorker(pipes, {
      ...options,
      ready: (ready) => {
        Deferred.unsafeDone(loaded, Effect.succeed(ready))
        options.ready(ready)
      },
      ended: (ended, how) => {
        const { fault, isLoaded, standardErrorTail } = how
        if (!isLoaded) {
          const detail = fault ?? `${howEnded(how.ended)} before its scripts were loaded`
          const failure = new NotStarted({ reason: "internal", detail, standardError: standardErrorTail })
          Deferred.unsafeDone(loaded, Effect.fail(failure))
        }
        options.ended(ended, how)
      }
    }).pipe(Effect.mapError((error) => notStarted(error, options.advice)))
    return yield* Deferred.await(loaded).pipe(
      Effect.timeoutFail({
        duration: options.loading,
        onTimeout: () =>
          new NotStarted({
            reason: "loading",
            detail: `its scripts were not loaded within ${Duration.toMillis(options.loading)} ms`,
            standardError: ""
          })
      })
    )
  })
