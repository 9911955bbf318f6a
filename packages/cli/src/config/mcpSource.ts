/** Tools of MCP servers. They run only for a trusted folder: what they offer is known from themselves alone. */
import { dirname } from "node:path"
import * as McpConfig from "@wield/mcp/McpConfig"
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FileSource } from "../Config.js"
import { Refused } from "../output/Refused.js"
import { Shell } from "../output/Shell.js"
import type { Loading, Tools } from "./gather.js"
import { readFile } from "./readFile.js"

type McpSource = Extract<FileSource, { readonly mcp: unknown }>

const readServers = ({ mcp }: McpSource, at: Loading["at"]) =>
  Effect.gen(function* () {
    const file = at(typeof mcp === "string" ? mcp : "-")
    const text = typeof mcp === "string" ? yield* readFile(file) : JSON.stringify({ mcpServers: mcp })
    const { environment: variables } = yield* Shell
    return yield* McpConfig.parse(text, { variables, workingDirectory: dirname(file) })
  })

export const fromMcp = (
  source: McpSource,
  { at, project, report, tool }: Loading
): Effect.Effect<Tools, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const servers = yield* readServers(source, at)
    if (!project.isTrusted) {
      return yield* Refused.unusable("The folder is not trusted, so its MCP servers are not started (wield trust)")
    }
    const { prefix = "" } = source
    const needed = servers.filter(
      (server) =>
        tool === undefined || (tool.startsWith(prefix) && McpConfig.mayOffer(server, tool.slice(prefix.length)))
    )
    const { clients, failed } = yield* McpConfig.connect(needed)
    for (const { error } of failed) report("error", error.message)
    for (const client of clients) {
      for (const { problem, tool: name } of yield* client.withheld) {
        report("warning", `${client.name}: the tool ${name} is left out: ${problem}`)
      }
    }
    const empty: Tools = yield* Toolset.dynamic([])
    return clients.reduce<Tools>((all, { toolset }) => Toolset.combine(all, toolset), empty)
  })
