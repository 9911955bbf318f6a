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
import { compileModules, loadTypeScript } from "./compile.js"
import type { Mode, Program, ProgramCall, ProgramOptions, ProgramScript } from "../worker/Program.js"
import * as Predicate from "effect/Predicate"
import type ts from "typescript"
import type { TypeScript } from "./reading.js"
import type { Parameter, ScriptFunction } from "../Script.js"

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

/** Only what is compiled here can be evaluated again in the same process. */
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

interface Interpreter {
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  /** Whether it evaluates what was compiled here; Bun and Deno compile themselves. */
  readonly isNode: boolean
}

/** What is started for the interpreter that a script names. */
const interpreterOf = (command: string, flags: ReadonlyArray<string>): Interpreter => {
  switch (
    basename(command)
      .replace(/\.exe$/i, "")
      .toLowerCase()
  ) {
    // A starter with its own loader takes descriptor 3, which Wield needs.
    case "tsx":
    case "ts-node":
      return { command: process.execPath, arguments: [], isNode: true }
    case "npx":
      return { command: process.execPath, arguments: [], isNode: true }
    case "bun":
      return { command, arguments: flags.length === 0 ? ["run"] : flags, isNode: false }
    case "deno":
      return { command, arguments: flags.length === 0 ? ["run", "--allow-all"] : flags, isNode: false }
    default:
      return { command, arguments: flags, isNode: true }
  }
}

/**
 * `unit: "C" | null` need not be sent, and is null then. With `?` or a default it
 * is undefined, so that the default applies: the schema has only those defaults
 * that are constants, so the source is asked.
 */
const parametersOf = (typescript: TypeScript | undefined, { file, functions, text }: ProgramScript) => {
  const isAsked = functions.some(({ parameters }) => parameters.some(isNullWhenAbsent))
  const optional =
    typescript !== undefined && isAsked ? optionalParameters(typescript, file, text) : new Map<string, Set<string>>()
  return Object.fromEntries(
    functions.map((called: ScriptFunction) => [
      called.entry,
      {
        passing: called.passing,
        parameters: called.parameters.map((parameter) => ({
          name: parameter.name,
          ...(isNullWhenAbsent(parameter) && optional.get(called.entry)?.has(parameter.name) !== true
            ? { isNullWhenAbsent: true }
            : {})
        }))
      }
    ])
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

/** By function, its parameters that have `?` or a default. */
const optionalParameters = (typescript: TypeScript, file: string, text: string): Map<string, Set<string>> => {
  const found = new Map<string, Set<string>>()
  const add = (name: string, parameters: ReadonlyArray<ts.ParameterDeclaration>) => {
    const optional = parameters.filter(
      ({ initializer, questionToken }) => initializer !== undefined || questionToken !== undefined
    )
    found.set(name, new Set(optional.flatMap((each) => (typescript.isIdentifier(each.name) ? [each.name.text] : []))))
  }
  for (const statement of typescript.createSourceFile(file, text, typescript.ScriptTarget.ES2022).statements) {
    if (typescript.isFunctionDeclaration(statement) && statement.name !== undefined) {
      add(statement.name.text, statement.parameters)
    }
  }
  return found
}
