/** The operations of a specification that are asked for. */
import * as Json from "@wield/core/Json"
import type { Operation } from "../OpenApi.js"
import type { Path } from "../ManifestProblem.js"
import type { Importing } from "./Importing.js"
import { isResolved, withSiblings } from "./reference.js"
import { isAskedFor, reportUnmatched } from "./selection.js"

export interface Found {
  readonly operation: Operation
  /** What it refers to, where it is given by reference, with what stands beside the reference. */
  readonly object: Json.JsonSchema
  readonly pathItem: Json.JsonSchema
  readonly at: Path
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch"]

/** Operations that no request is made of, and where OpenAPI 3.2 keeps those of further methods. */
const unsupported = ["trace", "query", "additionalOperations"]

const others = ["$ref", "summary", "description", "servers", "parameters"]

const known = new Set([...methods, ...unsupported, ...others])

export const operationsOf = (importing: Importing): ReadonlyArray<Found> => {
  const { document, note, options, resolve } = importing
  if ((document["paths"] ?? undefined) === undefined) {
    // 3.1 allows a specification of webhooks alone.
    note("warning", "no-paths", "the specification has no `paths`, so there is nothing to import", ["paths"])
    return []
  }
  const paths = withSiblings(document["paths"], resolve)
  if (!isResolved(paths)) {
    note("error", "unresolved-reference", `nothing is imported: ${paths.notResolved}`, ["paths"])
    return []
  }
  const all = Object.entries(paths).flatMap(([path, item]) =>
    path.startsWith("x-") ? [] : operationsAt(path, item, importing)
  )
  reportUnmatched(all, importing)
  return all.filter(({ operation }) => isAskedFor(operation, options))
}

const operationsAt = (path: string, item: unknown, { note, resolve }: Importing): ReadonlyArray<Found> => {
  const here = ["paths", path]
  const pathItem = withSiblings(item, resolve)
  if (!isResolved(pathItem)) {
    note("error", "unresolved-reference", `${path} is left out: ${pathItem.notResolved}`, here)
    return []
  }
  const twice = statedTwice(item, resolve)
  if (twice.length > 0) {
    const problem = `${twice.join(", ")} of ${path} are there twice: beside the reference, which count, and in what it refers to`
    note("warning", "ambiguous-path-item", problem, here)
  }
  const keys = new Set([...methods.filter((method) => pathItem[method] !== undefined), ...Object.keys(pathItem)])
  return [...keys].flatMap((key): ReadonlyArray<Found> => {
    const stated = pathItem[key]
    const at = [...here, key]
    if (unsupported.includes(key)) {
      const problem = `${key} of ${path} is left out: only requests of the methods ${methods.join(", ")} are made`
      note("error", "unsupported-method", problem, at)
      return []
    }
    if (!known.has(key) && !key.startsWith("x-")) {
      const problem = `${key} of ${path} is left out: a path has the methods ${methods.join(", ")}, in small letters`
      note("error", "unknown-field", problem, at)
      return []
    }
    if (!methods.includes(key)) return []
    const object = withSiblings(stated, resolve)
    if (!isResolved(object)) {
      const rule = Json.isObject(stated) ? "unresolved-reference" : "malformed-operation"
      note("error", rule, `${key} ${path} is left out: ${object.notResolved}`, at)
      return []
    }
    const list = [object, pathItem].find(({ parameters }) => !Array.isArray(parameters ?? []))
    if (list !== undefined) {
      const listed = [...(list === object ? at : here), "parameters"]
      note("error", "malformed-operation", `${key} ${path} is left out: its \`parameters\` are no list`, listed)
      return []
    }
    return [{ operation: operationOf(object, key, path), object, pathItem, at }]
  })
}

/** What stands beside a reference to a path item and in it: OpenAPI leaves open which counts. */
const statedTwice = (item: unknown, resolve: Importing["resolve"]): ReadonlyArray<string> => {
  const target = resolve(item)
  return Json.isObject(item) && isResolved(target) && target !== item
    ? Object.keys(item).filter((key) => key !== "$ref" && Object.hasOwn(target, key))
    : []
}

const operationOf = (object: Json.JsonSchema, method: string, path: string): Operation => ({
  id: typeof object["operationId"] === "string" ? object["operationId"] : undefined,
  method: method.toUpperCase(),
  path,
  tags: Array.isArray(object["tags"]) ? object["tags"].filter((tag) => typeof tag === "string") : [],
  isDeprecated: object["deprecated"] === true
})
