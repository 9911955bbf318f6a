/** Child processes that end with all that they have started. */

export * as Environment from "./Environment.js"
export * as Guardian from "./Guardian.js"
export * as LineProcess from "./LineProcess.js"
export * as Lines from "./Lines.js"
export * as NodeProcess from "./NodeProcess.js"
export * as Pipes from "./Pipes.js"
export * as Process from "./Process.js"
export * as ProcessGuard from "./ProcessGuard.js"
export * as ProcessTable from "./ProcessTable.js"
export * as SharedFile from "./SharedFile.js"
export * as Tail from "./Tail.js"
