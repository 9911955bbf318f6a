/** The options of a server, for programs without a compiler: one that is misspelt would keep no one out. */
import * as Options from "@wield/core/Options"
import * as Json from "@wield/core/Json"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type * as Authorization from "../Authorization.js"
import type { HttpOptions, Options as ServerOptions, TaskOptions } from "../McpServer.js"

const { aCount, aDuration, aFunction, aName, anything, aSecret, aText, fields, holds, list, oneOf, orThrow, texts } =
  Options

/** Anything else would be taken for the client's word. */
const approvals = holds(
  '"client", "task", "deny", or an object with the functions url and decision',
  (value) =>
    value === "client" ||
    value === "task" ||
    value === "deny" ||
    (Json.isObject(value) && typeof value["url"] === "function" && typeof value["decision"] === "function")
)

const aTime = holds("a duration", (value) => Option.isSome(Duration.decodeUnknown(value)))

const tasks = fields({
  support: aFunction,
  keep: aDuration,
  poll: aDuration,
  store: anything,
  max: aCount
} satisfies Options.Checks<TaskOptions>)

const ofServer = {
  name: aName,
  version: aName,
  title: aText,
  instructions: aText,
  context: aFunction,
  offer: aFunction,
  approvals,
  tasks,
  secret: aSecret,
  roundTime: aTime,
  cache: fields({ ttl: aTime, scope: oneOf("public", "private") }, ["ttl"]),
  resources: list(anything),
  prompts: list(anything),
  pageSize: aCount
} satisfies Options.Checks<ServerOptions>

const ofToolset = fields({ ...ofServer, toolset: anything, policy: anything, runner: anything }, ["name", "version"])
const ofRunner = fields(
  {
    ...ofServer,
    runner: anything,
    changes: anything,
    // Another one would protect nothing.
    policy: holds("left out beside `runner`, which has its own", () => false)
  },
  ["name", "version"]
)

export const checkServer = (options: unknown): void =>
  orThrow(
    Json.isPlain(options) && options["runner"] !== undefined ? ofRunner(options) : ofToolset(options),
    "What `McpServer.make` takes"
  )

const names = holds(
  'an array of names, or "any"',
  (value) => value === "any" || (Array.isArray(value) && value.every((one) => typeof one === "string"))
)

const http = fields({
  hosts: names,
  origins: names,
  authorize: holds(
    "what `Authorization.jwt` or `Authorization.bearer` gives",
    (value) => Json.isObject(value) && typeof value["verify"] === "function" && Array.isArray(value["scopes"])
  ),
  legacy: oneOf("sessions", "stateless", "reject"),
  sessions: fields({ max: aCount, idle: aDuration }),
  maxBodyBytes: aCount,
  maxSubscriptions: aCount,
  path: aText
} satisfies Options.Checks<HttpOptions & { readonly path: string }>)

/** Throws what is wrong with how a server listens. */
export const checkHttp = (options: unknown): void => orThrow(http(options), "How an MCP server is served")

const jwt = fields(
  {
    resource: aName,
    issuer: aName,
    keys: holds("a URL, or an object with `keys`", (value) => value instanceof URL || Json.isObject(value)),
    audience: aName,
    scopes: texts
  } satisfies Options.Checks<Parameters<typeof Authorization.jwt>[0]>,
  ["resource", "issuer", "keys"]
)

const bearer = fields(
  { resource: aName, issuers: texts, scopes: texts, verify: aFunction } satisfies Options.Checks<
    Parameters<typeof Authorization.bearer>[0]
  >,
  ["resource", "issuers", "verify"]
)

/** Throws what is wrong with how tokens are checked: of an issuer that is not named, all would be taken. */
export const checkAuthorization = (kind: "bearer" | "jwt", options: unknown): void =>
  orThrow((kind === "jwt" ? jwt : bearer)(options), `What \`Authorization.${kind}\` takes`)
