/**
 * Tools from Python, Bash, TypeScript and JavaScript files.
 *
 * @since 0.1.0
 */
export * as ExecutionError from "./ExecutionError.js"
export type * as ExecutionOptions from "./ExecutionOptions.js"
export * as Problem from "./Problem.js"
export type * as Script from "./Script.js"
export * as ScriptError from "./ScriptError.js"
