/** What is wrong with an entry's headers. */
import type { ApiEntry } from "../ManifestEntry.js"
import type { Fault, Severity } from "../Problem.js"
import { checkPlaceholder } from "./checkPath.js"
import { isConnectionHeader, isHeaderName, isHeaderValue } from "./header.js"
import { placeholdersOf, template } from "./template.js"

export const checkHeaders = (entry: ApiEntry): ReadonlyArray<Fault> => {
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
