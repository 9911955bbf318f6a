/** Named sets of tools, one active in each conversation. */

export * as ActiveToolsets from "./ActiveToolsets.js"
export * as ToolsetExport from "./ToolsetExport.js"
export * as ToolsetFile from "./ToolsetFile.js"
export * as ToolsetManager from "./ToolsetManager.js"
export * as ToolsetManagerError from "./ToolsetManagerError.js"
