/** One operation as an entry of a manifest. */
import type { Facts } from "@wield/core"
import * as Json from "@wield/core/Json"
import { aText, orThrow } from "@wield/core/Options"
import { hiddenAmong } from "../load/context.js"
import * as ManifestEntry from "../ManifestEntry.js"
import type { Apis } from "./apis.js"
import type { Importing } from "./Importing.js"
import { shorten, type TakeName, toolName, toolNameOf } from "./names.js"
import { declareParameters, type Parameters, parameters } from "./operationParameters.js"
import type { Found } from "./operations.js"
import { declareBody } from "./requestBody.js"
import { kindOf } from "./mediaType.js"
import { isResolved } from "./reference.js"
import { readServed, type Served } from "./served.js"
import { parameterNames } from "../load/parameters.js"

export const entryOf = (found: Found, importing: Importing, apis: Apis, takeName: TakeName) => {
  const { object, operation } = found
  const api = apis.nameOf(found)
  const given = importing.options.toolName?.(operation)
  if (given !== undefined) orThrow(aText(given), "What `toolName` gives")
  const name = takeName(
    (given === undefined ? "" : toolName(given)) || toolNameOf(operation.id, operation.method, operation.path)
  )
  if (api === undefined) return undefined
  const own: Importing = {
    ...importing,
    note: (severity, rule, message, path) => importing.note(severity, rule, message, path, name)
  }
  const served = readServed(object, found.at)
  if (operation.method === "POST" && served !== undefined) return entryOfServed(served, { api, found, importing, name })
  const all = parameters()
  const declared = declareParameters(found, own, all)
  if (declared === undefined) return undefined
  const { headers, placeholders } = declared
  const path = pathOf(found, own, placeholders, all)
  const body = declareBody(found, own, all)
  if (body === "unsupported") return undefined
  for (const renamed of renamedHidden(all, importing.options.context ?? [])) {
    // What it is sent as is the application's to say, not the model's.
    const isNeeded = all.required.includes(renamed.parameter) || body?.body === renamed.parameter
    const what = isNeeded ? `${operation.method} ${operation.path}` : `the parameter ${renamed.parameter}`
    const problem = `${what} is left out: ${renamed.parameter}, which the model would give, is sent as ${renamed.name}, the name of a hidden parameter; name ${renamed.parameter} in \`context\` too`
    own.note(isNeeded ? "error" : "warning", "hidden-name-taken", problem, found.at)
    if (isNeeded) return undefined
    all.properties.delete(renamed.parameter)
    all.places.delete(renamed.parameter)
  }
  return ManifestEntry.api({
    name,
    description: descriptionOf(found, importing),
    parameters: schemaOf(all, importing),
    context: hiddenAmong(all.properties.keys(), importing.options.context ?? []),
    facts: factsOf(operation.method, object["summary"]),
    api: {
      name: api,
      path,
      method: operation.method,
      headers: Object.fromEntries(headers),
      parameters: Object.fromEntries(all.places),
      contentType: body?.contentType,
      ...(body?.body === undefined ? {} : { body: body.body }),
      result: {
        schema: importing.options.isResultLeftOut === true ? undefined : resultOf(found, importing),
        path: undefined
      }
    }
  })
}

/** Parameters that the model would see, since a hidden one of the same name has the name in the tool. */
const renamedHidden = ({ places }: Parameters, context: ReadonlyArray<string>) =>
  [...places].flatMap(([parameter, { name }]) =>
    name !== undefined && hiddenAmong([name], context).length > 0 && hiddenAmong([parameter], context).length === 0
      ? [{ parameter, name }]
      : []
  )

