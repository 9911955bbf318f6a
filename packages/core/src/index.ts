/**
 * Declare a tool once; any model, from any provider, can wield it.
 *
 * @since 0.1.0
 */

/** @since 0.1.0 */
export * as Approval from "./Approval.js"
/** @since 0.1.0 */
export * as CallContext from "./CallContext.js"
/** @since 0.1.0 */
export * as Content from "./Content.js"
/** @since 0.1.0 */
export * as CurrentCall from "./CurrentCall.js"
/** @since 0.1.0 */
export * as CurrentRun from "./CurrentRun.js"
/** @since 0.1.0 */
export * as Facts from "./Facts.js"
/** @since 0.1.0 */
export * as Hidden from "./Hidden.js"
/** @since 0.1.0 */
export * as Issue from "./Issue.js"
/** @since 0.1.0 */
export * as Journal from "./Journal.js"
/** @since 0.1.0 */
export * from "./JournalError.js"
/** @since 0.1.0 */
export * as Json from "./Json.js"
/** @since 0.1.0 */
export * as JsonSchema from "./JsonSchema.js"
/** @since 0.1.0 */
export * from "./JsonSchemaError.js"
/** @since 0.1.0 */
export * as Loss from "./Loss.js"
/** @since 0.1.0 */
export * as Message from "./Message.js"
/** @since 0.1.0 */
export * as Metrics from "./Metrics.js"
/** @since 0.1.0 */
export * as NearestNames from "./NearestNames.js"
export * as Note from "./Note.js"
/** @since 0.1.0 */
export * as Outcome from "./Outcome.js"
/** @since 0.1.0 */
export * as Policy from "./Policy.js"
/** @since 0.1.0 */
export * as Problem from "./Problem.js"
export * as Secret from "./Secret.js"
/** @since 0.1.0 */
export * as ShadowTool from "./ShadowTool.js"
/** @since 0.1.0 */
export * as Time from "./Time.js"
/** @since 0.1.0 */
export * as ToolCall from "./ToolCall.js"
/** @since 0.1.0 */
export * as Response from "./Response.js"
/** @since 0.1.0 */
export * from "./ResponseError.js"
/** @since 0.1.0 */
export * from "./ToolCallError.js"
/** @since 0.1.0 */
export * as ToolDefinition from "./ToolDefinition.js"
/** @since 0.1.0 */
export * as ToolResult from "./ToolResult.js"
/** @since 0.1.0 */
export * as ToolRunner from "./ToolRunner.js"
/** @since 0.1.0 */
export * as Toolset from "./Toolset.js"
/** @since 0.1.0 */
export * from "./ToolsetError.js"
/** @since 0.1.0 */
export * as Turn from "./Turn.js"
/** @since 0.1.0 */
export * as TurnEvent from "./TurnEvent.js"
