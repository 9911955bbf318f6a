/** Tools of servers of the Model Context Protocol. Needs `@wield/mcp`. */
import type { Json } from "@wield/core"
import { isPlain } from "@wield/core/Json"
import * as Options from "@wield/core/Options"
import * as Toolset from "@wield/core/Toolset"
import type * as McpClient from "@wield/mcp/McpClient"
import * as McpConfig from "@wield/mcp/McpConfig"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkKind, checkOptions } from "./internal/checkNames.js"
import { combineAll, sourceOf, type ToolSource } from "./internal/source.js"

export type { ToolSource }

/** A server, as `mcp.json` has it: a program or an address. */
export interface McpServer {
  readonly command?: string
  readonly args?: ReadonlyArray<string>
  readonly env?: { readonly [name: string]: string }
  readonly cwd?: string
  readonly url?: string
  readonly headers?: { readonly [name: string]: string }
  /** Begins the names of its tools: its name and `_` unless given. */
  readonly prefix?: string
  /** `hints`: its annotations are facts. Unless given, its tools are taken for destructive ones. */
  readonly trust?: "none" | "hints"
}

/** What a server may ask, and what becomes of one that cannot be connected. */
export interface McpOptions {
  /** Answers a question of a server to a person. With `"defer"` the call waits for a reply. Servers may not ask unless given. */
  readonly elicit?:
    | "defer"
    | ((question: McpClient.Elicitation) => McpClient.ElicitationAnswer | Promise<McpClient.ElicitationAnswer>)
  /** Lets a model of yours answer a server: `{ role, content, model }`. */
  readonly sample?: "defer" | ((request: Json.JsonObject) => Json.JsonObject | Promise<Json.JsonObject>)
  /** Folders and files that the servers may work in. */
  readonly roots?: ReadonlyArray<{ readonly uri: string; readonly name?: string }>
  /**
   * Takes the servers that cannot be connected. Their tools are not there then, and rules for their names are refused.
   * Unless given, `wield` rejects.
   */
  readonly onFailed?: (name: string, error: Error) => unknown
}

/**
 * Tools of servers by their names, or of those of an `mcp.json`. The programs that are started end with `close`.
 *
 * @example
 * ```ts no-run
 * import { wield } from "wield"
 * import { mcp } from "wield/mcp"
 *
 * const servers = mcp({ files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/notes"] } })
 * await using tools = await wield({
 *   toolsets: [servers, mcp("mcp.json")],
 *   approval: (_, { facts }) => (facts.isReadOnly ? "allow" : "ask")
 * })
 * ```
 */
export const mcp = (servers: string | { readonly [name: string]: McpServer }, options: McpOptions = {}): ToolSource => {
  checkOptions("`mcp`", options, optionChecks)
  const { elicit, onFailed, roots, sample } = options
  checkKind(
    "What `mcp` takes",
    servers ?? null,
    "the path of a file, or servers by name",
    typeof servers === "string" || isPlain(servers)
  )
  for (const around of ["mcpServers", "servers"]) {
    const { [around]: within } = typeof servers === "string" ? {} : servers
    if (isPlain(within) && Object.values(within).every(isPlain))
      throw new TypeError(`\`mcp\` takes what stands in \`${around}\`, the servers by name, or the path of the file`)
  }
  for (const [name, server] of typeof servers === "string" ? [] : Object.entries(servers)) {
    checkOptions(`The server ${name} of \`mcp\``, server, serverChecks)
  }
  const toolset = Effect.gen(function* () {
    const entries =
      typeof servers === "string"
        ? yield* McpConfig.load(servers)
        : yield* McpConfig.parse(JSON.stringify({ mcpServers: servers }))
    const { clients, failed } = yield* McpConfig.connect(entries, {
      elicit: typeof elicit === "function" ? (question) => Effect.promise(async () => elicit(question)) : elicit,
      sample: typeof sample === "function" ? (request) => Effect.promise(async () => sample(request)) : sample,
      roots
    })
    for (const { error, name } of failed) {
      if (onFailed === undefined) return yield* error
      yield* Effect.promise(async () => onFailed(name, error))
    }
    return combineAll([yield* Toolset.constant([]), ...clients.map(({ toolset }) => toolset)])
  })
  return sourceOf(toolset, Layer.empty)
}

const aFunctionOrDefer = Options.holds(
  '"defer" or a function',
  (value) => value === "defer" || typeof value === "function"
)

const optionChecks: Options.Checks<McpOptions> = {
  elicit: aFunctionOrDefer,
  sample: aFunctionOrDefer,
  roots: Options.holds(
    "an array of folders, as { uri, name }",
    (value) => Array.isArray(value) && value.every((root) => isPlain(root) && typeof root["uri"] === "string")
  ),
  onFailed: Options.aFunction
}

/** What a configuration's text would lose, and what it takes in another form. */
const serverChecks: Options.Checks<McpServer> = {
  command: Options.aName,
  args: Options.texts,
  env: Options.record(Options.anything),
  cwd: Options.aName,
  url: Options.aName,
  headers: Options.record(Options.aText),
  prefix: Options.aText,
  trust: Options.oneOf("none", "hints")
}
