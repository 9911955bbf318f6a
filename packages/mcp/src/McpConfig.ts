/**
 * Servers from `mcp.json`, as Claude Desktop, VS Code, Cursor, Cline, Windsurf,
 * Gemini and Loki have it, with a few keys of Wield's own for each server.
 */
import * as Json from "@wield/core/Json"
import * as JsonText from "@wield/core/JsonText"
import * as Environment from "@wield/process/Environment"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { readFile } from "node:fs/promises"
import { homedir } from "node:os"
import { basename, dirname, isAbsolute, join, sep } from "node:path"
import * as McpClient from "./McpClient.js"
import { ConnectFailed, type McpError } from "./McpError.js"
import { checkEntries, checkRead, hasUser } from "./client/options.js"
import { mayBeOffered, prefixOf } from "./client/tools.js"

/**
 * One server of a file.
 *
 * @category models
 */
export interface Entry {
  readonly name: string
  /** One of which the file says something that is not understood cannot be connected: the error has the problems. */
  readonly server: McpClient.Server
  /** What the file says of `prefix`, `trust`, `start`, `limits`, and of the tools that are used. */
  readonly options: Pick<McpClient.Options, "prefix" | "trust" | "start" | "limits" | "tools">
  /** What is not understood, and where. */
  readonly problems: ReadonlyArray<string>
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
  /** The value of `${workspaceFolder}` and `${cwd}`, where `envFile` is looked for, and where programs start. The folder of the file unless given. */
  readonly workingDirectory?: string | undefined
}

/**
 * Reads a file: `mcpServers`, or `servers` of VS Code. Comments and trailing
 * commas are allowed. Disabled servers are left out. What is not understood is a
 * problem of its server; the others work.
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
export const parse = (text: string, options: ReadOptions = {}): Either.Either<ReadonlyArray<Entry>, McpConfigError> => {
  checkRead(text, options)
  const { variables = process.env, workingDirectory = process.cwd() } = options
  const duplicates: Array<readonly [path: ReadonlyArray<string | number>, problem: string]> = []
  const report = ({ message, place }: JsonText.JsonFault) => `line ${place.line}, column ${place.column}: ${message}`
  const read = JsonText.parse(text, {
    isCommented: true,
    onDuplicateKey: (path, fault) => void duplicates.push([path, report(fault)])
  })
  if (Either.isLeft(read)) return Either.left(new McpConfigError({ problems: read.left.map(report) }))
  const root = Json.isObject(read.right.value) ? read.right.value : {}
  // The settings of VS Code have the file's content by this key.
  const { inputs, ...file } = Json.isObject(root["mcp"]) ? { ...root, ...root["mcp"] } : root
  const groups = [file["servers"], file["mcpServers"]].flatMap((group) => (Json.isObject(group) ? [group] : []))
  const serverAt = ([first, ...rest]: ReadonlyArray<string | number>): string | undefined => {
    const [group, name] = first === "mcp" ? rest : [first, ...rest]
    return (group === "servers" || group === "mcpServers") && typeof name === "string" ? name : undefined
  }
  const ofFile = duplicates.filter(([path]) => serverAt(path) === undefined)
  if (ofFile.length > 0) return Either.left(new McpConfigError({ problems: ofFile.map(([, problem]) => problem) }))
  if (groups.length === 0) {
    return Either.left(new McpConfigError({ problems: ['expected an object with "mcpServers" or "servers"'] }))
  }
  const places = placesOf(workingDirectory, variables, Array.isArray(inputs) ? inputs : [])
  const servers = new Map<string, unknown>()
  for (const [name, value] of groups.flatMap((group) => Object.entries(group))) {
    if (servers.has(name) && Json.canonical(servers.get(name)) !== Json.canonical(value)) {
      duplicates.push([["servers", name], `${name}: "servers" and "mcpServers" say different things of it`])
    }
    servers.set(name, value)
  }
  return Either.right(
    Array.from(servers).flatMap(([name, value]) => {
      const problems = duplicates.filter(([path]) => serverAt(path) === name).map(([, problem]) => problem)
      return entryOf(name, value, places, problems) ?? []
    })
  )
}

interface Places {
  readonly workingDirectory: string
  /** The value of what stands in `${…}`. */
  readonly valueOf: (name: string) => string | undefined
}

