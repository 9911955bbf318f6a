/** What is wrong with an entry that keeps messages, whatever its executor is. */
import type { ApiEntry } from "../ManifestEntry.js"
import type { Fault } from "../Problem.js"
import { fieldOf, messageFields } from "./fields.js"

/** A field of the context named as one of a message would be written over it, or be written over. */
export const contextFaults = (entry: ApiEntry): ReadonlyArray<Fault> =>
  entry.context.flatMap((name, index) =>
    overlaps(name)
      ? [{ severity: "error", rule: "context-overlap", message: overlapping(name), path: ["context", index] } as const]
      : []
  )

export const overlaps = (name: string): boolean => messageFields.has(fieldOf(name)) || fieldOf(name) === "limit"

export const overlapping = (name: string): string =>
  `The context field ${JSON.stringify(name)} has the name of a field of messages; give it another name`
