/** Scripts that share workers: their environment, their interpreter and their pool. */
import type { Json } from "@wield/core"
import type { Environment, Pipes } from "@wield/process"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { dirname } from "node:path"
import type { Interpreter, InterpreterMissing, Sought } from "../process/interpreter.js"
import { advice, type Kind } from "../process/interpreter.js"
import { scriptVariables } from "../process/environment.js"
import { makeRedaction, type Redaction } from "../process/redaction.js"
import { bashProgram } from "../bash/program.js"
import { nodeProgram } from "../javascript/program.js"
import type { Mode, Program, ProgramOptions, ProgramScript } from "./Program.js"
import { pythonProgram } from "../python/program.js"
import type { Script } from "../Script.js"
import { makePool, type Machinery, type Pool } from "./Pool.js"
import { defaultVariables } from "./requirements.js"
import type { Settings } from "./settings.js"
import { startWorker, type NotStarted } from "./startWorker.js"
import type { Watch } from "./Worker.js"

/** Why no worker can take a script's call. */
export class Unavailable extends Data.TaggedError("Unavailable")<{
  readonly reason: NotStarted["reason"]
  readonly detail: string
  readonly standardError: string
}> {}

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

/** What was chosen when a worker was started. */
export interface Setting {
  readonly redaction: Redaction
}

export type Group = Pool<Setting, Unavailable>

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
  return {
    ...Object.assign({}, ...scripts.map(defaultVariables)),
    ...scriptVariables(host.settings.environment, process.env, folder),
    LLM_ROOT_DIR: host.rootOf(folder)
  }
}

export const makeGroup = (host: Host, options: GroupOptions): Group => {
  const { settings } = host
  const { kind, scripts } = options
  return makePool(host, {
    size: settings.workers,
    calls: settings.workerCalls,
    memory: settings.workerMemory,
    idle: settings.workerIdle,
    start: (hooks) =>
      Effect.gen(function* () {
        const variables = variablesOf(host, scripts)
        const interpreter = yield* host
          .findInterpreter({ kind, file: scripts[0].file, shebang: scripts[0].shebang, variables })
          .pipe(
            Effect.mapError(
              ({ detail }) => new Unavailable({ reason: "interpreter-missing", detail, standardError: "" })
            )
          )
        const program = yield* makeProgram(kind, {
          command: interpreter.command,
          arguments: interpreter.arguments,
          mode: options.mode,
          kind: options.programKind,
          scripts,
          config: options.config
        })
        const environment = { ...variables, ...interpreter.environment, ...host.guarded() }
        const redaction = makeRedaction(environment, settings.environment.secrets)
        const worker = yield* startWorker(host.pipes, {
          program,
          redaction,
          process: { environment, workingDirectory: settings.workingDirectory },
          advice: advice[kind],
          watch: host.watch,
          loading: settings.loading,
          ...hooks
        }).pipe(
          Effect.mapError(({ detail, reason, standardError }) => new Unavailable({ reason, detail, standardError }))
        )
        return { worker, value: { redaction } }
      })
  })
}