const placesOf = (
  workingDirectory: string,
  variables: { readonly [name: string]: string | undefined },
  inputs: ReadonlyArray<unknown>
): Places => {
  const variable = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : undefined)
  const defaults = new Map(
    inputs.flatMap((input) => (Json.isObject(input) ? [[input["id"], input["default"]] as const] : []))
  )
  return {
    workingDirectory,
    valueOf: (given) => {
      const [, kind, name = given] = /^(env|input):(.*)$/s.exec(given) ?? []
      if (kind === "env") return variable(name)
      if (kind === "input") {
        const otherwise = defaults.get(name)
        return variable(name) ?? (typeof otherwise === "string" ? otherwise : undefined)
      }
      switch (name.replace(/^(workspaceFolder(?:Basename)?):.*$/s, "$1")) {
        case "workspaceFolder":
        case "workspaceRoot":
        case "cwd":
          return workingDirectory
        case "workspaceFolderBasename":
          return basename(workingDirectory)
        case "userHome":
          return variable("HOME") ?? variable("USERPROFILE") ?? homedir()
        case "pathSeparator":
        case "/":
          return sep
        default:
          return variable(name)
      }
    }
  }
}

/** `undefined` for a server that is switched off. */
const entryOf = (
  name: string,
  value: unknown,
  { valueOf, workingDirectory }: Places,
  duplicates: ReadonlyArray<string>
): Entry | undefined => {
  const problems = [...duplicates]
  const refuse = (where: string, expected: string): undefined =>
    void problems.push(`${where === "" ? name : `${name}/${where}`}: expected ${expected}`)
  const fill = (where: string, text: string): string => {
    // Gemini writes a variable without braces.
    const bare = /^\$([A-Za-z_]\w*)$/.exec(text)?.[1]
    if (bare !== undefined) return valueOf(bare) ?? text
    return text.replaceAll(/\$\{([^}]*?)(?::-([^}]*))?\}/g, (_, variable: string, otherwise: string | undefined) => {
      const found = valueOf(variable) ?? otherwise
      if (found === undefined) refuse(where, `a value of the variable ${variable}`)
      return found ?? ""
    })
  }
  const textAt = (where: string, given: unknown): string | undefined =>
    given === undefined || given === null
      ? undefined
      : typeof given === "string"
        ? fill(where, given)
        : // Numbers and booleans are common in `env` and `args`.
          typeof given === "number" || typeof given === "boolean"
          ? String(given)
          : refuse(where, "a text")
  const listAt = (where: string, given: unknown): ReadonlyArray<string> | undefined =>
    given === undefined || given === null
      ? undefined
      : Array.isArray(given)
        ? given.map((one, index) => textAt(`${where}/${index}`, one) ?? "")
        : refuse(where, "an array of texts")
  const textsAt = (where: string, given: unknown): { readonly [name: string]: string } => {
    if (given === undefined || given === null) return {}
    if (!Json.isObject(given)) return refuse(where, "an object of texts") ?? {}
    return Object.fromEntries(
      Object.entries(given).flatMap(([key, inner]) => {
        const text = textAt(`${where}/${key}`, inner)
        return text === undefined ? [] : [[key, text]]
      })
    )
  }
  const switchAt = (where: string, given: unknown): boolean | undefined =>
    given === undefined || given === null || typeof given === "boolean"
      ? (given ?? undefined)
      : refuse(where, "true or false")
  const oneOf = <const A extends string>(where: string, given: unknown, allowed: ReadonlyArray<A>): A | undefined =>
    given === undefined || given === null
      ? undefined
      : (allowed.find((one) => one === given) ?? refuse(where, allowed.join(" or ")))
  const redact = (texts: { readonly [name: string]: string | undefined }) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Redacted.make(text ?? "")]))
  const variablesOf = (path: string | undefined): { readonly [name: string]: string | undefined } => {
    if (path === undefined) return {}
    const found = Environment.fromFile(isAbsolute(path) ? path : join(workingDirectory, path))
    return found ?? refuse("envFile", `a file that can be read, not ${path}`) ?? {}
  }

  const given = Json.isObject(value) ? value : (refuse("", "an object") ?? {})
  const isOff = switchAt("disabled", given["disabled"]) === true || switchAt("enabled", given["enabled"]) === false
  // Of two that have one name, the other may be on.
  if (isOff && duplicates.length === 0) return undefined
  const stated = given["type"] ?? given["transport"] ?? given["transportType"]
  const kind = oneOf("type", typeof stated === "string" ? stated.toLowerCase().replace("_", "-") : stated, kinds)
  const limits: Record<string, number> = {}
  for (const [limit, one] of Object.entries(Json.isObject(given["limits"]) ? given["limits"] : {})) {
    if (typeof one === "number" && one > 0) limits[limit] = one
    else refuse(`limits/${limit}`, "a positive number")
  }
  const only = listAt("includeTools", given["includeTools"])
  const except = [
    ...(listAt("excludeTools", given["excludeTools"]) ?? []),
    ...(listAt("disabledTools", given["disabledTools"]) ?? [])
  ]
  const options: Entry["options"] = {
    prefix: textAt("prefix", given["prefix"]),
    // Gemini's `trust: true` leaves out approvals, which no file decides here.
    trust: typeof given["trust"] === "boolean" ? undefined : oneOf("trust", given["trust"], ["none", "hints"]),
    start: oneOf("start", given["start"], ["eager", "lazy"]),
    limits,
    ...(only === undefined && except.length === 0 ? {} : { tools: { only: only?.map(withoutSignature), except } })
  }
  const serverOf = (): McpClient.Server | undefined => {
    const { command } = given
    if (typeof command === "string" && (kind === undefined || kind === "stdio")) {
      return McpClient.stdio(fill("command", command), listAt("args", given["args"]) ?? [], {
        env: redact({ ...variablesOf(textAt("envFile", given["envFile"])), ...textsAt("env", given["env"]) }),
        workingDirectory: textAt("cwd", given["cwd"]) ?? workingDirectory
      })
    }
    const key = addresses.find((one) => given[one] !== undefined && given[one] !== null)
    const address = key === undefined ? undefined : textAt(key, given[key])
    if (address === undefined || !/^https?:/i.test(address) || !URL.canParse(address)) {
      return refuse("", '"command", or "url" with an address')
    }
    if (hasUser(address)) return refuse("", "an address without a user and a password, which go into headers")
    const headers = redact(textsAt("headers", given["headers"]))
    return kind === "sse" ? McpClient.sse(address, { headers }) : McpClient.http(address, { headers })
  }
  const server = serverOf()
  if (server !== undefined && problems.length === 0) return { name, server, options, problems }
  const failed = new ConnectFailed({ server: name, reason: `its configuration is wrong: ${problems.join("; ")}` })
  return { name, server: McpClient.transport(failed), options: { ...options, start: "eager" }, problems }
}

const kinds = ["stdio", "http", "streamable-http", "streamablehttp", "sse"] as const

/** Where the address of a server stands: `serverUrl` in Windsurf, `httpUrl` in Gemini. */
const addresses = ["url", "serverUrl", "httpUrl", "streamableHttp"]

/** Gemini allows a tool's parameters behind its name. */
const withoutSignature = (tool: string): string => tool.split("(", 1)[0] ?? tool

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
  Effect.suspend(() => {
    checkEntries(entries)
    return Effect.map(
      Effect.forEach(
        entries,
        ({ name, options: own, server }) =>
          McpClient.connect(name, server, { ...options, ...Json.withoutUndefined(own) }).pipe(
            Effect.mapError((error) => ({ name, error })),
            Effect.either
          ),
        { concurrency: "unbounded" }
      ),
      (all) => ({
        clients: all.flatMap((one) => (Either.isRight(one) ? [one.right] : [])),
        failed: all.flatMap((one) => (Either.isLeft(one) ? [one.left] : []))
      })
    )
  })
