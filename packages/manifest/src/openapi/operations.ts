/** The operations of a specification that are asked for. */
import { Json } from "@wield/core"
import type { Operation, Options } from "../OpenApi.js"
import type { Importing, Path } from "./Importing.js"
import { isResolved } from "./reference.js"

export interface Found {
  readonly operation: Operation
  readonly object: Json.JsonSchema
  readonly pathItem: Json.JsonSchema
  /** Where it stands, from the root of the specification. */
  readonly at: Path
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

export const operationsOf = (importing: Importing): ReadonlyArray<Found> => {
  const { document, note, resolve } = importing
  const { paths } = document
  if (!Json.isObject(paths)) {
    // 3.1 allows a specification of webhooks alone.
    note("warning", "no-paths", "the specification has no `paths`, so there is nothing to import", ["paths"])
    return []
  }
  return Object.entries(paths).flatMap(([path, item]) => {
    if (path.startsWith("x-")) return []
    const pathItem = resolve(item)
    if (!isResolved(pathItem)) {
      note("error", "unresolved-reference", `${path} is left out: ${pathItem.notResolved}`, ["paths", path])
      return []
    }
    return methods.flatMap((key): ReadonlyArray<Found> => {
      const object = pathItem[key]
      if (object === undefined) return []
      const at = ["paths", path, key]
      if (!Json.isObject(object)) {
        note("error", "malformed-operation", `${key} ${path} is left out: an operation is an object`, at)
        return []
      }
      if (key === "trace") {
        note("error", "unsupported-method", `TRACE ${path} is left out: requests of this method are not made`, at)
        return []
      }
      const operation = operationOf(object, key, path)
      return isAskedFor(operation, importing.options) ? [{ operation, object, pathItem, at }] : []
    })
  })
}

const operationOf = (object: Json.JsonSchema, method: string, path: string): Operation => ({
  id: typeof object["operationId"] === "string" ? object["operationId"] : undefined,
  method: method.toUpperCase(),
  path,
  tags: Array.isArray(object["tags"]) ? object["tags"].filter((tag) => typeof tag === "string") : [],
  isDeprecated: object["deprecated"] === true
})

const isAskedFor = (operation: Operation, options: Options): boolean => {
  const { filter, methods, operations, paths, tags } = options
  if (options.isDeprecatedLeftOut === true && operation.isDeprecated) return false
  if (tags !== undefined && !operation.tags.some((tag) => tags.includes(tag))) return false
  if (methods !== undefined && !methods.some((method) => method.toUpperCase() === operation.method)) return false
  if (operations !== undefined && (operation.id === undefined || !operations.includes(operation.id))) return false
  if (paths !== undefined && !paths.some((pattern) => fits(operation.path, pattern))) return false
  return filter === undefined || filter(operation)
}

const fits = (path: string, pattern: string): boolean =>
  pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern
