/** The program that serves calls of Python scripts: `runtime/python.py`. */
import { createRequire } from "node:module"
import * as Either from "effect/Either"
import { lineOf, type Program, type ProgramOptions } from "../worker/Program.js"

export const pythonProgram = (options: ProgramOptions): Program => ({
  command: options.command,
  arguments: [...options.arguments, createRequire(import.meta.url).resolve("@wield/scripts/runtime/python.py")],
  mode: options.mode,
  load: lineOf({
    mode: options.mode,
    kind: options.kind,
    files: options.scripts.map(({ file, text }) => ({ file, text })),
    config: options.config
  }),
  // The marker stands first: the program finds it there even if it cannot take the rest.
  encodeCall: (call) =>
    Either.right(
      lineOf({
        marker: call.marker,
        file: call.file,
        entry: call.entry,
        environment: call.environment,
        arguments: call.arguments
      })
    )
})
