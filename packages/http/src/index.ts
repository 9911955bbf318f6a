/** Outgoing HTTP with safe defaults. */

export * as HttpGuard from "./HttpGuard.js"
export * as Refusal from "./Refusal.js"
