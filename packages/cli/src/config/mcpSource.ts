/**
 * Tools of MCP servers. They run only for a trusted folder: what they offer is known from themselves alone. What they
 * offered first is pinned in the user's own folder; a tool that is another one later is left out until it is accepted.
 */
import { createHash } from "node:crypto"
import { realpath } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import type * as McpClient from "@wield/mcp/McpClient"
import * as McpConfig from "@wield/mcp/McpConfig"
import * as Pins from "@wield/mcp/Pins"
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FileSource } from "../Config.js"
import { quote, Refused } from "../output/Refused.js"
import { Shell } from "../output/Shell.js"
import type { Loading, Tools } from "./gather.js"
import type { Project } from "./load.js"
import { readFile } from "./readFile.js"
import { homeOf } from "./trust.js"

type McpSource = Extract<FileSource, { readonly mcp: unknown }>

const readServers = ({ mcp, prefix = "" }: McpSource, project: Project) =>
  Effect.gen(function* () {
    const file = typeof mcp === "string" ? resolve(project.folder, mcp) : project.file
    const text = typeof mcp === "string" ? yield* readFile(file) : JSON.stringify({ mcpServers: mcp })
    const shell = yield* Shell
    const servers = yield* McpConfig.parse(text, { variables: shell.environment, workingDirectory: dirname(file) })
    const real = yield* Effect.orElseSucceed(
      Effect.tryPromise(() => realpath(file)),
      () => file
    )
    const name = `${createHash("sha256").update(real).digest("hex").slice(0, 32)}.json`
    const pins = yield* Pins.file(join(homeOf(shell), "pins", name))
    // Two servers of one name differ by the prefixes of their sources.
    const ownPins: Pins.Service = {
      load: (server) => pins.load(prefix + server),
      save: (server, pinned) => pins.save(prefix + server, pinned)
    }
    return { servers, pins: ownPins }
  })

export const fromMcp = (
  source: McpSource,
  { project, report, tool }: Loading
): Effect.Effect<Tools, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    if (!project.isTrusted) {
      return yield* Refused.unusable(
        `The folder is not trusted, so its MCP servers are not started (wield trust ${quote(project.folder)})`
      )
    }
    const { pins, servers } = yield* readServers(source, project)
    const { prefix = "" } = source
    const needed = servers.filter(
      (server) =>
        tool === undefined || (tool.startsWith(prefix) && McpConfig.mayOffer(server, tool.slice(prefix.length)))
    )
    const kept: Pins.Service = {
      load: pins.load,
      // A home that nothing can be written to, such as a container's, leaves the tools usable.
      save: (server, pinned) =>
        Effect.catchAll(pins.save(server, pinned), ({ message }) =>
          Effect.sync(() => report("warning", `${message}. Later changes of the tools of ${server} will not be seen`))
        )
    }
    const { clients, failed } = yield* McpConfig.connect(needed, { pins: kept, elicit: "defer", sample: "defer" })
    for (const { error } of failed) report("error", error.message)
    for (const client of clients) {
      for (const withheld of yield* client.withheld) report("warning", problemOf(client.name, withheld, project.folder))
    }
    const empty: Tools = yield* Toolset.dynamic([])
    return clients.reduce<Tools>((all, { toolset }) => Toolset.combine(all, toolset), empty)
  })

const problemOf = (server: string, { drift, problem, tool }: McpClient.Withheld, folder: string): string =>
  drift === undefined
    ? `${server}: the tool ${tool} is left out: ${problem}`
    : `${driftText(server, drift)}\n  It is left out until you accept it: wield trust ${quote(folder)}`

/** What a person decides by: each change of it, and what they would not see. */
const driftText = (server: string, { differences, findings, kind, tool }: Pins.Drift): string =>
  [
    `${server}: ${kind === "instructions" ? "its instructions have changed" : `the tool ${tool} ${kind === "added" ? "is new" : "has changed"}`}`,
    ...(kind === "added"
      ? []
      : differences.map(({ after, before, path }) => `  ${path || "/"}: ${textOf(before)} → ${textOf(after)}`)),
    ...findings.map((finding) => `  It has ${finding}`)
  ].join("\n")

const textOf = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}

/** Accepts what the servers of a project offer now; returns what has changed. Servers never seen are pinned when used. */
export const acceptChanges = ({ config, ...project }: Project): Effect.Effect<ReadonlyArray<string>, unknown> =>
  Effect.gen(function* () {
    const changes: Array<string> = []
    for (const source of config.tools) {
      if (!("mcp" in source)) continue
      const { pins, servers } = yield* readServers(source, { ...project, config })
      for (const server of servers) {
        if ((yield* pins.load(server.name)) === undefined) continue
        const onDrift = (drift: Pins.Drift) =>
          Effect.sync(() => {
            changes.push(driftText(server.name, drift))
            return true
          })
        // It is asked at once, also where it starts late otherwise.
        const eager = { ...server, options: { ...server.options, start: "eager" as const } }
        const { failed } = yield* McpConfig.connect([eager], { pins, onDrift })
        for (const { error } of failed) return yield* error
      }
    }
    return changes
  }).pipe(Effect.scoped)
