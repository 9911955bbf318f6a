/** How a Bash function gets its arguments: introspection makes it, `program.ts` uses it. */
import type { EnvironmentVariable } from "../Script.js"

export interface Binding {
  /** Whether the script can start its entry itself, so that it is watched whether it does. */
  readonly isWatched: boolean
  /** Whether nothing that the script does before the call can change variables of arguments, or define functions. */
  readonly isPlain: boolean
  /** Whether the script does nothing else than to define functions and to set options, so that it can be read ahead. */
  readonly definesOnly: boolean
  /** Whether it defines `_argc_before` or `_argc_after`. */
  readonly hasHooks: boolean
  /** The word that names the command on a command line; absent for the script itself. */
  readonly command: string | undefined
  /** In the order of the declaration. */
  readonly parameters: ReadonlyArray<BoundParameter>
  readonly environment: ReadonlyArray<BoundVariable>
}

export interface BoundParameter {
  /** As the model sends it: the shell's variable is `argc_` and this. */
  readonly name: string
  /**
   * - `single`: one value.
   * - `list`: an array of values.
   * - `map`: an associative array (`%`).
   * - `flag`: 1 where it is true, unset otherwise.
   * - `counter`: how often the flag was given, unset for 0.
   */
  readonly kind: "single" | "list" | "map" | "flag" | "counter"
  /** As it is written on a command line (`--dry-run`); absent where the argument is positional. */
  readonly word: string | undefined
  /** What stands between the word and a value; or how many values follow it, each a word of its own. */
  readonly joint: "=" | "" | number
  /** As messages name it: `<CITY>`. */
  readonly shown: string
  /** What it is where it is absent, letter for letter. */
  readonly default: ReadonlyArray<string> | undefined
  /** The script's function that prints what it is where it is absent. */
  readonly defaultFunction: string | undefined
  /** The script's function that prints the values it may have, a line each. */
  readonly choicesFunction: string | undefined
  /** The environment variable that stands in where it is absent; `delimiter` separates a list's values. */
  readonly variable:
    | {
        readonly name: string
        readonly delimiter: string | undefined
        readonly isRequired: boolean
        /** Where the script lists them; a call's arguments have been checked by the schema. */
        readonly choices: ReadonlyArray<string>
      }
    | undefined
}

export interface BoundVariable extends Omit<EnvironmentVariable, "description" | "place"> {
  readonly defaultFunction: string | undefined
  readonly choicesFunction: string | undefined
}
