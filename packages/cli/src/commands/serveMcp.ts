/** `wield serve mcp`: the tools as an MCP server over standard input and output, where nothing else is printed. */
import * as McpServer from "@wield/mcp/McpServer"
import * as Effect from "effect/Effect"
import { codes } from "../ExitCode.js"
import { printProblems } from "../output/print.js"
import { messageOf, Refused } from "../output/Refused.js"
import { Shell } from "../output/Shell.js"
import { type Command, type Common, openProject, readPairs } from "./common.js"

export interface Options extends Common {
  readonly context: ReadonlyArray<string>
}

export const serveMcp = (given: Options): Command =>
  Effect.gen(function* () {
    const { policy, problems, project, services, toolset } = yield* openProject(given, "run")
    yield* printProblems(problems)
    const context = { ...project.config.context, ...(yield* readPairs(given.context)) }
    const { instructions } = project.config
    const { output } = yield* Shell
    const server = McpServer.make({
      name: "wield",
      version: "0.1.0",
      toolset,
      policy,
      instructions,
      context: () => Effect.succeed(context)
    })
    yield* Effect.mapError(McpServer.stdio(server, { output }), (error) => Refused.unusable(messageOf(error))).pipe(
      Effect.provide(services)
    )
    return codes.done
  }).pipe(Effect.scoped)
