/** What is wrong with an entry for a REST API, whatever the API is. */
import { Json } from "@wield/core"
import type { ApiEntry, ParameterPlace } from "../ManifestEntry.js"
import type { Fault, Severity } from "../Problem.js"
import { kindOf } from "./mediaType.js"
import { isUnlisted, methodOf, methods, parameterNamesOf, planOf, takesBody } from "./plan.js"
import { isPointer } from "./pointer.js"
import { placeholdersOf, template, type Template } from "./template.js"
import type { Auth } from "./auth.js"
import { isConnectionHeader, isHeaderName, isHeaderValue, wireName } from "./names.js"

/** An importer asks first, then the executor. */
const checked = new WeakMap<ApiEntry, ReadonlyArray<Fault>>()

export const check = (entry: ApiEntry): ReadonlyArray<Fault> => {
  const known = checked.get(entry)
  if (known !== undefined) return known
  const faults = [
    ...checkMethod(entry),
    ...checkPath(entry),
    ...checkHeaders(entry),
    ...checkPlaces(entry),
    ...checkHidden(entry),
    ...checkBody(entry),
    ...checkAnswer(entry)
  ]
  checked.set(entry, faults)
  return faults
}

const checkMethod = (entry: ApiEntry): ReadonlyArray<Fault> => {
  const { api } = entry
  const path = ["api", "method"]
  if (api.method === undefined) {
    const message = 'There is no method, so GET is sent. Say "method": "GET" if that is meant'
    return api.path === undefined ? [] : [{ severity: "warning", rule: "method-missing", message, path }]
  }
  if (methodOf(entry) !== undefined) return []
  const message = `There is no method ${api.method}. Expected one of ${methods.join(", ")}`
  return [{ severity: "error", rule: "method-unknown", message, path }]
}

const checkBody = (entry: ApiEntry): ReadonlyArray<Fault> => {
  const { api, function: definition } = entry
  const faults: Array<Fault> = []
  const method = methodOf(entry)
  const error = (rule: string, message: string, path: ReadonlyArray<string>) =>
    faults.push({ severity: "error", rule, message, path })
  if (api.body !== undefined) {
    const { properties } = definition.parameters
    if (!Json.isObject(properties) || !Object.hasOwn(properties, api.body)) {
      error("body-without-parameter", `The body is ${api.body}, but there is no parameter of this name`, [
        "api",
        "body"
      ])
    }
    if (method !== undefined && !takesBody(method)) {
      error("body-without-method", `${method} requests have no body. Use POST, PUT, PATCH or DELETE`, ["api", "body"])
    }
  }
  if (api.contentType !== undefined && kindOf(api.contentType) === "text" && api.body === undefined) {
    const message = `A body of type ${api.contentType} is the text of one parameter. Say which one with "body"`
    error("body-missing", message, ["api", "contentType"])
  }
  if (api.contentType !== undefined && !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *;[\t\x20-\x7e]*)?$/.test(api.contentType)) {
    error("content-type-invalid", "This is no content type. Expected one such as application/json", [
      "api",
      "contentType"
    ])
  }
  return faults
}

const checkAnswer = ({ api }: ApiEntry): ReadonlyArray<Fault> =>
  (
    [
      [api.result.path, ["api", "result", "path"]],
      [api.pagination?.from, ["api", "pagination", "from"]],
      [api.pagination?.items, ["api", "pagination", "items"]]
    ] as const
  ).flatMap(([pointer, path]) =>
    pointer === undefined || isPointer(pointer)
      ? []
      : [
          {
            severity: "error",
            rule: "pointer-invalid",
            message: `"${pointer}" is no JSON Pointer. Expected a text that begins with a slash, such as "/data/items"`,
            path
          }
        ]
  )

const checkHeaders = (entry: ApiEntry): ReadonlyArray<Fault> => {
  const faults: Array<Fault> = []
  for (const [name, value] of Object.entries(entry.api.headers)) {
    const path = ["api", "headers", name]
    const fault = (severity: Severity, rule: string, message: string, offset?: number) =>
      faults.push({ severity, rule, message, path, offset })
    const wrong = headerNameFault(name)
    if (wrong !== undefined) fault("error", "header-name", wrong)
    if (!isHeaderValue(value)) {
      fault("error", "header-value", "The value has a character that no header can carry, such as a line break")
    }
    for (const { name: placeholder, offset } of placeholdersOf(template(value))) {
      checkPlaceholder(entry, placeholder, offset, fault)
    }
  }
  return faults
}

export const headerNameFault = (name: string): string | undefined => {
  if (!isHeaderName(name)) return `"${name}" is no name of a header`
  return isConnectionHeader(name) ? `The header ${name} belongs to the connection and cannot be set` : undefined
}

