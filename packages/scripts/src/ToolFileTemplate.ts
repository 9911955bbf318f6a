/**
 * Has a model write tool files: the instructions that it is given, and the
 * checker that takes its answer or says, in words to hand back, what is wrong.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { aText, type Checks, fields, holds, oneOf, orThrow } from "@wield/core/Options"
import { isError, type Problem, ProblemSchema } from "@wield/core/Problem"
import type { FunctionFile } from "./FunctionFile.js"
import type { Language, Script } from "./Script.js"
import { check as checked, namings } from "./tool-template/check.js"
import { examples } from "./tool-template/examples.js"

/**
 * What a model is asked to write: a file of Python functions
 * (`FunctionFile`), or a script in one of the languages.
 *
 * @category models
 */
export type Kind = "function-file" | Language

/**
 * What a model is asked for.
 *
 * @category models
 */
export interface Request {
  readonly kind: Kind
  /** What the tool shall do, in a person's words. */
  readonly wish: string
  /** Names that other tools have already. */
  readonly taken?: Iterable<string> | undefined
  /** The name of the file without its extension, and so of the tool that a script is; the model finds one unless given. */
  readonly name?: string | undefined
}

/**
 * The instructions for a model, as Markdown: the wish, the rules of such files,
 * an example that `check` accepts, and how to answer.
 *
 * @category constructors
 */
export const instructions = (request: Request): string => {
  orThrow(fields({ ...checks, wish: aText } satisfies Checks<Request>, ["kind", "wish"])(request), "What is asked for")
  const { kind, name, taken = [], wish } = request
  const { extension, mark, title } = namings[kind]
  const names = [...new Set(taken)].toSorted()
  const isScript = kind !== "function-file"
  const named =
    name === undefined ? `a short name of your choice that ends in \`${extension}\`` : `\`${name}${extension}\``
  return [
    `Write a tool for a language model: ${title}. This is what it shall do:`,
    quoted(wish),
    "## What the file has to be like",
    [
      ...rules[kind],
      "A description tells the model WHEN to use the tool, not only what it does; where there is a better tool for something, it says so.",
      nameRule(isScript, names)
    ]
      .map((rule) => `- ${rule}`)
      .join("\n"),
    "## An example",
    fenced(examples[kind], mark),
    "## Your answer",
    `First one line, \`File: \` and the file's name: ${named}${isScript ? ", which is also the tool's name" : ""}. Then the complete file, ready to be saved, in one code block. Nothing else.`
  ]
    .join("\n\n")
    .concat("\n")
}

/**
 * The file that the instructions show.
 *
 * @category constructors
 */
export const example = (kind: Kind): string => {
  orThrow(aKind(kind), "The kind of a tool file")
  return examples[kind]
}

/**
 * A file that can be saved as it is, and what was read of it. `warnings` keep
 * nothing from working, but a model can mend them.
 *
 * @category models
 */
export type Accepted =
  | (AcceptedFile & { readonly kind: "function-file"; readonly content: FunctionFile })
  | (AcceptedFile & { readonly kind: "script"; readonly content: Script })

interface AcceptedFile {
  /** Its name, with the extension. */
  readonly file: string
  readonly text: string
  readonly warnings: ReadonlyArray<Problem>
}

/**
 * How an answer is checked.
 *
 * @category models
 */
export interface Checking {
  readonly kind: Kind
  /** Names that other tools have already. */
  readonly taken?: Iterable<string> | undefined
  /** The name of the file without its extension; the one that the model gave it unless given. */
  readonly name?: string | undefined
}

/**
 * What a model wrote is no tool file. The message is meant for the model: it
 * says what is wrong, where, and asks for the file again.
 *
 * @category errors
 */
export class RejectedToolFile extends Schema.TaggedError<RejectedToolFile>("@wield/scripts/RejectedToolFile")(
  "RejectedToolFile",
  { problems: Schema.Array(ProblemSchema) }
) {
  override get message(): string {
    const errors = this.problems.filter(isError)
    return [
      `The file cannot be used yet. Correct ${errors.length === 1 ? "this" : `these ${errors.length} mistakes`}, and answer with the complete file again:`,
      ...errors.map(toLine),
      ...this.problems.filter((problem) => !isError(problem)).map((problem) => `${toLine(problem)} (would be better)`)
    ].join("\n")
  }
}

/** As a model counts: lines of the file, not of its answer. */
const toLine = ({ message, place }: Problem): string =>
  place === undefined ? `- ${message}` : `- line ${place.line}, column ${place.column}: ${message}`

/**
 * What a model has answered, as a tool file: the code block is taken where there
 * is one. The file is read, never run. Fails with words to hand back to the
 * model.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolFileTemplate } from "@wield/scripts"
 * import { Effect } from "effect"
 *
 * const answer = [
 *   "File: roll_dice.py",
 *   "```python",
 *   'TOOLS = [{"type": "function", "function": {"name": "roll_dice", "description": "Rolls dice"}}]',
 *   "",
 *   "def execute(function_name, arguments):",
 *   '    return "4", True',
 *   "```"
 * ].join("\n")
 *
 * const program = Effect.flip(ToolFileTemplate.check(answer, { kind: "function-file" }))
 * Effect.runPromise(program).then(({ message }) =>
 *   assert.deepStrictEqual(message.split("\n"), [
 *     "The file cannot be used yet. Correct this, and answer with the complete file again:",
 *     "- line 3, column 1: execute is called with a function's name, its arguments and a configuration, but takes 2 parameters; make it def execute(function_name, arguments, config)"
 *   ])
 * )
 * ```
 *
 * @category conversions
 */
