/** Scripted models, recorded exchanges and laws, for tests of tools. */

export * as FunctionModel from "./FunctionModel.js"
export * as Laws from "./Laws.js"
export * as OutcomeAssertions from "./OutcomeAssertions.js"
export * as Recorded from "./Recorded.js"
export * from "./RecordingError.js"
export * as ScriptedModel from "./ScriptedModel.js"
export * from "./ScriptedModelError.js"
export * as ToolCalls from "./ToolCalls.js"
