/**
 * Runs a program by itself, without a pool: for tests of programs.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Pipes } from "@wield/process"
import { noRedaction, type Redaction } from "../../src/process/redaction.js"
import { pipes } from "./pipes.js"
import { temporaryFolder } from "./temporaryFolder.js"
import type { Program, ProgramCall, Request } from "../../src/worker/Program.js"
import type { Ending } from "../../src/worker/Ending.js"
import { startWorker, type Unavailable } from "../../src/worker/group.js"
import type { Worker } from "../../src/worker/Worker.js"

export interface StartOptions {
  readonly environment?: { readonly [name: string]: string }
  readonly workingDirectory?: string
  /** Milliseconds. */
  readonly loading?: number
  /** Nothing is secret unless given. */
  readonly redaction?: Redaction
  /** Those of all tests unless given. */
  readonly pipes?: Pipes.Pipes
}

export interface StartedProgram {
  readonly worker: Worker
  /** A folder that is removed with the scope. */
  readonly folder: string
  /** Waits until the program is ready, and tells it a call. */
  readonly call: (
    call: Partial<Omit<ProgramCall, "marker">>,
    request?: Partial<Omit<Request, "call">> & { readonly time?: Duration.Duration }
  ) => Effect.Effect<Ending>
}

/** Starts a program and waits until it has loaded its scripts. Its scope ends it. */
export const startProgram = (
  program: Program,
  options: StartOptions = {}
): Effect.Effect<StartedProgram, Unavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const environment = options.environment ?? { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" }
    let allowed = Duration.seconds(20)
    const worker = yield* startWorker(options.pipes ?? pipes, {
      program,
      process: { environment, workingDirectory: options.workingDirectory ?? process.cwd() },
      advice: "install it",
      watch: ({ exceed }) => {
        const timer = setTimeout(() => exceed("time"), Duration.toMillis(allowed))
        return () => clearTimeout(timer)
      },
      redaction: options.redaction ?? noRedaction,
      ready: () => undefined,
      ended: () => undefined,
      loading: Duration.millis(options.loading ?? 30_000)
    })
    const turn = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
    const ready = Effect.repeat(turn, { until: () => worker.isReady() })
    return {
      worker,
      folder,
      call: (call, { time = Duration.seconds(20), ...request } = {}) =>
        ready.pipe(
          Effect.flatMap(() => {
            allowed = time
            return worker.call({
              call: { file: "", entry: "run", arguments: {}, environment: {}, ...call },
              output: 16 * 1024 * 1024,
              isOutputKept: false,
              ...request
            })
          }),
          Effect.flatMap((ending) => Effect.orDie(ending))
        )
    }
  })
