/** Code mode: programs that call tools. */
export * as CodeMode from "./CodeMode.js"
export * as CodeModeError from "./CodeModeError.js"
export * as Declarations from "./Declarations.js"
export * as ProgramThreads from "./ProgramThreads.js"
