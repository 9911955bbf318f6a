/**
 * Tools from Python, Bash, TypeScript and JavaScript files.
 */

export * as ExecutionError from "./ExecutionError.js"
export type * as ExecutionOptions from "./ExecutionOptions.js"
export * as FunctionFile from "./FunctionFile.js"
export * as FunctionFolder from "./FunctionFolder.js"
export * as Introspection from "./Introspection.js"
export * as Problem from "@wield/core/Problem"
export type * as Script from "./Script.js"
export * as ScriptError from "./ScriptError.js"
export * as ScriptExecutor from "./ScriptExecutor.js"
export * as ScriptFolder from "./ScriptFolder.js"
export * as Selection from "./Selection.js"
export * as SelectionError from "./SelectionError.js"
export * as ToolFileTemplate from "./ToolFileTemplate.js"
