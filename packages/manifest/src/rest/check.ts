/** What is wrong with an entry for a REST API, whatever the API is. */
import * as Json from "@wield/core/Json"
import type { ApiEntry, ParameterPlace } from "../ManifestEntry.js"
import * as ManifestProblem from "../ManifestProblem.js"
import type { Fault, Path, Severity } from "../ManifestProblem.js"
import { hasParameter, parameterNames, propertiesOf } from "../load/parameters.js"
import { kindOf } from "./mediaType.js"
import { isUnlisted, methodOf, methods, planOf, takesBody } from "./plan.js"
import { placeholdersOf, template, type Template } from "./template.js"
import type { Auth } from "../RestExecutor.js"
import { isConnectionHeader, isHeaderName, isHeaderValue, wireName } from "./names.js"

/** An importer asks first, then the executor. */
const checked = new WeakMap<ApiEntry, ReadonlyArray<Fault>>()

type Report = (severity: Severity, rule: string, message: string, path: Path, offset?: number) => void

export const check = (entry: ApiEntry): ReadonlyArray<Fault> => {
  const known = checked.get(entry)
  if (known !== undefined) return known
  const faults: Array<Fault> = []
  const report: Report = (severity, rule, message, path, offset) =>
    faults.push({ severity, rule, message, path, offset })
  checkMethod(entry, report)
  checkPath(entry, report)
  checkHeaders(entry, report)
  checkPlaces(entry, report)
  checkHidden(entry, report)
  checkBody(entry, report)
  checkPointers(entry, report)
  checked.set(entry, faults)
  return faults
}

const checkMethod = (entry: ApiEntry, report: Report): void => {
  const { method, path } = entry.api
  const here = ["api", "method"]
  if (method === undefined && path !== undefined) {
    report(
      "warning",
      "method-missing",
      'There is no method, so GET is sent. Say "method": "GET" if that is meant',
      here
    )
  } else if (methodOf(entry) === undefined) {
    const message = `There is no method ${method}. Expected one of ${methods.join(", ")}`
    report("error", "method-unknown", message, here)
  }
}

const checkBody = (entry: ApiEntry, report: Report): void => {
  const { body, contentType } = entry.api
  const method = methodOf(entry)
  if (body !== undefined) {
    const here = ["api", "body"]
    if (!hasParameter(entry.function.parameters, body)) {
      report("error", "body-without-parameter", `The body is ${body}, but there is no parameter of this name`, here)
    }
    if (method !== undefined && !takesBody(method)) {
      const message = `${method} requests have no body. Use POST, PUT, PATCH or DELETE`
      report("error", "body-without-method", message, here)
    }
    const lost = planOf(entry).placed.body.map(({ parameter }) => parameter)
    if (lost.length > 0 && hasParameter(entry.function.parameters, body)) {
      const message = `The body is ${body} alone, so ${lost.join(", ")} would not be sent. Say another place in "parameters", or leave out "body"`
      report("error", "body-beside-body", message, here)
    }
  }
  if (contentType === undefined) return
  const here = ["api", "contentType"]
  if (kindOf(contentType) === "text" && body === undefined) {
    const message = `A body of type ${contentType} is the text of one parameter. Say which one with "body"`
    report("error", "body-missing", message, here)
  }
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *;[\t\x20-\x7e]*)?$/.test(contentType)) {
    const message = "This is no content type. Expected one such as application/json"
    report("error", "content-type-invalid", message, here)
  }
}

const checkPointers = ({ api: { pagination, result } }: ApiEntry, report: Report): void => {
  const pointers: ReadonlyArray<readonly [string | undefined, Path]> = [
    [result.path, ["api", "result", "path"]],
    [pagination?.from, ["api", "pagination", "from"]],
    [pagination?.items, ["api", "pagination", "items"]]
  ]
  for (const [pointer, path] of pointers) {
    if (pointer === undefined || isPointer(pointer)) continue
    const message = `"${pointer}" is no JSON Pointer. Expected a text that begins with a slash, such as "/data/items"`
    report("error", "pointer-invalid", message, path)
  }
}

/** RFC 6901. */
const isPointer = (text: string): boolean => text === "" || (text.startsWith("/") && !/~(?![01])/.test(text))

