/**
 * Tools from Python, Bash, TypeScript and JavaScript files.
 *
 * @since 0.1.0
 */

/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
/** @since 0.1.0 */
export * as ActiveToolsets from "./ActiveToolsets.js"
export * as ExecutionError from "./ExecutionError.js"
export type * as ExecutionOptions from "./ExecutionOptions.js"
export * as FunctionFile from "./FunctionFile.js"
export * as FunctionFolder from "./FunctionFolder.js"
export * as Introspection from "./Introspection.js"
export * as Problem from "./Problem.js"
export type * as Script from "./Script.js"
export * as ScriptError from "./ScriptError.js"
export * as ScriptExecutor from "./ScriptExecutor.js"
export * as ScriptFolder from "./ScriptFolder.js"
export * as Selection from "./Selection.js"
export * as SelectionError from "./SelectionError.js"
export * as ToolFileTemplate from "./ToolFileTemplate.js"
export * as ToolsetExport from "./ToolsetExport.js"
export * as ToolsetFile from "./ToolsetFile.js"
export * as ToolsetManager from "./ToolsetManager.js"
export * as ToolsetManagerError from "./ToolsetManagerError.js"
