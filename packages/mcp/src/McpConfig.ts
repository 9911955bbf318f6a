/**
 * Servers from `mcp.json`, as Claude Desktop, VS Code and Loki have it, with a
 * few keys of Wield's own for each server.
 */
import * as Json from "@wield/core/Json"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { readFile } from "node:fs/promises"
import { dirname } from "node:path"
import * as McpClient from "./McpClient.js"
import type { McpError } from "./McpError.js"
import { mayBeOffered, prefixOf } from "./client/tools.js"

/**
 * One server of a file.
 *
 * @category models
 */
export interface Entry {
  readonly name: string
  readonly server: McpClient.Server
  /** What the file says of `prefix`, `trust`, `start` and `limits`. */
  readonly options: Pick<McpClient.Options, "prefix" | "trust" | "start" | "limits">
}

/**
 * The file cannot be used. It has everything that is wrong, and where.
 *
 * @category errors
 */
export class McpConfigError extends Data.TaggedError("McpConfigError")<{
  readonly problems: ReadonlyArray<string>
}> {
  override get message(): string {
    return `The MCP configuration cannot be used:\n${this.problems.map((problem) => `- ${problem}`).join("\n")}`
  }
}

/**
 * How a file is read.
 *
 * @category models
 */
export interface ReadOptions {
  /**
   * Values of `${NAME}`, `${env:NAME}` and `${input:NAME}`. The variables of this
   * process unless given.
   */
  readonly variables?: { readonly [name: string]: string | undefined } | undefined
  /** The value of `${workspaceFolder}`, and where programs start. The folder of the file unless given. */
  readonly workingDirectory?: string | undefined
}

/**
 * Reads a file: `mcpServers` of Claude Desktop and Loki, or `servers` of VS Code.
 * Disabled servers are left out.
 *
 * @category constructors
 */
export const load = (path: string, options: ReadOptions = {}): Effect.Effect<ReadonlyArray<Entry>, McpConfigError> =>
  Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (error) => new McpConfigError({ problems: [`${path} cannot be read: ${String(error)}`] })
  }).pipe(Effect.flatMap((text) => parse(text, { workingDirectory: dirname(path), ...options })))

/**
 * Reads the text of such a file.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { McpConfig } from "@wield/mcp"
 * import { Either } from "effect"
 *
 * const text = `{ "mcpServers": {
 *   "files": { "command": "npx", "args": ["-y", "some-server", "\${HOME}/notes"], "trust": "hints" },
 *   "old": { "command": "old-server", "disabled": true },
 *   "web": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer \${TOKEN}" } }
 * } }`
 * const entries = Either.getOrThrow(McpConfig.parse(text, { variables: { HOME: "/home/ada", TOKEN: "t" } }))
 * assert.deepStrictEqual(entries.map(({ name }) => name), ["files", "web"])
 * ```
 *
 * @category constructors
 */
