/** Scripts that share workers: their environment, their interpreter and their pool. */
import { dirname, join } from "node:path"
import type { Json } from "@wield/core"
import type { Environment, Pipes, Process } from "@wield/process"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { bashProgram } from "../bash/program.js"
import { nodeProgram } from "../javascript/program.js"
import { scriptVariables } from "../process/environment.js"
import { type Interpreter, type InterpreterMissing, type Sought, advice, type Kind } from "../process/interpreter.js"
import { makeRedaction } from "../process/redaction.js"
import { pythonProgram } from "../python/program.js"
import type { Script } from "../Script.js"
import { type Machinery, Pool } from "./Pool.js"
import type { Mode, Program, ProgramOptions, ProgramScript } from "./Program.js"
import { defaultVariables } from "./requirements.js"
import type { Settings } from "./settings.js"
import { type Watch, makeWorker, type Worker, type WorkerOptions } from "./Worker.js"

/** Why no worker can take a script's call. */
export class Unavailable extends Data.TaggedError("Unavailable")<{
  readonly reason: "interpreter-missing" | "internal" | "loading"
  readonly detail: string
  readonly standardError: string
}> {}

const unavailable = (reason: Unavailable["reason"], detail: string, standardError = "") =>
  new Unavailable({ reason, detail, standardError })

/** What is the same for all groups of an executor. */
export interface Host extends Machinery {
  readonly settings: Settings
  readonly pipes: Pipes.Pipes
  /** What the guardian finds programs by; see there. */
  readonly guarded: () => Environment.Variables
  readonly watch: Watch
  readonly findInterpreter: (sought: Sought) => Effect.Effect<Interpreter, InterpreterMissing>
  /** `LLM_ROOT_DIR` of the scripts of a folder. */
  readonly rootOf: (folder: string) => string
}

/** What is read of a script to run it; a function file has no more than its text. */
export type Member = ProgramScript & Pick<Script, "shebang" | "requiredTools" | "environment">

export interface GroupOptions {
  readonly kind: Kind
  readonly mode: Mode
  readonly programKind: ProgramOptions["kind"]
  /** At least one; all of one folder and one interpreter. */
  readonly scripts: readonly [Member, ...Array<Member>]
  readonly config: Json.Json
}

export type Group = Pool<Unavailable>

const makeProgram = (kind: Kind, options: ProgramOptions): Effect.Effect<Program> => {
  switch (kind) {
    case "python":
      return Effect.sync(() => pythonProgram(options))
    case "bash":
      return Effect.sync(() => bashProgram(options))
    case "node":
      return nodeProgram(options)
  }
}

/** All that scripts see but for the variables of a call. */
export const variablesOf = (host: Host, scripts: GroupOptions["scripts"]): Environment.Variables => {
  const folder = dirname(scripts[0].file)
  const root = host.rootOf(folder)
  return {
    // Where Loki and Coyote have the functions that ask a person, which Bash scripts source.
    LLM_PROMPT_UTILS_FILE: join(root, "utils", "prompt-utils.sh"),
    ...Object.assign({}, ...scripts.map(defaultVariables)),
    ...scriptVariables(host.settings.environment, process.env, folder),
    LLM_ROOT_DIR: root
  }
}

export const makeGroup = (host: Host, options: GroupOptions): Group => {
  const { settings } = host
  const { kind, scripts } = options
  return new Pool(host, {
    size: settings.workers,
    calls: settings.workerCalls,
    memory: settings.workerMemory,
    idle: settings.workerIdle,
    start: (hooks) =>
      Effect.gen(function* () {
        const variables = variablesOf(host, scripts)
        const interpreter = yield* host
          .findInterpreter({ kind, file: scripts[0].file, shebang: scripts[0].shebang, variables })
          .pipe(Effect.mapError(({ detail }) => unavailable("interpreter-missing", detail)))
        const program = yield* makeProgram(kind, {
          command: interpreter.command,
          arguments: interpreter.arguments,
          mode: options.mode,
          kind: options.programKind,
          scripts,
          config: options.config
        })
        const environment = { ...variables, ...interpreter.environment, ...host.guarded() }
        return yield* startWorker(host.pipes, {
          program,
          redaction: makeRedaction(environment, settings.environment.secrets),
          process: { environment, workingDirectory: settings.workingDirectory },
          advice: advice[kind],
          watch: host.watch,
          loading: settings.loading,
          ...hooks
        })
      })
  })
}

const howEnded = ({ code, signal }: Process.Ended): string =>
  signal === null ? `its interpreter exited with code ${code}` : `its interpreter was ended by ${signal}`

interface StartOptions extends WorkerOptions {
  /** What to do where the command is missing. */
  readonly advice: string
}

const notStarted = ({ detail, reason }: Process.NotStarted, advice: string): Unavailable => {
  if (reason === "command") return unavailable("interpreter-missing", `${detail}; ${advice}`)
  const hint = reason === "environment" ? "; make .env, or what environment.set or pass gives, smaller" : ""
  return unavailable("internal", `${detail}${hint}`)
}

/** `ready` gets the worker first, and again at each call's end. */
export const startWorker = (
  pipes: Pipes.Pipes,
  options: StartOptions
): Effect.Effect<Worker, Unavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const loaded = yield* Deferred.make<Worker, Unavailable>()
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
          Deferred.unsafeDone(loaded, Effect.fail(unavailable("internal", detail, standardErrorTail)))
        }
        options.ended(ended, how)
      }
    }).pipe(Effect.mapError((error) => notStarted(error, options.advice)))
    return yield* Deferred.await(loaded).pipe(
      Effect.timeoutFail({
        duration: options.loading,
        onTimeout: () =>
          unavailable("loading", `its scripts were not loaded within ${Duration.toMillis(options.loading)} ms`)
      })
    )
  })
