/** The options of a client, for programs without a compiler: each function throws what is wrong. */
import * as Json from "@wield/core/Json"
import * as Options from "@wield/core/Options"
import { checkPolicy } from "@wield/http/HttpGuard"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type { OAuthOptions } from "../Credentials.js"
import type { HttpOptions, StdioOptions } from "../McpClient.js"
import type { ReadOptions } from "../McpConfig.js"
import type { Limits, LogLevel, Options as ClientOptions } from "./model.js"
import type { Target } from "./sdk.js"

const { aFlag, aFunction, aName, aNumber, aSecret, aText, fields, holds, list, oneOf, orThrow, record, texts } = Options

const oneOfOrFunction = (...words: ReadonlyArray<string>): Options.Check =>
  holds(
    [...words.map((word) => `"${word}"`), "a function"].join(" or "),
    (value) => typeof value === "function" || words.some((word) => word === value)
  )

/** A service, or what another function here has made. */
const withFunctions = (...names: ReadonlyArray<string>): Options.Check =>
  holds(
    `an object with the functions ${names.join(", ").replace(/, (\w+)$/, " and $1")}`,
    (value) => Json.isObject(value) && names.every((name) => typeof value[name] === "function")
  )

const logLevels: ReadonlyArray<LogLevel> = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency"
]

export const checkOptions = fields({
  prefix: aText,
  trust: oneOf("none", "hints"),
  start: oneOf("eager", "lazy"),
  limits: fields({
    connect: aNumber,
    probe: aNumber,
    call: aNumber,
    total: aNumber,
    messageBytes: aNumber,
    items: aNumber,
    pages: aNumber
  } satisfies Options.Checks<Limits>),
  tools: fields({ only: texts, except: texts } satisfies Options.Checks<NonNullable<ClientOptions["tools"]>>),
  outputSchemas: oneOf("strict", "note", "off"),
  pins: withFunctions("load", "save"),
  onDrift: oneOfOrFunction("withhold", "strict", "accept"),
  logLevel: oneOf(...logLevels),
  elicit: oneOfOrFunction("defer"),
  sample: oneOfOrFunction("defer"),
  roots: list(
    holds("a folder, as { uri, name }", (root) => Predicate.isRecord(root) && typeof root["uri"] === "string")
  )
} satisfies Options.Checks<ClientOptions>)

const textsByName = record(holds("a text", (value) => typeof value === "string" || Redacted.isRedacted(value)))

const stdioOptions = fields({
  env: textsByName,
  inherit: texts,
  workingDirectory: aText
} satisfies Options.Checks<StdioOptions>)

export const checkStdio = (command: unknown, args: unknown, options: unknown): void => {
  orThrow(aName(command), "The command of an MCP server")
  orThrow(texts(args), "The arguments of an MCP server")
  orThrow(stdioOptions(options), "How an MCP server is started")
}

/** Its own words are thrown at once: all that is checked here is. */
const aGuard: Options.Check = (policy) => void checkPolicy(policy)

const httpOptions = fields({
  headers: (value, path) => (Effect.isEffect(value) ? undefined : textsByName(value, path)),
  credentials: withFunctions("forUrl", "complete"),
  guard: aGuard
} satisfies Options.Checks<HttpOptions>)

const aWebAddress = holds(
  "a URL of http or https",
  (value) =>
    (typeof value === "string" || value instanceof URL) && URL.canParse(value) && /^https?:/i.test(String(value))
)

const anAddress = (value: unknown): Options.Problem | undefined =>
  aWebAddress(value) ?? (hasUser(String(value)) ? { path: [], ...withoutUser } : undefined)

/** What no request would carry. */
export const hasUser = (address: string): boolean => {
  const { password, username } = new URL(address)
  return username !== "" || password !== ""
}

/** Its own text would show the password. */
const withoutUser = {
  expected: "without a user and a password, which go into a header: { authorization: `Basic ${btoa(…)}` }",
  received: "one with them"
}

