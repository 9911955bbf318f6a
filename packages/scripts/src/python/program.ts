/** The program that serves calls of Python scripts: `runtime/python.py`. */
import { createRequire } from "node:module"
import * as Either from "effect/Either"
import type { Program, ProgramOptions } from "../worker/Program.js"

const encoder = new TextEncoder()

const lineOf = (value: unknown): Uint8Array => encoder.encode(`${JSON.stringify(value)}\n`)

export const pythonProgram = (options: ProgramOptions): Program => ({
  language: "python",
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
