/**
 * Scripted models, recorded exchanges and laws, for tests of tools.
 *
 * @since 0.1.0
 */

/** @since 0.1.0 */
export * as FunctionModel from "./FunctionModel.js"
/** @since 0.1.0 */
export * as Laws from "./Laws.js"
/** @since 0.1.0 */
export * as OutcomeAssertions from "./OutcomeAssertions.js"
/** @since 0.1.0 */
export * as Recorded from "./Recorded.js"
/** @since 0.1.0 */
export * from "./RecordingError.js"
/** @since 0.1.0 */
export * as ScriptedModel from "./ScriptedModel.js"
/** @since 0.1.0 */
export * from "./ScriptError.js"
/** @since 0.1.0 */
export * as ToolCalls from "./ToolCalls.js"