const entryOfServed = (
  { facts, inputSchema, outputSchema }: Served,
  {
    api,
    found: { object, operation },
    importing: { options },
    name
  }: { readonly api: string; readonly found: Found; readonly importing: Importing; readonly name: string }
): ManifestEntry.ApiEntry => {
  const { description } = object
  const { maxDescription } = options
  const text = typeof description === "string" ? description : undefined
  return ManifestEntry.api({
    name,
    description: text === undefined || maxDescription === undefined ? text : shorten(text, maxDescription),
    parameters: inputSchema,
    context: hiddenAmong(parameterNames(inputSchema), options.context ?? []),
    facts: { ...facts, kind: "api" },
    api: {
      name: api,
      path: operation.path,
      method: operation.method,
      result: { schema: options.isResultLeftOut === true ? undefined : outputSchema, path: undefined }
    }
  })
}

/** The path as it is, without a fragment; undeclared placeholders are texts. */
const pathOf = (found: Found, { note }: Importing, placeholders: Set<string>, into: Parameters): string => {
  const [path = "", fragment] = found.operation.path.split("#", 2)
  if (fragment !== undefined) {
    const problem = `the path ends at its fragment: "#${fragment}" is not sent to a server`
    note("warning", "path-fragment", problem, found.at)
  }
  for (const [, placeholder = ""] of path.matchAll(/\{([^{}]*)\}/g)) {
    if (placeholders.has(placeholder) || into.properties.has(placeholder)) continue
    const problem = `the path ${path} has {${placeholder}}, but no parameter of this name is declared; read as a text`
    note("warning", "placeholder-without-parameter", problem, found.at)
    const schema = { schema: { type: "string" }, references: new Set<string>() }
    into.add({ name: placeholder, place: { in: "path" }, isRequired: true, schema })
    placeholders.add(placeholder)
  }
  return path
}

const schemaOf = (all: Parameters, importing: Importing): Json.JsonSchema => {
  const definitions = importing.inputs.definitions(all.references)
  return {
    type: "object",
    properties: Object.fromEntries(all.properties),
    ...(all.required.length === 0 ? {} : { required: all.required }),
    // An argument that the specification does not know would be sent to the API.
    additionalProperties: false,
    ...(definitions === undefined ? {} : { $defs: definitions })
  }
}

const descriptionOf = ({ object, operation }: Found, { options }: Importing): string => {
  const { description, summary } = object
  const text = [description, summary].find((one) => typeof one === "string" && one.trim() !== "")
  return typeof text === "string"
    ? shorten(text, options.maxDescription ?? 1_000)
    : `${operation.method} ${operation.path}`
}

const readOnly = new Set(["GET", "HEAD", "OPTIONS", "TRACE"])
const idempotent = new Set([...readOnly, "PUT", "DELETE"])

const factsOf = (method: string, summary: unknown): Partial<Facts.Facts> => ({
  kind: "api",
  isReadOnly: readOnly.has(method),
  isDestructive: !readOnly.has(method),
  isIdempotent: idempotent.has(method),
  ...(typeof summary === "string" && summary.trim() !== "" ? { title: shorten(summary, 100) } : {})
})

const resultOf = (found: Found, importing: Importing): Json.JsonSchema | undefined => {
  const { responses } = found.object
  if (!Json.isObject(responses)) return undefined
  const status = Object.keys(responses)
    .filter((key) => /^2([0-9]{2}|XX)$/i.test(key))
    .sort()
  for (const key of status) {
    const response = importing.resolve(responses[key])
    if (!isResolved(response)) continue
    const { content } = response
    if (!Json.isObject(content)) continue
    const type = Object.keys(content).find((one) => kindOf(one) === "json")
    const media = type === undefined ? undefined : content[type]
    if (type === undefined || !Json.isObject(media) || media["schema"] === undefined) continue
    const at = [...found.at, "responses", key, "content", type, "schema"]
    const { references, schema } = importing.outputs.convert(media["schema"], at)
    if (!Json.isObject(schema)) return undefined
    const definitions = importing.outputs.definitions(references)
    return definitions === undefined ? schema : { ...schema, $defs: definitions }
  }
  return undefined
}
