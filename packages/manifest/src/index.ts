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
export * as ManifestEntry from "./ManifestEntry.js"
/** @since 0.1.0 */
export * as Problem from "./Problem.js"
