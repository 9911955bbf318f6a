/**
 * Outgoing HTTP with safe defaults.
 *
 * @since 0.1.0
 */

/** @since 0.1.0 */
export * as HttpGuard from "./HttpGuard.js"
/** @since 0.1.0 */
export * as Refusal from "./Refusal.js"
