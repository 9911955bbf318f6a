/**
 * The program that serves calls of TypeScript and JavaScript scripts. In Node,
 * scripts and what they import by relative path are compiled here, once, and
 * evaluated there, again for each call; Bun and Deno import them themselves.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, resolve } from "node:path"
import { lineOf, type Mode, type Program, type ProgramOptions, type ProgramScript } from "../worker/Program.js"
import * as Predicate from "effect/Predicate"
import type { Parameter } from "../Script.js"

const require = createRequire(import.meta.url)

export const nodeProgram = (options: ProgramOptions): Effect.Effect<Program> =>
  Effect.gen(function* () {
    const interpreter = interpreterOf(options.command, options.arguments)
    const { isNode } = interpreter
    const mains = options.scripts.map((script) => ({ script, file: fileOf(script.file) }))
    // The compiler takes some 200 ms to be imported, so it is only imported to compile.
    const compiler = isNode ? yield* Effect.promise(() => import("./compile.js")) : undefined
    const mode = modeOf(options.mode, isNode)
    const load = {
      mode,
      isNative: !isNode,
      files: mains.map(({ file, script }) => ({
        file: script.file,
        main: file,
        functions: parametersOf(script, compiler?.optionalParameters),
        ...(isNode ? {} : { text: script.text })
      })),
      modules: compiler?.compileModules(mains.map(({ file, script }) => ({ file, text: script.text }))) ?? []
    }
    return {
      command: interpreter.command,
      arguments: [...interpreter.arguments, require.resolve("@wield/scripts/runtime/node.mjs")],
      mode,
      needsPipes: interpreter.needsPipes,
      load: lineOf(load),
      encodeCall: (call: unknown) => Either.right(lineOf(call))
    }
  })

/** Only what is compiled here can be evaluated again in the same process. */
const modeOf = (mode: Mode, isNode: boolean): Mode => {
  if (mode === "fork") return isNode ? "reset" : "once"
  return mode === "reset" && !isNode ? "once" : mode
}

/** Node knows a module by where it really is; a script may have been removed since it was read. */
const fileOf = (file: string): string => {
  const absolute = resolve(file)
  try {
    return realpathSync(absolute)
  } catch {
    return absolute
  }
}

/** What is started for the interpreter that a script names. Bun and Deno compile scripts themselves. */
const interpreterOf = (command: string, flags: ReadonlyArray<string>) => {
  switch (
    basename(command)
      .replace(/\.exe$/i, "")
      .toLowerCase()
  ) {
    // A starter with its own loader takes descriptor 3, which Wield needs.
    case "tsx":
    case "ts-node":
    case "npx":
      return { command: process.execPath, arguments: [], isNode: true, needsPipes: false }
    case "bun":
      return { command, arguments: flags.length === 0 ? ["run"] : flags, isNode: false, needsPipes: false }
    case "deno":
      return {
        command,
        arguments: flags.length === 0 ? ["run", "--allow-all"] : flags,
        isNode: false,
        needsPipes: true
      }
    default:
      return { command, arguments: flags, isNode: true, needsPipes: false }
  }
}

/**
 * `unit: "C" | null` need not be sent, and is null then. With `?` or a default it
 * is undefined, so that the default applies: the schema has only those defaults
 * that are constants, so the source is asked.
 */
const parametersOf = (
  { file, functions, text }: ProgramScript,
  ask: ((file: string, text: string) => ReadonlyMap<string, ReadonlySet<string>>) | undefined
) => {
  const isAsked = functions.some(({ parameters }) => parameters.some(isNullWhenAbsent))
  const optional = isAsked ? ask?.(file, text) : undefined
  return Object.fromEntries(
    functions.map(({ entry, parameters, passing }) => {
      const isNull = (parameter: Parameter) =>
        isNullWhenAbsent(parameter) && optional?.get(entry)?.has(parameter.name) !== true
      const named = parameters.map((parameter) => ({
        name: parameter.name,
        ...(isNull(parameter) ? { isNullWhenAbsent: true } : {})
      }))
      return [entry, { passing, parameters: named }]
    })
  )
}

const isNullWhenAbsent = ({ isRequired, schema }: Parameter): boolean =>
  !isRequired && !Object.hasOwn(schema, "default") && isNullable(schema)

const isNullable = (schema: unknown): boolean => {
  if (!Predicate.isRecord(schema)) return false
  const { anyOf, enum: values, type } = schema
  return (
    type === "null" ||
    (Array.isArray(type) && type.includes("null")) ||
    (Array.isArray(values) && values.includes(null)) ||
    (Array.isArray(anyOf) && anyOf.some(isNullable))
  )
}
