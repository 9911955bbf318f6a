/** One executor for each address and way to authenticate that operations have. */
import type { ApiConfiguration } from "../OpenApi.js"
import type { Path } from "../ManifestProblem.js"
import type { Importing } from "./Importing.js"
import { makeNames } from "./names.js"
import type { Found } from "./operations.js"
import { escapeReferences, securityOf } from "./security.js"
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"

export type Apis = ReturnType<typeof apis>

export const apis = (importing: Importing) => {
  const made = new Map<string, { name: string; configuration: ApiConfiguration; scopes: Set<string> }>()
  const variables = new Set<string>()
  const withoutServer: Array<string> = []
  const takeName = makeNames()
  const base = importing.options.name ?? "default"
  return {
    /** The name of the executor that runs the operation; undefined where it has no address. */
    nameOf: (found: Found) => {
      const url = urlOf(found, importing, variables)
      if (url === undefined) {
        withoutServer.push(`${found.operation.method} ${found.operation.path}`)
        return undefined
      }
      const { auth, headers, label, scopes } = securityOf(found, importing)
      const key = JSON.stringify([url, auth, headers])
      const known = made.get(key)
      for (const scope of scopes) known?.scopes.add(scope)
      if (known !== undefined) return known.name
      // Executors are found by their names in any case.
      const suffix = label.replace(/[^a-zA-Z0-9]+/g, "_").toLowerCase()
      const name = takeName(made.size === 0 ? base : `${base}_${suffix}`)
      const configuration: ApiConfiguration = {
        type: "rest",
        url: escapeReferences(url),
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        ...(auth === undefined ? {} : { auth })
      }
      made.set(key, { name, configuration, scopes: new Set(scopes) })
      return name
    },
    /** A misspelt variable would leave a server with its default in silence. */
    reportServers: () => {
      const { note, options } = importing
      if (withoutServer.length > 0) {
        const shown =
          withoutServer.slice(0, 3).join(", ") +
          (withoutServer.length > 3 ? `, and ${withoutServer.length - 3} more` : "")
        note("error", "operation-without-server", `left out, without an address to be sent to: ${shown}`, ["servers"])
      }
      // Without an operation, or with the whole address given, no server was looked at.
      if (made.size === 0 || options.url !== undefined) return
      for (const name of Object.keys(options.variables ?? {})) {
        if (variables.has(name)) continue
        const problem = `No server has the variable ${JSON.stringify(name)} of \`variables\`${NearestNames.suggestion(name, variables)}`
        note("error", "unmatched-option", problem, ["servers"])
      }
    },
    all: () =>
      Object.fromEntries(
        [...made.values()].map(({ configuration, name, scopes }) => [name, scoped(configuration, [...scopes].sort())])
      )
  }
}

const scoped = (configuration: ApiConfiguration, scopes: ReadonlyArray<string>): ApiConfiguration =>
  configuration.auth?.type === "oauth2" && scopes.length > 0
    ? { ...configuration, auth: { ...configuration.auth, scope: escapeReferences(scopes.join(" ")) } }
    : configuration

const urlOf = (found: Found, importing: Importing, used: Set<string>): string | undefined => {
  const { document, options } = importing
  if (options.url !== undefined) return options.url
  const [servers, at] = listOf(found.object["servers"], [...found.at, "servers"]) ??
    listOf(found.pathItem["servers"], [...found.at.slice(0, -1), "servers"]) ??
    listOf(document["servers"], ["servers"]) ?? [[{ url: "/" }], ["servers"]]
  const index = options.server ?? 0
  const server = servers[index]
  if (index >= servers.length) {
    const problem = `the server ${index} of \`server\` is not there: there ${servers.length === 1 ? "is 1" : `are ${servers.length}`}, counted from 0`
    importing.note("error", "unmatched-option", problem, at)
    return undefined
  }
  const template = Json.isObject(server) ? server["url"] : undefined
  if (!Json.isObject(server) || typeof template !== "string") {
    importing.note("error", "malformed-server", "a server is an object with a `url`", [...at, index])
    return undefined
  }
  const url = withVariables(template, server["variables"], [...at, index], importing, used)
  return url === undefined ? undefined : absolute(url, [...at, index], importing)
}

const listOf = (servers: unknown, at: Path): readonly [ReadonlyArray<unknown>, Path] | undefined =>
  Array.isArray(servers) && servers.length > 0 ? [servers, at] : undefined

const withVariables = (template: string, variables: unknown, at: Path, importing: Importing, used: Set<string>) => {
  const missing: Array<string> = []
  const url = template.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    used.add(name)
    const variable = Json.isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined
    const stated: Json.JsonSchema = Json.isObject(variable) ? variable : {}
    const given = importing.options.variables
    const value = given !== undefined && Object.hasOwn(given, name) ? given[name] : stated["default"]
    if (typeof value !== "string" && typeof value !== "number") {
      missing.push(name)
      return ""
    }
    const allowed = stated["enum"]
    if (Array.isArray(allowed) && !allowed.map(String).includes(String(value))) {
      const problem = `the server's variable ${name} is ${JSON.stringify(value)}, but the specification allows ${allowed.join(", ")}`
      importing.note("warning", "server-variable", problem, [...at, "variables", name])
    }
    return String(value)
  })
  if (missing.length === 0) return url
  const problem = `the server ${template} has no value for ${missing.join(", ")}: give it in \`variables\`, or the whole address in \`url\``
  importing.note("error", "server-variable", problem, at)
  return undefined
}

/** An address without a host is meant relative to where the specification was found. */
const absolute = (url: string, at: Path, { note, options: { documentUrl } }: Importing): string | undefined => {
  if (URL.canParse(url)) return url.replace(/\/+$/, "")
  // An address without a scheme is asked as Swagger's `host` without `schemes` is.
  const base = documentUrl ?? (url.startsWith("//") ? "https://host" : undefined)
  if (base !== undefined && URL.canParse(url, base)) return new URL(url, base).href.replace(/\/+$/, "")
  const problem = `the server ${JSON.stringify(url)} has no host: give the address in \`url\`, or that of the specification in \`documentUrl\``
  note("error", "relative-server", problem, at)
  return undefined
}
