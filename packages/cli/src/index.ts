/** The `wield` command, and the configuration that it reads. */

export { type Config, defineConfig } from "./Config.js"
export * as Cli from "./Cli.js"
export * as Diff from "./Diff.js"
export * as ExitCode from "./ExitCode.js"
export * as Replay from "./Replay.js"
export * as ToolLint from "./ToolLint.js"