type Style = NonNullable<ParameterPlace["style"]>

/** OpenAPI 3.1, "Style Values". Bodies that are forms are written like queries. */
export const styles: Record<ParameterPlace["in"], ReadonlyArray<Style>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
  body: ["form", "spaceDelimited", "pipeDelimited", "deepObject"]
}

const checkPlaces = (entry: ApiEntry): ReadonlyArray<Fault> => {
  const faults: Array<Fault> = []
  const names = parameterNamesOf(entry)
  const method = methodOf(entry)
  const inPath = new Set(
    planOf(entry)
      .path.segments.flatMap(placeholdersOf)
      .map(({ name }) => name)
  )
  for (const [parameter, place] of Object.entries(entry.api.parameters)) {
    const path = ["api", "parameters", parameter]
    const fault = (severity: Severity, rule: string, message: string) => faults.push({ severity, rule, message, path })
    const name = place.name ?? parameter
    const isKnown = names.includes(parameter) || entry.api.pagination?.parameter === parameter
    if (!isKnown && !isUnlisted(entry.function.parameters)) {
      fault("error", "place-without-parameter", `There is no parameter ${parameter}: they are ${names.join(", ")}`)
    }
    if (place.style !== undefined && !styles[place.in].includes(place.style)) {
      const expected = styles[place.in].join(", ")
      fault("error", "place-style", `There is no style ${place.style} in ${place.in}. Expected one of ${expected}`)
    }
    if (place.in === "path" && !inPath.has(name) && !inPath.has(parameter)) {
      fault("error", "place-not-in-path", `${parameter} goes into the path, which has no {${name}}`)
    }
    if (place.in === "body" && method !== undefined && !takesBody(method)) {
      fault("error", "body-without-method", `${method} requests have no body, which ${parameter} should go into`)
    }
    const wrong = place.in === "header" ? headerNameFault(name) : undefined
    if (wrong !== undefined) fault("error", "header-name", wrong)
    if (place.in === "cookie" && !isHeaderName(name)) fault("error", "cookie-name", `"${name}" is no name of a cookie`)
  }
  return faults
}

const at = ["api", "path"]

const checkPath = (entry: ApiEntry): ReadonlyArray<Fault> => {
  const { path } = entry.api
  const faults: Array<Fault> = []
  const fault = (severity: Severity, rule: string, message: string, offset?: number) =>
    faults.push({ severity, rule, message, path: at, offset })
  if (path === undefined) {
    fault("error", "path-missing", 'There is no path. Say "path", such as "/orders/{id}"')
    return faults
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) {
    const message = "The path is a URL. Expected what comes after the URL of the API, which its configuration has"
    fault("error", "path-absolute", message)
    return faults
  }
  const plan = planOf(entry)
  for (const segment of plan.path.segments) {
    checkSegment(segment, fault)
    for (const { name, offset } of placeholdersOf(segment)) checkPathParameter(entry, name, offset, fault)
  }
  for (const { name, offset } of plan.path.pairs.flatMap(({ value }) => placeholdersOf(value))) {
    checkPlaceholder(entry, name, offset, fault)
  }
  for (const { name } of plan.path.pairs) checkQueryName(path, name, fault)
  for (const pair of plan.path.fixed) checkQueryName(path, pair, fault)
  const question = path.indexOf("?")
  const second = question < 0 ? -1 : path.indexOf("?", question + 1)
  if (second >= 0) {
    const message = "There is a second question mark, which is sent as a part of a value. Pairs are joined by &"
    fault("warning", "second-question-mark", message, second)
  }
  if (path.includes("#")) {
    fault("warning", "path-fragment", "What comes after # is never sent. Write it as %23", path.indexOf("#"))
  }
  return faults
}

type Say = (severity: Severity, rule: string, message: string, offset?: number) => void

const checkSegment = (segment: Template, fault: Say): void => {
  const text = segment.map((piece) => (piece._tag === "Literal" ? piece.text : "x")).join("")
  if (/^(\.|%2e){1,2}$/i.test(text)) {
    fault("error", "path-dots", "The path has a segment of dots, which URLs take away. Write where it leads")
  }
  if (/[{}]/.test(text)) {
    fault(
      "error",
      "path-brace",
      "The path has a brace without its other. Write a placeholder as {name}, a brace as %7B"
    )
  }
  if (text.includes("\\")) {
    fault("error", "path-backslash", "The path has a backslash, which URLs take for a slash. Write / or %5C")
  }
}

const checkQueryName = (path: string, name: string, fault: Say): void => {
  if (!/[{}]/.test(name)) return
  const message = "A placeholder stands for a value, not for a name of the query. Write it as name={name}"
  fault("error", "query-name-placeholder", message, path.indexOf(name))
}

