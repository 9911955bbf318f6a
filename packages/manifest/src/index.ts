/**
 * Tools from JSON.
 */

export * as ExecutionError from "./ExecutionError.js"
export * as Executor from "./Executor.js"
export * as ExecutorFactory from "./ExecutorFactory.js"
export * as FromGraphQl from "./FromGraphQl.js"
export * as Manifest from "./Manifest.js"
export * as GraphQlExecutor from "./GraphQlExecutor.js"
export * as Lint from "./Lint.js"
export * as ManifestEntry from "./ManifestEntry.js"
export * as ManifestError from "./ManifestError.js"
export * as ManifestFile from "./ManifestFile.js"
export * as OpenApi from "./OpenApi.js"
export * as Problem from "./Problem.js"
export * as RestExecutor from "./RestExecutor.js"
export * as TypedTools from "./TypedTools.js"
export * as TypeScript from "./TypeScript.js"
