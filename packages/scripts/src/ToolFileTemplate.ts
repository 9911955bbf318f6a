/**
 * Has a model write tool files: the instructions that it is given, and the
 * checker that takes its answer or says, in words to hand back, what is wrong.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isError, type Problem, ProblemSchema } from "@wield/core/Problem"
import type * as Checker from "./tool-template/check.js"
import { check as checked } from "./tool-template/check.js"
import { examples } from "./tool-template/examples.js"
import type * as Kinds from "./tool-template/Kind.js"
import * as Renderer from "./tool-template/render.js"

/**
 * What a model is asked to write: a file of Python functions
 * (`FunctionFile`), or a script in one of the languages.
 *
 * @category models
 */
export type Kind = Kinds.Kind

/**
 * What a model is asked for.
 *
 * @category models
 */
export interface Request extends Renderer.Request {}

/**
 * The instructions for a model, as Markdown: the wish, the rules of such files,
 * an example that `check` accepts, and how to answer.
 *
 * @category constructors
 */
export const instructions = (request: Request): string => Renderer.render(request)

/**
 * The file that the instructions show.
 *
 * @category constructors
 */
export const example = (kind: Kind): string => examples[kind]

/**
 * A file that can be saved as it is, and what was read of it. `warnings` keep
 * nothing from working, but a model can mend them.
 *
 * @category models
 */
export type Accepted = Checker.Accepted

/**
 * How an answer is checked.
 *
 * @category models
 */
export interface Checking extends Checker.Checking {}

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
  Effect.mapError(checked(answer, checking), (problems) => new RejectedToolFile({ problems }))
