/**
 * How requests are authenticated: by the first alternative an executor can do, with credentials of the environment.
 * Names of its variables begin as the program says: a specification must not choose what is sent to it.
 */
import * as Json from "@wield/core/Json"
import type { Auth } from "../OpenApi.js"
import type { Importing } from "./Importing.js"
import type { Found } from "./operations.js"
import { isResolved } from "./reference.js"
import { wireName } from "../rest/names.js"

export interface Security {
  readonly auth: Auth | undefined
  readonly headers: { readonly [name: string]: string }
  readonly scopes: ReadonlyArray<string>
  /** What the alternative is called, for the name of an executor. */
  readonly label: string
}

const none: Security = { auth: undefined, headers: {}, scopes: [], label: "anonymous" }

export const securityOf = (found: Found, importing: Importing): Security => {
  const alternatives = alternativesOf(found, importing)
  const [first] = alternatives
  if (first === undefined) return none
  const made = alternatives.filter((one) => one.length > 0).map((one) => combined(one, importing))
  const usable = made.find((one): one is Security => typeof one !== "string")
  if (usable !== undefined) return usable
  if (alternatives.some((one) => one.length === 0)) return none
  const reasons = made.filter((one) => typeof one === "string")
  importing.note(
    "warning",
    "unsupported-security",
    `requests are sent without credentials: ${reasons.join("; ")}. Register an executor of your own for it`,
    ["components", "securitySchemes"]
  )
  return none
}

type Requirement = readonly [scheme: string, scopes: unknown]

const alternativesOf = (found: Found, { document, options }: Importing): ReadonlyArray<ReadonlyArray<Requirement>> => {
  if (options.security !== undefined) return [options.security.map((scheme) => [scheme, []])]
  const stated = found.object["security"] ?? document["security"]
  return Array.isArray(stated) ? stated.filter(Json.isObject).map((requirement) => Object.entries(requirement)) : []
}

const combined = (requirements: ReadonlyArray<Requirement>, importing: Importing): Security | string => {
  const schemes = requirements.map(([scheme]) => scheme)
  const scopes: Array<string> = []
  let auth: Auth | undefined
  const headers = new Map<string, string>()
  for (const [name, needed] of requirements) {
    const made = authOf(name, importing)
    if (typeof made === "string") return made
    if (made.type === "oauth2" && Array.isArray(needed)) scopes.push(...needed.map(String))
    if (made.type === "apiKey" && made.in === "header" && auth !== undefined) headers.set(made.name, made.value)
    else if (auth?.type === "apiKey" && auth.in === "header") {
      headers.set(auth.name, auth.value)
      auth = made
    } else if (auth?.type === "bearer" && made.type === "bearer") continue
    else if (auth !== undefined) return `${schemes.join(" and ")} would have to be sent together`
    else auth = made
  }
  return { auth, headers: Object.fromEntries(headers), scopes, label: schemes.join("_") }
}

/** Why a model is not asked for a parameter: it is a credential, which the application need not supply. */
export const credentialFaults = (
  found: Found,
  importing: Importing
): ((place: string, name: string) => string | undefined) => {
  const { auth, headers } = securityOf(found, importing)
  const sent = new Set([
    ...Object.keys(headers).map((header) => keyOf("header", header)),
    ...(auth?.type === "apiKey" ? [keyOf(auth.in, auth.name)] : [])
  ])
  const defined = new Set(schemesOf(importing).map(([, scheme]) => keyOf(scheme["in"], scheme["name"])))
  const supplied = new Set(importing.options.context?.map((field) => field.toLowerCase()))
  return (place, name) => {
    const key = keyOf(place, name)
    if (sent.has(key)) return "it is the credential that the API's `auth` sends"
    const isCredential = defined.has(key) || usual.has(name.toLowerCase().replace(/[^a-z]/g, ""))
    return isCredential && !supplied.has(name.toLowerCase())
      ? "it is a credential, which no model is asked for: name it in `context`, or send it by the API's `auth` or `headers`"
      : undefined
  }
}

