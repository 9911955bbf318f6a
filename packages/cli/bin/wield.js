#!/usr/bin/env node
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Cli } from "@wield/cli"
import { Effect } from "effect"

const program = Effect.map(Cli.run(process.argv), (code) => {
  process.exitCode = code
})
NodeRuntime.runMain(Effect.provide(program, NodeContext.layer))