export const parse = (
  text: string,
  { variables = process.env, workingDirectory = process.cwd() }: ReadOptions = {}
): Either.Either<ReadonlyArray<Entry>, McpConfigError> => {
  const problems: Array<string> = []
  const refuse = (where: string, expected: string): undefined => void problems.push(`${where}: expected ${expected}`)
  let root: unknown
  try {
    root = Json.parse(text)
  } catch (error) {
    return Either.left(
      new McpConfigError({ problems: [`it is not JSON: ${error instanceof Error ? error.message : ""}`] })
    )
  }
  const servers = Json.isObject(root) ? (root["mcpServers"] ?? root["servers"]) : undefined
  if (!Json.isObject(servers)) {
    return Either.left(new McpConfigError({ problems: ['expected an object with "mcpServers" or "servers"'] }))
  }

  const fill = (where: string, value: string): string =>
    value.replaceAll(
      /\$\{(?:env:|input:)?([^}:]+)(?::-([^}]*))?\}/g,
      (_, name: string, otherwise: string | undefined) => {
        if (name === "workspaceFolder") return workingDirectory
        const found = Object.hasOwn(variables, name) ? variables[name] : undefined
        if (found === undefined && otherwise === undefined) refuse(where, `a value of the variable ${name}`)
        return found ?? otherwise ?? ""
      }
    )
  const textAt = (where: string, value: unknown): string | undefined =>
    value === undefined ? undefined : typeof value === "string" ? fill(where, value) : refuse(where, "a text")
  const textsAt = (where: string, value: unknown): { readonly [name: string]: string } => {
    if (value === undefined) return {}
    if (!Json.isObject(value)) return refuse(where, "an object of texts") ?? {}
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        // Numbers and booleans are common in `env`.
        typeof inner === "number" || typeof inner === "boolean"
          ? String(inner)
          : (textAt(`${where}/${name}`, inner) ?? "")
      ])
    )
  }
  const redact = (texts: { readonly [name: string]: string }) =>
    Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, Redacted.make(value)]))
  const oneOf = <const A extends string>(where: string, value: unknown, allowed: ReadonlyArray<A>): A | undefined =>
    value === undefined ? undefined : (allowed.find((one) => one === value) ?? refuse(where, allowed.join(" or ")))

  const entries = Object.entries(servers).flatMap(([name, value]): ReadonlyArray<Entry> => {
    if (!Json.isObject(value)) return refuse(name, "an object") ?? []
    if (value["disabled"] === true) return []
    const { args = [], command, url } = value
    const kind = oneOf(`${name}/type`, value["type"], ["stdio", "http", "streamable-http", "sse"])
    const limits: Record<string, number> = {}
    for (const [limit, given] of Object.entries(Json.isObject(value["limits"]) ? value["limits"] : {})) {
      if (typeof given === "number" && given > 0) limits[limit] = given
      else refuse(`${name}/limits/${limit}`, "a positive number")
    }
    const options: Entry["options"] = {
      prefix: textAt(`${name}/prefix`, value["prefix"]),
      trust: oneOf(`${name}/trust`, value["trust"], ["none", "hints"]),
      start: oneOf(`${name}/start`, value["start"], ["eager", "lazy"]),
      limits
    }
    if (typeof command === "string" && (kind === undefined || kind === "stdio")) {
      if (!Array.isArray(args)) return refuse(`${name}/args`, "an array of texts") ?? []
      const server = McpClient.stdio(
        fill(`${name}/command`, command),
        args.map((arg, index) => textAt(`${name}/args/${index}`, arg) ?? ""),
        {
          env: redact(textsAt(`${name}/env`, value["env"])),
          workingDirectory: textAt(`${name}/cwd`, value["cwd"]) ?? workingDirectory
        }
      )
      return [{ name, server, options }]
    }
    const address = textAt(`${name}/url`, url)
    if (address === undefined || !URL.canParse(address))
      return refuse(name, '"command", or "url" with an address') ?? []
    const headers = redact(textsAt(`${name}/headers`, value["headers"]))
    const server = kind === "sse" ? McpClient.sse(address, { headers }) : McpClient.http(address, { headers })
    return [{ name, server, options }]
  })
  return problems.length === 0 ? Either.right(entries) : Either.left(new McpConfigError({ problems }))
}

/**
 * Whether a server may offer a tool by this name. One that may not need not be
 * connected to call the tool.
 *
 * @category guards
 */
export const mayOffer = ({ name, options }: Entry, tool: string): boolean => mayBeOffered(tool, prefixOf(name, options))

/**
 * The servers that could be connected, and why the others could not.
 *
 * @category models
 */
export interface Connected {
  readonly clients: ReadonlyArray<McpClient.Client>
  readonly failed: ReadonlyArray<{ readonly name: string; readonly error: McpError }>
}

/**
 * Connects all servers at the same time. One that fails costs its own tools only.
 * What a file says of a server wins over `options`.
 *
 * @category constructors
 */
export const connect = <R = never>(
  entries: ReadonlyArray<Entry>,
  options: McpClient.Options<R> = {}
): Effect.Effect<Connected, never, Scope.Scope | R> =>
  Effect.map(
    Effect.forEach(
      entries,
      ({ name, options: own, server }) => {
        const stated = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
        return Effect.mapError(McpClient.connect(name, server, { ...options, ...stated }), (error) => ({
          name,
          error
        })).pipe(Effect.either)
      },
      { concurrency: "unbounded" }
    ),
    (all) => ({
      clients: all.flatMap((one) => (Either.isRight(one) ? [one.right] : [])),
      failed: all.flatMap((one) => (Either.isLeft(one) ? [one.left] : []))
    })
  )
