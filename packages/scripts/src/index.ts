/**
 * Tools from Python, Bash, TypeScript and JavaScript files.
 *
 * @since 0.1.0
 */

/** @since 0.1.0 */
export * as ExecutionError from "./ExecutionError.js"
/** @since 0.1.0 */
export type * as ExecutionOptions from "./ExecutionOptions.js"
/** @since 0.1.0 */
export * as FunctionFile from "./FunctionFile.js"
/** @since 0.1.0 */
export * as FunctionFolder from "./FunctionFolder.js"
/** @since 0.1.0 */
export * as Introspection from "./Introspection.js"
/** @since 0.1.0 */
export * as Problem from "@wield/core/Problem"
/** @since 0.1.0 */
export type * as Script from "./Script.js"
/** @since 0.1.0 */
export * as ScriptError from "./ScriptError.js"
/** @since 0.1.0 */
export * as ScriptExecutor from "./ScriptExecutor.js"
/** @since 0.1.0 */
export * as ScriptFolder from "./ScriptFolder.js"
/** @since 0.1.0 */
export * as Selection from "./Selection.js"
/** @since 0.1.0 */
export * as SelectionError from "./SelectionError.js"
/** @since 0.1.0 */
export * as ToolFileTemplate from "./ToolFileTemplate.js"