/** What credentials are called in specifications that do not say they are; letters only. */
const usual = new Set(
  "apikey xapikey accesstoken xaccesstoken authtoken xauthtoken proxyauthorization cookie".split(" ")
)

const keyOf = (place: unknown, name: unknown): string => `${String(place)} ${wireName(String(name))}`

const schemesOf = ({ document, resolve }: Importing): ReadonlyArray<readonly [string, Json.JsonSchema]> => {
  const components = resolve(document["components"])
  const schemes = isResolved(components) ? resolve(components["securitySchemes"]) : components
  return isResolved(schemes)
    ? Object.entries(schemes).flatMap(([name, stated]) => {
        const scheme = resolve(stated)
        return isResolved(scheme) ? [[name, scheme] as const] : []
      })
    : []
}

const authOf = (name: string, importing: Importing): Auth | string => {
  const scheme = schemesOf(importing).find(([key]) => key === name)?.[1]
  if (scheme === undefined) return `the security scheme ${name} is not defined`
  const variable = (field: string): string => `\${${variableOf(importing, name, field)}}`
  switch (scheme["type"]) {
    case "http": {
      const kind = String(scheme["scheme"]).toLowerCase()
      if (kind === "bearer") return { type: "bearer", token: variable("TOKEN") }
      return kind === "basic"
        ? { type: "basic", username: variable("USERNAME"), password: variable("PASSWORD") }
        : `${name} is the HTTP scheme ${kind}, which is not supported`
    }
    case "apiKey": {
      const place = (["header", "query", "cookie"] as const).find((one) => one === scheme["in"])
      const key = scheme["name"]
      return place === undefined || typeof key !== "string" || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(key)
        ? `${name} has no usable \`in\` and \`name\``
        : { type: "apiKey", in: place, name: escapeReferences(key), value: variable("KEY") }
    }
    case "oauth2":
      return oauth2Of(name, scheme, importing, variable)
    case "openIdConnect":
      return token(name, "OpenID Connect", importing, variable)
    default:
      return `${name} is of type ${JSON.stringify(scheme["type"])}, which is not supported`
  }
}

const oauth2Of = (
  name: string,
  scheme: Json.JsonSchema,
  importing: Importing,
  variable: (field: string) => string
): Auth => {
  const flows: Json.JsonSchema = Json.isObject(scheme["flows"]) ? scheme["flows"] : {}
  const flow = flows["clientCredentials"]
  const tokenUrl = Json.isObject(flow) ? flow["tokenUrl"] : undefined
  const { documentUrl } = importing.options
  if (!Json.isObject(flow) || typeof tokenUrl !== "string" || !URL.canParse(tokenUrl, documentUrl)) {
    return token(name, `OAuth2 (${Object.keys(flows).join(", ")})`, importing, variable)
  }
  return {
    type: "oauth2",
    tokenUrl: escapeReferences(new URL(tokenUrl, documentUrl).href),
    clientId: variable("CLIENT_ID"),
    clientSecret: variable("CLIENT_SECRET")
  }
}

/** A flow that needs a person in front of a browser: its token has to be had elsewhere, and is sent. */
const token = (name: string, kind: string, importing: Importing, variable: (field: string) => string): Auth => {
  importing.note(
    "warning",
    "token-from-elsewhere",
    `${name} is ${kind}: Wield does not run this flow; get an access token elsewhere and give it in ${variable("ACCESS_TOKEN")}`,
    ["components", "securitySchemes", name]
  )
  return { type: "bearer", token: variable("ACCESS_TOKEN") }
}

const variableOf = ({ options }: Importing, scheme: string, field: string): string =>
  [options.environmentPrefix ?? options.name ?? "API", scheme, field]
    .map((part) => part.replace(/[^a-zA-Z0-9]+/g, "_").toUpperCase())
    .join("_")

/** In the configuration of an API `${NAME}` is a variable of the environment; in a specification it is text. */
export const escapeReferences = (text: string): string => text.replaceAll("${", "$${")
