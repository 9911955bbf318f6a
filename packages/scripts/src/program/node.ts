/**
 * The program that serves calls of TypeScript and JavaScript scripts. In Node,
 * scripts and what they import by relative path are compiled here, once, and
 * evaluated there, for each call anew; Bun and Deno import them themselves.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, resolve } from "node:path"
import { interpreterOf } from "./nodeInterpreter.js"
import { compileModules, loadTypeScript } from "./nodeModules.js"
import { parametersOf } from "./nodeParameters.js"
import type { Mode, Program, ProgramCall, ProgramOptions, ProgramScript } from "./Program.js"

const require = createRequire(import.meta.url)

export const nodeProgram = (options: ProgramOptions): Effect.Effect<Program> =>
  Effect.gen(function* () {
    const interpreter = interpreterOf(options.command, options.arguments)
    const mains = options.scripts.map((script) => ({ script, file: fileOf(script.file) }))
    const typescript = interpreter.isNode ? yield* loadTypeScript : undefined
    const sources = mains.map(({ file, script }) => ({ file, text: script.text }))
    const modules = typescript === undefined ? [] : compileModules(typescript, sources)
    const mode = modeOf(options.mode, interpreter.isNode)
    const load = {
      mode,
      isNative: !interpreter.isNode,
      files: mains.map(({ file, script }) => ({
        file: script.file,
        main: file,
        functions: parametersOf(typescript, script),
        ...(interpreter.isNode ? {} : { text: script.text })
      })),
      modules
    }
    return {
      language: languageOf(options.scripts),
      command: interpreter.command,
      arguments: [...interpreter.arguments, require.resolve("@wield/scripts/runtime/node.mjs")],
      mode,
      load: lineOf(load),
      encodeCall: (call: ProgramCall) => Either.right(lineOf(call))
    }
  })

/** Only what is compiled here can be had anew in the same process. */
const modeOf = (mode: Mode, isNode: boolean): Mode => {
  if (mode === "fork") return isNode ? "reset" : "once"
  return mode === "reset" && !isNode ? "once" : mode
}

const languageOf = (scripts: ReadonlyArray<ProgramScript>): "typescript" | "javascript" =>
  scripts.some(({ file }) => /\.[mc]?ts$/i.test(basename(file))) ? "typescript" : "javascript"

/** Node knows a module by where it really is; a script may have been removed since it was read. */
const fileOf = (file: string): string => {
  const absolute = resolve(file)
  try {
    return realpathSync(absolute)
  } catch {
    return absolute
  }
}

const lineOf = (value: unknown): Uint8Array => Buffer.from(`${JSON.stringify(value)}\n`, "utf8")
