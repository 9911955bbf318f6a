/**
 * What is wrong with a manifest, or could be better, found without calling
 * anything: for editors, for a command line, for tests of a program's own files.
 */
import type * as Effect from "effect/Effect"
import type * as Linting from "./lint/Options.js"
import { lint as lintManifest } from "./lint/lint.js"
import type { Manifest } from "./Manifest.js"
import { place } from "./ManifestError.js"
import { isError, type Problem, toLines } from "./Problem.js"

/**
 * What you can give the linter besides the manifest.
 *
 * - `file`: the file that problems name; its extension decides between JSON and YAML.
 * - `files`: the texts of files of client tools, by their paths as `functions` has them.
 * - `executors`: those that the program gives in code, by the names of their APIs.
 * - `factories`: for other `apis` than those of REST and GraphQL; that of SQL
 *   checks configurations too (statements are checked without it).
 * - `handlers`: the names of the local tools that the program handles; any, unless given.
 * - `schemas`: GraphQL schemas (SDL or introspection) by the names of their APIs.
 * - `dialects`: the wire formats whose losses are reported; all eight unless given.
 *
 * @category models
 */
export interface Options extends Linting.Options {}

/**
 * All problems of a manifest, in the order of the file. There is an error among
 * them exactly if the file would not load with these executors and handlers;
 * what only the environment can tell (variables, addresses that come from them,
 * databases) is not looked at.
 *
 * A text that declares no APIs is checked by the look of its entries: a path is
 * REST, a query GraphQL or SQL.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Lint } from "@wield/manifest"
 * import { Effect } from "effect"
 *
 * const text = `[{
 *   "type": "api",
 *   "function": {
 *     "name": "advice_by_id",
 *     "description": "The advice of an id",
 *     "parameters": { "type": "object", "properties": { "slid_id": { "type": "string" } } }
 *   },
 *   "api": { "path": "/advice/{slip_id}", "method": "GET" }
 * }]`
 *
 * const problems = await Effect.runPromise(Lint.lint(text, { file: "advice.tools.json" }))
 * assert.match(Lint.toText(problems), /^advice\.tools\.json:8:29: error placeholder-without-parameter: .*slip_id/)
 * assert.strictEqual(Lint.exitCode(problems), 1)
 * ```
 *
 * @category linting
 */
export const lint = (input: string | Manifest, options: Options = {}): Effect.Effect<ReadonlyArray<Problem>> =>
  lintManifest(input, options)

/**
 * A line for each of the first hundred problems, `file:line:column: severity
 * rule: message`, and how many there are.
 *
 * @category rendering
 */
export const toText = (problems: ReadonlyArray<Problem>): string =>
  [...toLines(problems, toLine), summary(problems)].join("\n")

/**
 * One problem in one line.
 *
 * @category rendering
 */
export const toLine = (problem: Problem): string => {
  const [first = "", ...rest] = problem.message.split("\n")
  return [`${place(problem)}: ${problem.severity} ${problem.rule}: ${first}`, ...rest.map((line) => `  ${line}`)].join(
    "\n"
  )
}

/**
 * How many errors and warnings there are, in words.
 *
 * @category rendering
 */
export const summary = (problems: ReadonlyArray<Problem>): string => {
  const errors = problems.filter(isError).length
  return problems.length === 0
    ? "No problems"
    : `${counted(errors, "error")}, ${counted(problems.length - errors, "warning")}`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/**
 * The exit code of a command that lints: 1 where there is an error, or more
 * warnings than are allowed (any number unless given); else 0.
 *
 * @category rendering
 */
export const exitCode = (
  problems: ReadonlyArray<Problem>,
  options: { readonly maxWarnings?: number | undefined } = {}
): 0 | 1 => {
  const errors = problems.filter(isError).length
  return errors > 0 || problems.length - errors > (options.maxWarnings ?? Infinity) ? 1 : 0
}
