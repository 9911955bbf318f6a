/**
 * Starts the Python program for tests, with the Python that is found on the path.
 */
import { spawnSync } from "node:child_process"
import type { Json } from "@wield/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Mode } from "../../src/worker/Program.js"
import { pythonProgram } from "../../src/python/program.js"
import type { Cause, Ending } from "../../src/worker/Ending.js"
import type { Unavailable } from "../../src/worker/group.js"
import { startProgram, type StartOptions } from "../worker/program.js"

/** The interpreter itself, where the path has a script that chooses one. */
export const findPython = (name: string): string | undefined => {
  const found = spawnSync(name, ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" })
  return found.status === 0 ? found.stdout.trim() : undefined
}

export const python = findPython("python3")

export interface PythonOptions extends StartOptions {
  readonly command?: string
  readonly flags?: ReadonlyArray<string>
  readonly kind?: "script" | "function-file"
  readonly config?: Json.Json
  readonly file?: string
  /** Further scripts of the same program. */
  readonly more?: ReadonlyArray<{ readonly file: string; readonly text: string }>
}

export interface Answered {
  readonly answer: Cause
  readonly output: string
  readonly error: string
}

export interface StartedPython {
  readonly mark: string
  readonly folder: string
  readonly worker: { readonly pid: number; readonly close: () => void; readonly end: Effect.Effect<void> }
  /** Calls `run`, or what is named. */
  readonly call: (
    parameters?: Json.JsonObject,
    call?: {
      readonly entry?: string
      readonly file?: string
      readonly environment?: { readonly [name: string]: string }
      readonly milliseconds?: number
    }
  ) => Effect.Effect<Answered>
}

const answered = (ending: Ending): Answered => ({
  answer: ending.cause,
  output: ending.standardOutput.toString(),
  error: ending.standardErrorTail
})

export const startPython = (
  mode: Mode,
  text: string,
  options: PythonOptions = {}
): Effect.Effect<StartedPython, Unavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const file = options.file ?? "/nowhere/tool.py"
    const scripts = [{ file, text }, ...(options.more ?? [])].map((script) => ({ ...script, functions: [] }))
    const program = pythonProgram({
      command: options.command ?? python ?? "python3",
      arguments: options.flags ?? [],
      mode,
      kind: options.kind ?? "script",
      scripts,
      config: options.config ?? null
    })
    const started = yield* startProgram(program, options)
    return {
      mark: started.worker.mark,
      folder: started.folder,
      worker: started.worker,
      call: (parameters = {}, { milliseconds, ...call } = {}) =>
        started
          .call(
            { file, arguments: parameters, ...call },
            {
              isOutputKept: true,
              time: Duration.millis(milliseconds ?? 30_000),
              output: 256 * 1024 * 1024
            }
          )
          .pipe(Effect.map(answered))
    }
  })

/** What a call of a script that is started for it alone was answered. */
export const callOnce = (
  text: string,
  parameters: Json.JsonObject = {},
  options: PythonOptions = {}
): Effect.Effect<Answered, Unavailable> =>
  Effect.scoped(Effect.flatMap(startPython("once", text, options), ({ call }) => call(parameters)))

/** The value, text or failure of an answer, without what belongs to the protocol. */
export const said = ({ answer }: Answered): unknown => {
  if (answer.type !== "answered") return answer
  const { isMarked: _, isRead: __, ...rest } = answer.answer
  return rest
}

export const value = (json: unknown) => ({ type: "value", value: json })
export const text = (written: string) => ({ type: "text", text: written })
export const raised = (error: string, detail: string) => ({ type: "raised", error, detail })
