/** What is wrong with where an entry puts its parameters. */
import type { ApiEntry, ParameterPlace } from "../ManifestEntry.js"
import type { Fault, Severity } from "../Problem.js"
import { headerNameFault } from "./checkHeaders.js"
import { isHeaderName } from "./header.js"
import { parameterNamesOf, isUnlisted, methodOf, planOf, takesBody } from "./plan.js"
import { placeholdersOf } from "./template.js"

type Style = NonNullable<ParameterPlace["style"]>

/** OpenAPI 3.1, "Style Values". Bodies that are forms are written like queries. */
export const styles: Record<ParameterPlace["in"], ReadonlyArray<Style>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
  body: ["form", "spaceDelimited", "pipeDelimited", "deepObject"]
}

export const checkPlaces = (entry: ApiEntry): ReadonlyArray<Fault> => {
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