/** Whether there is a parameter for a placeholder. */
const checkPlaceholder = (entry: ApiEntry, name: string, offset: number | undefined, fault: Say): boolean => {
  const { parameter } = planOf(entry).parameterOf(name)
  const names = parameterNamesOf(entry)
  if (names.includes(parameter) || isUnlisted(entry.function.parameters)) return true
  const near = names.find((one) => one.toLowerCase() === parameter.toLowerCase())
  const known = names.length === 0 ? "it has no parameters" : `they are ${names.join(", ")}`
  fault(
    "error",
    "placeholder-without-parameter",
    `{${name}} has no parameter of this name${near === undefined ? `: ${known}` : `. Is ${near} meant?`}`,
    offset
  )
  return false
}

const checkPathParameter = (entry: ApiEntry, name: string, offset: number, fault: Say): void => {
  if (!checkPlaceholder(entry, name, offset, fault)) return
  const { parameters } = entry.function
  const { parameter, place } = planOf(entry).parameterOf(name)
  const { properties, required } = parameters
  const schema = Json.isObject(properties) ? properties[parameter] : undefined
  if (!Json.isObject(schema)) return
  if (schema["type"] === "object" && place?.style === undefined && place?.contentType === undefined) {
    const message = `${parameter} is an object, which has no text in a path. Say its style in "parameters", or take it out`
    fault("error", "path-parameter-object", message, offset)
  }
  const isRequired = Array.isArray(required) && required.includes(parameter)
  const isNamed = (fields: ReadonlyArray<string>) =>
    fields.some((field) => field.toLowerCase() === parameter.toLowerCase())
  const isSupplied = isNamed(entry.context)
  if (isSupplied ? isNamed(entry.optionalContext) : !isRequired) {
    const message = `${parameter} may be absent, but the path needs it: calls without it fail. Add it to "required"`
    fault("warning", "path-parameter-optional", message, offset)
  }
}

interface Sent {
  readonly where: string
  /** As the API knows it. */
  readonly name: string
  readonly parameter: string
}

const checkHidden = (entry: ApiEntry): ReadonlyArray<Fault> => {
  if (entry.context.length === 0) return []
  const hidden = new Set(entry.context.map((name) => name.toLowerCase()))
  const isHidden = ({ parameter }: Sent): boolean => hidden.has(parameter.toLowerCase())
  const sent = sentBy(entry)
  const keyOf = ({ name, where }: Sent): string => `${where} ${wireName(name)}`
  const own = new Map(sent.filter(isHidden).map((one) => [keyOf(one), one]))
  return sent.flatMap((one): ReadonlyArray<Fault> => {
    const other = own.get(keyOf(one))
    if (other === undefined || isHidden(one)) return []
    const { name, parameter, where } = one
    return [
      {
        severity: "error",
        rule: "hidden-name-taken",
        message: `${parameter}, which the model gives, is sent in the ${where} as ${name}, which is the name of the hidden ${other.parameter}: give it another name, or take it out`,
        path: Object.hasOwn(entry.api.parameters, parameter)
          ? ["api", "parameters", parameter]
          : ["function", "parameters", "properties", parameter]
      }
    ]
  })
}

/**
 * Parameters in the place of the API's credential, which would be sent twice. A
 * header is sent once, by the credential.
 */
export const checkCredential = (entry: ApiEntry, auth: Auth | undefined): ReadonlyArray<Fault> =>
  auth?.type !== "apiKey" || auth.in === "header"
    ? []
    : sentBy(entry)
        .filter(({ name, where }) => where === auth.in && wireName(name) === wireName(auth.name))
        .map(({ name, parameter, where }) => ({
          severity: "error",
          rule: "credential-name-taken",
          message: `${parameter} is sent in the ${where} as ${name}, which is the name of the API's credential: take it out`,
          path: ["function", "parameters", "properties", parameter]
        }))

const sentBy = (entry: ApiEntry): ReadonlyArray<Sent> => {
  const plan = planOf(entry)
  const inTemplate = (where: string, name: string, value: Template): ReadonlyArray<Sent> =>
    placeholdersOf(value).map((placeholder) => ({
      where,
      name,
      parameter: plan.parameterOf(placeholder.name).parameter
    }))
  return [
    ...plan.path.pairs.flatMap(({ name, value }) => inTemplate("query", name, value)),
    ...plan.headers.flatMap(({ name, value }) => inTemplate("header", name, value)),
    ...Object.entries(plan.placed).flatMap(([where, all]) =>
      all.map(({ name, parameter }) => ({ where, name, parameter }))
    )
  ]
}
