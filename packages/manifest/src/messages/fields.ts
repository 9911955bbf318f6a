/** The fields that a message is saved with, and how their names may be written. */
import type { ApiEntry } from "../ManifestEntry.js"
import type { Fault } from "../Problem.js"

export interface Fields {
  readonly role: string
  readonly content: string
  readonly name: string | null
  /** JSON text. */
  readonly functionCall: string | null
}

/** Other names are the same without case and underscores: `function_call`. */
export const foldName = (name: string): string => name.toLowerCase().replaceAll("_", "")

/** By their folded names; Acorn's own files know the role as `messageType` too. */
const aliases: { readonly [name: string]: string } = { messagetype: "role" }

export const fieldOf = (name: string): string => {
  const key = foldName(name)
  return Object.hasOwn(aliases, key) ? (aliases[key] ?? key) : key
}

export const messageFields: ReadonlySet<string> = new Set(
  "role content name functioncall uuid timestamp numtokens metadata".split(" ")
)

/** How they are written where an API is sent all of them. */
export const allNames: ReadonlyArray<string> =
  "role content name functionCall function_call uuid timestamp numTokens".split(" ")

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
