/** The `wield` command. */

export * as Cli from "./Cli.js"
