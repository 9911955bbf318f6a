/** Outgoing HTTP with safe defaults, and what a local server checks of a request. */

export * as HttpGuard from "./HttpGuard.js"
export * as Refusal from "./Refusal.js"
export * as RequestGuard from "./RequestGuard.js"
export * as WebServer from "./WebServer.js"
