/** A script: what its source says of the tools that it has. It is read, never run, to know this. */
import type { Json } from "@wield/core"
import type { Binding } from "./bash/Binding.js"
import type { Place, Problem } from "@wield/core/Problem"

/**
 * The language that a script is written in, by its extension: `.py`,
 * `.sh`, `.ts` (`.mts`), `.js` (`.mjs`, `.cjs`).
 *
 * @category models
 */
export type Language = "python" | "bash" | "typescript" | "javascript"

/**
 * One parameter of a function, as the source declares it.
 *
 * @category models
 */
export interface Parameter {
  /** As the function has it, and as the model sends it. */
  readonly name: string
  /** JSON Schema of the value, with its description and default. */
  readonly schema: Json.JsonSchema
  readonly isRequired: boolean
}

/**
 * One function of a script that is a tool: `run`, a public function of a file
 * of several, or a command of a Bash script.
 *
 * @category models
 */
export interface ScriptFunction {
  /** The tool's name: the file's stem for `run`, otherwise the function's. */
  readonly name: string
  /** What is called in the file: `run`, `get_ipinfo`. In Bash, the function, `main` where there are no commands. */
  readonly entry: string
  /** What the model reads, without the descriptions of parameters. */
  readonly description: string
  /** In the order of the declaration. */
  readonly parameters: ReadonlyArray<Parameter>
  /** JSON Schema (2020-12) of the arguments, made of the parameters and of the types they name. */
  readonly inputSchema: Json.JsonSchema
  /** How the arguments are given: each on its own, or all as one object (`run(data)` in JavaScript). */
  readonly passing: "named" | "object"
  readonly place: Place
  /** How Bash is given the arguments, as the comment tags say; absent in other languages. */
  readonly binding?: Binding | undefined
}

/**
 * An environment variable that a script declares (`@env` in Bash).
 *
 * @category models
 */
export interface EnvironmentVariable {
  readonly name: string
  readonly description: string | undefined
  readonly isRequired: boolean
  readonly default: string | undefined
  /** The values it may have; absent where it may have any. */
  readonly choices: ReadonlyArray<string> | undefined
  readonly place: Place
}

/**
 * A script as its source has it.
 *
 * @category models
 */
export interface Script {
  /** The path it was read from. */
  readonly file: string
  readonly language: Language
  /** The source, as it was read. */
  readonly text: string
  readonly functions: ReadonlyArray<ScriptFunction>
  /** Warnings, and errors of functions that were left out for them. */
  readonly problems: ReadonlyArray<Problem>
  /** The command of the first line, where it begins with `#!`: `["/usr/bin/env", "-S", "python3", "-O"]` split. */
  readonly shebang: ReadonlyArray<string> | undefined
  /** Programs that must be on the path (`@meta require-tools` in Bash). */
  readonly requiredTools: ReadonlyArray<string>
  readonly environment: ReadonlyArray<EnvironmentVariable>
}
