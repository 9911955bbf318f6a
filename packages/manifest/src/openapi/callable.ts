/** Whether the executor takes an entry; what it says of one is told of the operation. */
import type { ApiEntry } from "../ManifestEntry.js"
import { isError } from "../Problem.js"
import { check } from "../rest/check.js"
import type { Note } from "./Importing.js"
import type { Found } from "./operations.js"

export const isCallable = (entry: ApiEntry, { at, operation }: Found, note: Note): boolean => {
  const faults = check(entry)
  const isLeftOut = faults.some(isError)
  for (const fault of faults) {
    const what = `${operation.method} ${operation.path}${isLeftOut && isError(fault) ? " is left out" : ""}`
    note(fault.severity, fault.rule, `${what}: ${fault.message}`, at, entry.function.name)
  }
  return !isLeftOut
}
