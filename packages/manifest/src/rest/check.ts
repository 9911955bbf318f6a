/** What is wrong with an entry for a REST API, whatever the API is. */
import { Json } from "@wield/core"
import type { ApiEntry } from "../ManifestEntry.js"
import type { Fault } from "../Problem.js"
import { checkHeaders } from "./checkHeaders.js"
import { checkHidden } from "./checkHidden.js"
import { checkPath } from "./checkPath.js"
import { checkPlaces } from "./checkPlaces.js"
import { kindOf } from "./mediaType.js"
import { methodOf, methods, takesBody } from "./plan.js"
import { isPointer } from "./pointer.js"

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