const checkHeaders = (entry: ApiEntry, report: Report): void => {
  for (const [name, value] of Object.entries(entry.api.headers)) {
    const path = ["api", "headers", name]
    const wrong = headerNameFault(name)
    if (wrong !== undefined) report("error", "header-name", wrong, path)
    if (!isHeaderValue(value)) {
      const message = "The value has a character that no header can carry, such as a line break"
      report("error", "header-value", message, path)
    }
    for (const placeholder of placeholdersOf(template(value))) checkPlaceholder(entry, placeholder, path, report)
  }
}

const headerNameFault = (name: string): string | undefined => {
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

const checkPlaces = (entry: ApiEntry, report: Report): void => {
  const { parameters } = entry.function
  const method = methodOf(entry)
  const { pairs, segments } = planOf(entry).path
  const templates = [...segments, ...pairs.map(({ value }) => value)]
  const inPath = new Set(templates.flatMap(placeholdersOf).map(({ name }) => name))
  for (const [parameter, place] of Object.entries(entry.api.parameters)) {
    const error = (rule: string, message: string) => report("error", rule, message, ["api", "parameters", parameter])
    const name = place.name ?? parameter
    const isKnown = hasParameter(parameters, parameter) || entry.api.pagination?.parameter === parameter
    if (!isKnown && !isUnlisted(parameters)) {
      const known = parameterNames(parameters).join(", ")
      error("place-without-parameter", `There is no parameter ${parameter}: they are ${known}`)
    }
    if (place.style !== undefined && !styles[place.in].includes(place.style)) {
      const expected = styles[place.in].join(", ")
      error("place-style", `There is no style ${place.style} in ${place.in}. Expected one of ${expected}`)
    }
    if (place.in === "path" && !inPath.has(name) && !inPath.has(parameter)) {
      error("place-not-in-path", `${parameter} goes into the path, which has no {${name}}`)
    }
    if (place.in === "body" && method !== undefined && !takesBody(method)) {
      error("body-without-method", `${method} requests have no body, which ${parameter} should go into`)
    }
    const wrong = place.in === "header" ? headerNameFault(name) : undefined
    if (wrong !== undefined) error("header-name", wrong)
    if (place.in === "cookie" && !isHeaderName(name)) error("cookie-name", `"${name}" is no name of a cookie`)
  }
}

const inPath = ["api", "path"]

const checkPath = (entry: ApiEntry, report: Report): void => {
  const { path } = entry.api
  if (path === undefined) {
    return report("error", "path-missing", 'There is no path. Say "path", such as "/orders/{id}"', inPath)
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) {
    const message = "The path is a URL. Expected what comes after the URL of the API, which its configuration has"
    return report("error", "path-absolute", message, inPath)
  }
  const { fixed, pairs, segments } = planOf(entry).path
  for (const segment of segments) {
    checkSegment(segment, report)
    for (const placeholder of placeholdersOf(segment)) checkPathParameter(entry, placeholder, report)
  }
  for (const placeholder of pairs.flatMap(({ value }) => placeholdersOf(value))) {
    checkPlaceholder(entry, placeholder, inPath, report)
  }
  for (const name of [...pairs.map(({ name }) => name), ...fixed]) {
    if (!/[{}]/.test(name)) continue
    const message = "A placeholder stands for a value, not for a name of the query. Write it as name={name}"
    report("error", "query-name-placeholder", message, inPath, path.indexOf(name))
  }
  const question = path.indexOf("?")
  const second = question < 0 ? -1 : path.indexOf("?", question + 1)
  if (second >= 0) {
    const message = "There is a second question mark, which is sent as a part of a value. Pairs are joined by &"
    report("warning", "second-question-mark", message, inPath, second)
  }
  if (path.includes("#")) {
    report("warning", "path-fragment", "What comes after # is never sent. Write it as %23", inPath, path.indexOf("#"))
  }
}

const checkSegment = (segment: Template, report: Report): void => {
  const text = segment.map((piece) => (piece._tag === "Literal" ? piece.text : "x")).join("")
  const error = (rule: string, message: string) => report("error", rule, message, inPath)
  if (/^(\.|%2e){1,2}$/i.test(text)) {
    error("path-dots", "The path has a segment of dots, which URLs take away. Write where it leads")
  }
  if (/[{}]/.test(text)) {
    error("path-brace", "The path has a brace without its other. Write a placeholder as {name}, a brace as %7B")
  }
  if (text.includes("\\")) {
    error("path-backslash", "The path has a backslash, which URLs take for a slash. Write / or %5C")
  }
}

type Placeholder = ReturnType<typeof placeholdersOf>[number]

const checkPlaceholder = (entry: ApiEntry, { name, offset }: Placeholder, path: Path, report: Report): boolean => {
  const { parameter } = planOf(entry).parameterOf(name)
  if (hasParameter(entry.function.parameters, parameter) || isUnlisted(entry.function.parameters)) return true
  const names = parameterNames(entry.function.parameters)
  const near = names.find((one) => one.toLowerCase() === parameter.toLowerCase())
  const known = names.length === 0 ? "it has no parameters" : `they are ${names.join(", ")}`
  const advice = near === undefined ? `: ${known}` : `. Is ${near} meant?`
  report("error", "placeholder-without-parameter", `{${name}} has no parameter of this name${advice}`, path, offset)
  return false
}

const checkPathParameter = (entry: ApiEntry, placeholder: Placeholder, report: Report): void => {
  if (!checkPlaceholder(entry, placeholder, inPath, report)) return
  const { offset } = placeholder
  const { parameter, place } = planOf(entry).parameterOf(placeholder.name)
  const { required } = entry.function.parameters
  const schema = propertiesOf(entry.function.parameters)[parameter]
  if (!Json.isObject(schema)) return
  if (schema["type"] === "object" && place?.style === undefined && place?.contentType === undefined) {
    const message = `${parameter} is an object, which has no text in a path. Say its style in "parameters", or take it out`
    report("error", "path-parameter-object", message, inPath, offset)
  }
  const isNamed = (fields: ReadonlyArray<string>) =>
    fields.some((field) => field.toLowerCase() === parameter.toLowerCase())
  const isRequired = Array.isArray(required) && required.includes(parameter)
  if (isNamed(entry.context) ? isNamed(entry.optionalContext) : !isRequired) {
    const message = `${parameter} may be absent, but the path needs it: calls without it fail. Add it to "required"`
    report("warning", "path-parameter-optional", message, inPath, offset)
  }
}

interface Sent {
  readonly where: string
  readonly name: string
  readonly parameter: string
}

/** A visible parameter in the place of a hidden one: the API would get the model's value too, or instead. */
const checkHidden = (entry: ApiEntry, report: Report): void => {
  if (entry.context.length === 0) return
  const hidden = new Set(entry.context.map((name) => name.toLowerCase()))
  const isHidden = ({ parameter }: Sent): boolean => hidden.has(parameter.toLowerCase())
  const sent = sentBy(entry)
  const keyOf = ({ name, where }: Sent): string => `${where} ${wireName(name)}`
  const own = new Map(sent.filter(isHidden).map((one) => [keyOf(one), one]))
  for (const one of sent) {
    const other = own.get(keyOf(one))
    if (other === undefined || isHidden(one)) continue
    const { name, parameter, where } = one
    const message = `${parameter}, which the model gives, is sent in the ${where} as ${name}, which is the name of the hidden ${other.parameter}: give it another name, or take it out`
    const isPlaced = Object.hasOwn(entry.api.parameters, parameter)
    const path = isPlaced ? ["api", "parameters"] : ["function", "parameters", "properties"]
    report("error", "hidden-name-taken", message, [...path, parameter])
  }
}

/** Parameters that would be sent beside the API's credential. A header is sent once, by the credential. */
export const checkCredential = (entry: ApiEntry, auth: Auth | undefined): ReadonlyArray<Fault> =>
  auth?.type !== "apiKey" || auth.in === "header"
    ? []
    : sentBy(entry)
        .filter(({ name, where }) => where === auth.in && wireName(name) === wireName(auth.name))
        .map(({ name, parameter, where }) => {
          const message = `${parameter} is sent in the ${where} as ${name}, which is the name of the API's credential: take it out`
          return ManifestProblem.error("credential-name-taken", message, [
            "function",
            "parameters",
            "properties",
            parameter
          ])
        })

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
