/**
 * Tools from JSON.
 *
 * @since 0.1.0
 */

/** @since 0.1.0 */
export * as ExecutionError from "./ExecutionError.js"
/** @since 0.1.0 */
export * as Executor from "./Executor.js"
/** @since 0.1.0 */
export * as ExecutorFactory from "./ExecutorFactory.js"
/** @since 0.1.0 */
export * as FromGraphQl from "./FromGraphQl.js"
/** @since 0.1.0 */
export * as Manifest from "./Manifest.js"
/** @since 0.1.0 */
export * as GraphQlExecutor from "./GraphQlExecutor.js"
/** @since 0.1.0 */
export * as Lint from "./Lint.js"
/** @since 0.1.0 */
export * as ManifestEntry from "./ManifestEntry.js"
/** @since 0.1.0 */
export * as ManifestError from "./ManifestError.js"
/** @since 0.1.0 */
export * as ManifestFile from "./ManifestFile.js"
/** @since 0.1.0 */
export * as OpenApi from "./OpenApi.js"
/** @since 0.1.0 */
export * as Problem from "./Problem.js"
/** @since 0.1.0 */
export * as RestExecutor from "./RestExecutor.js"
/** @since 0.1.0 */
export * as TypedTools from "./TypedTools.js"
/** @since 0.1.0 */
export * as TypeScript from "./TypeScript.js"