export const check = (answer: string, checking: Checking): Effect.Effect<Accepted, RejectedToolFile> =>
  Effect.suspend(() => {
    orThrow(aText(answer), "The answer of a model")
    orThrow(fields(checks, ["kind"])(checking), "How a tool file is checked")
    return Effect.mapError(checked(answer, checking), (problems) => new RejectedToolFile({ problems }))
  })

const aKind = oneOf(...Object.keys(namings))

// Of a name that is misspelt, a taken name would be given again.
const checks = {
  kind: aKind,
  taken: holds("a list of names", (given) => typeof given === "object" && Predicate.isIterable(given)),
  name: aText
} satisfies Checks<Checking>

const nameRule = (isScript: boolean, taken: ReadonlyArray<string>): string => {
  const rule = `${isScript ? "The file's name" : "Each function's name"} is a verb and its object in small letters, joined by \`_\`.`
  return taken.length === 0 ? rule : `${rule} These names are taken: ${taken.map((name) => `\`${name}\``).join(", ")}.`
}

/** Each line is marked, so that no line of the wish is read as one of the instructions. */
const quoted = (wish: string): string =>
  wish
    .trim()
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n")

const fenced = (code: string, mark: string): string => `\`\`\`${mark}\n${code}\`\`\``

const functionFile = [
  "`ENABLED`, `AVAILABLE_FUNCTIONS` and `TOOLS` are literals at the top of the module: they are read without running the file.",
  "Each entry of `TOOLS` is a function in the schema of OpenAI: `type`, and `function` with `name`, `description` and `parameters`. Each name in `AVAILABLE_FUNCTIONS` has its entry.",
  '`parameters` is a JSON Schema of an object. Each property has a `type` (`string`, `integer`, `number`, `boolean`, `array` with `items`, `object`) and a `description`; `required` names those that cannot be left out, and the others have a `default`. A function without parameters has `{"type": "object", "properties": {}, "required": []}`.',
  "`network` is `True` for a function that reaches beyond this machine, otherwise `False`. `is_local` is `True` where nothing it is given leaves this machine, otherwise `False`.",
  "`execute(function_name, arguments, config)` runs them all. `arguments` has been checked against the schema and has only what was given: read what may be left out with `arguments.get(name, default)`. Check what a schema cannot say.",
  '`execute` always returns a pair: `("what the model shall read", True)` when it worked, also when there is nothing to tell of (`"No results for x"`); `("what is wrong, and what the model can do", False)` when it did not.',
  "Nothing runs when the file is imported. What takes long to import is imported inside `execute`.",
  "`execute` is no `async` function, prints nothing and never waits for input."
]

const python = [
  "The tool is `def run(...)`; whatever else the file has begins with `_` or is imported. There is no `*args` and no `**kwargs`.",
  "Every parameter has a type: `str`, `int`, `float`, `bool`, `list[...]`, `dict[str, ...]`, `Literal[...]`, a `TypedDict` or a dataclass, `T | None`. What can be left out has a default.",
  "The docstring says what the tool does and when to use it; below `Args:` it describes each parameter.",
  "What `run` returns is the result: a text, or anything that JSON can say. What is wrong is raised, with a message that helps the model.",
  "Nothing runs when the file is imported."
]

const bash = [
  'The tool is the function `main`, and the last line is `eval "$(argc --argc-eval "$0" "$@")"`.',
  "`# @describe` says what the tool does and when to use it. Each parameter is a comment: `# @option --name! <INT>  What it is`. `!` is required, `*` takes several, `+` several but at least one, `=value` a default, `[a|b]` only these; `<INT>` is an integer, `<NUM>` a number, without either it is a text. `# @flag --name  What it turns on` is true or false.",
  "Values arrive as variables: `--some-name` as `$argc_some_name`, several as an array. They are anything a person can write: put them in quotes, and never `eval` them.",
  'What is written to `"$LLM_OUTPUT"` is the result. What is wrong goes to standard error, and ends with an exit code that is not 0.',
  "Programs beside those of every system are named: `# @meta require-tools jq,curl`."
]

const typescript = [
  "The tool is `export function run(...)` (or `export async function`), no arrow function. There are no rest parameters and no destructured ones.",
  'Every parameter has a type that JSON can say: `string`, `number`, `boolean`, `T[]`, `Record<string, T>`, `"a" | "b"`, an interface of the file, `T | null`. What can be left out has a default or a `?`.',
  "The JSDoc comment right above `run` says what the tool does and when to use it; `@param name` describes each parameter.",
  "What `run` returns is the result: a text, or anything that JSON can say. What is wrong is thrown, with a message that helps the model.",
  "Only modules of Node are imported, unless the wish names others. Nothing runs when the file is imported."
]

const javascript = [
  "The tool is `export function run(...)` (or `export async function`), no arrow function. There are no rest parameters.",
  'The JSDoc comment right above `run` says what the tool does and when to use it, and of each parameter its type and what it is: `@param {string} name What it is`; `{integer}`, `{number}`, `{boolean}`, `{string[]}`, `{"a"|"b"}`; `[name]` where it can be left out.',
  "What `run` returns is the result: a text, or anything that JSON can say. What is wrong is thrown, with a message that helps the model.",
  "Only modules of Node are imported, unless the wish names others. Nothing runs when the file is imported."
]

/** The rules for a file of each kind: those that the checker knows, and those that a person would look for. */
const rules: { readonly [kind in Kind]: ReadonlyArray<string> } = {
  "function-file": functionFile,
  python,
  bash,
  typescript,
  javascript
}
