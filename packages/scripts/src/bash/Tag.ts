/** Comment tags, as argc has them: `# @option --name! <NOTATION> What it is`. */
import type { Place } from "@wield/core/Problem"

/** A value that stands there, or the function of the script that prints it. */
export type DefaultValue =
  | { readonly type: "value"; readonly value: string }
  | { readonly type: "function"; readonly name: string }

export type Choices =
  | { readonly type: "values"; readonly values: ReadonlyArray<string> }
  /** Where it is not validated (`?`), the values are suggestions. */
  | { readonly type: "function"; readonly name: string; readonly isValidated: boolean }

export interface ParameterTag {
  readonly tag: "option" | "flag" | "arg"
  /** As it is written, without its dashes. */
  readonly name: string
  /** With its dashes; absent where it is positional. */
  readonly word: string | undefined
  /** A short name beside it, with its dash. */
  readonly short: string | undefined
  readonly modifier: Modifier
  readonly default: DefaultValue | undefined
  readonly choices: Choices | undefined
  /** The environment variable that stands in where it is absent. */
  readonly variable: string | undefined
  readonly notations: ReadonlyArray<string>
  /** Of the last notation. */
  readonly repetition: "*" | "+" | "?" | undefined
  readonly description: string
  readonly place: Place
}

export interface Modifier {
  readonly isRequired: boolean
  /** It may be given many times. */
  readonly isMultiple: boolean
  /** What separates values in one word. */
  readonly delimiter: string | undefined
  /** It takes all that follows (`~`). */
  readonly isRest: boolean
  /** It is given as `--name<key>=<value>` (`%`). */
  readonly isMap: boolean
  /** A value follows the name at once (`-D-*`). */
  readonly isPrefix: boolean
}

export interface VariableTag extends Pick<ParameterTag, "name" | "default" | "choices" | "description" | "place"> {
  readonly tag: "env"
  readonly isRequired: boolean
}

export type Tag =
  | ParameterTag
  | VariableTag
  | { readonly tag: "meta"; readonly name: string; readonly value: string; readonly place: Place }
  | { readonly tag: "describe" | "cmd"; readonly text: string; readonly place: Place }
  | { readonly tag: "alias"; readonly names: ReadonlyArray<string>; readonly place: Place }
  /** It says nothing of a tool: what it means on a command line is lost on a model. */
  | { readonly tag: "version" | "author" | "help"; readonly place: Place }
