/**
 * Durable conversations over one file or many machines.
 */
export * as AgentClient from "./AgentClient.js"
export * as AgentEntity from "./AgentEntity.js"
export * as Cluster from "./Cluster.js"
export * as DurableCall from "./DurableCall.js"
export * as Retention from "./Retention.js"
export * as RunEvent from "./RunEvent.js"
export * as RunResult from "./RunResult.js"
export * as Runs from "./Runs.js"
export * as Schedule from "./Schedule.js"
