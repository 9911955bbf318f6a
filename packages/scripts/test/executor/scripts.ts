/** Scripts as introspection would read them, for tests of how they are run. */
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ExecutionOptions } from "../../src/ExecutionOptions.js"
import type { Language, Script, ScriptFunction } from "../../src/Script.js"
import * as ScriptExecutor from "../../src/ScriptExecutor.js"

const extensions: { readonly [language in Language]: string } = {
  python: "py",
  bash: "sh",
  typescript: "ts",
  javascript: "js"
}

const place = { line: 1, column: 1 }

export interface ScriptOptions extends Partial<Script> {
  /** The tool's name. */
  readonly name?: string
  /** Its function, unless it is the one that scripts of one tool have. */
  readonly entry?: string
  readonly parameters?: ReadonlyArray<string>
  readonly folder?: string
}

export const makeScript = (
  language: Language,
  text: string,
  {
    entry = language === "bash" ? "main" : "run",
    folder = join(tmpdir(), "no-such-root", "tools"),
    name = "tool",
    parameters = [],
    ...rest
  }: ScriptOptions = {}
): { readonly script: Script; readonly scriptFunction: ScriptFunction } => {
  const scriptFunction: ScriptFunction = {
    name,
    entry,
    description: "A tool.",
    parameters: parameters.map((parameter) => ({ name: parameter, schema: {}, isRequired: true })),
    inputSchema: {},
    passing: "named",
    place
  }
  const script: Script = {
    file: join(folder, `${name}.${extensions[language]}`),
    language,
    text,
    functions: [scriptFunction],
    problems: [],
    shebang: undefined,
    requiredTools: [],
    environment: [],
    ...rest
  }
  return { script, scriptFunction }
}

/** Processes whose environment has a variable; the executor of one test sets one of its own. */
export const processesWith = (variable: string): ReadonlyArray<{ readonly pid: number; readonly command: string }> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, "latin1").split("\0")
        const command = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ")
        return environment.includes(variable) ? [{ pid: Number(name), command }] : []
      } catch {
        // It has ended since the folder was listed.
        return []
      }
    })

/** Tries again, by the machine's clock, until something is so. */
export const eventually = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10))
  })

let count = 0

/** An executor whose processes and temporary files can be counted, also when it is closed. */
export const makeExecutor = (options: ExecutionOptions = {}) =>
  Effect.gen(function* () {
    const variable = `WIELD_TEST=${process.pid}-${count++}`
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-test-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const tools = join(folder, "root", "tools")
    mkdirSync(tools, { recursive: true })
    const executor = yield* ScriptExecutor.make({
      ...options,
      environment: {
        ...options.environment,
        set: { ...options.environment?.set, WIELD_TEST: variable.slice("WIELD_TEST=".length) }
      }
    })
    return {
      executor,
      /** Where its scripts are. */
      tools,
      processes: () => processesWith(variable),
      run: (
        language: Language,
        text: string,
        parameters: { readonly [name: string]: string | number | boolean | null } = {},
        scriptOptions: ScriptOptions = {}
      ) => {
        const made = makeScript(language, text, {
          folder: tools,
          parameters: Object.keys(parameters),
          ...scriptOptions
        })
        return executor.run(made.script, made.scriptFunction, parameters)
      }
    }
  })