export const checkHttp = (url: unknown, options: unknown): void => {
  orThrow(anAddress(url), "The address of an MCP server")
  orThrow(httpOptions(options), "How an MCP server is reached")
}

const aUrl = holds("a URL", (value) => typeof value === "string" && URL.canParse(value))

const oauthOptions = fields(
  {
    store: withFunctions("get", "set", "remove"),
    redirectUrl: aUrl,
    clientName: aText,
    client: fields({ id: aName, secret: aSecret }, ["id"]),
    clientMetadataUrl: aUrl,
    guard: aGuard,
    scope: aText,
    dpop: aFlag
  } satisfies Options.Checks<OAuthOptions>,
  ["store", "redirectUrl"]
)

/** Throws what is wrong with how access is got: of a name that is misspelt, tokens would be bound to no key. */
export const checkOAuth = (options: unknown): void => orThrow(oauthOptions(options), "What `Credentials.oauth` takes")

const clientCredentials = fields(
  {
    clientId: aName,
    issuer: aText,
    scope: aText,
    clientSecret: aSecret,
    privateKey: aSecret,
    algorithm: aName
  },
  ["clientId"]
)

const jwtBearer = fields(
  { clientId: aName, clientSecret: aSecret, issuer: aText, scope: aText, assertion: aFunction },
  ["clientId", "assertion"]
)

/** Throws what is wrong with how a program proves who it is: of an issuer that is misspelt, any server would get the secret. */
export const checkClientCredentials = (options: unknown): void =>
  orThrow(clientCredentials(options), "What `Credentials.clientCredentials` takes")

export const checkJwtBearer = (options: unknown): void =>
  orThrow(jwtBearer(options), "What `Credentials.jwtBearer` takes")

const identity = fields(
  {
    tokenUrl: anAddress,
    clientId: aName,
    clientSecret: aSecret,
    idToken: holds("an effect that gives a secret", Effect.isEffect),
    guard: aGuard
  },
  ["tokenUrl", "clientId", "idToken"]
)

export const checkIdentity = (options: unknown): void =>
  orThrow(identity(options), "What `Credentials.identityAssertion` takes")

const read = fields({ variables: Options.aContext, workingDirectory: aName } satisfies Options.Checks<ReadOptions>)

/** Throws what is wrong with how a configuration is read: of variables that are misspelt, servers would get those of the process. */
export const checkRead = (text: unknown, options: unknown): void => {
  orThrow(aText(text), "A configuration of MCP servers")
  orThrow(read(options), "How a configuration of MCP servers is read")
}

const entry = holds(
  "an entry that `McpConfig.parse` makes",
  (value) => Predicate.isRecord(value) && "server" in value && Predicate.isRecord(value["options"])
)

export const checkEntries = (entries: unknown): void => orThrow(list(entry)(entries), "What `McpConfig.connect` takes")

export const checkTransport = (open: unknown): void =>
  orThrow(holds("an effect that opens one", Effect.isEffect)(open), "The transport of an MCP server")

export const checkTyped = (client: unknown, toolkit: unknown): void => {
  orThrow(
    holds("one that `McpClient.connect` makes", (value) => Predicate.hasProperty(value, "callTool"))(client),
    "The client of `McpClient.typed`"
  )
  orThrow(
    holds(
      "one that `Toolkit.make` makes",
      (value) => Predicate.hasProperty(value, "tools") && Predicate.isRecord(value.tools)
    )(toolkit),
    "The toolkit of `McpClient.typed`"
  )
}

const kinds: ReadonlyArray<unknown> = ["Stdio", "Http", "Sse", "Transport"] satisfies ReadonlyArray<Target["_tag"]>

const aServer = holds(
  "one that `McpClient.stdio`, `http`, `sse` or `transport` makes",
  (value) => Predicate.hasProperty(value, "_tag") && kinds.includes(value._tag)
)

export const checkServer = (name: unknown, server: unknown): void => {
  orThrow(aName(name), "The name of an MCP server")
  orThrow(aServer(server), "An MCP server")
}
