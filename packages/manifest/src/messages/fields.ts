/**
 * The fields that a message is saved with, and how their names may be written.
 */

/** Values by the names that Acorn gives them. */
export interface Fields {
  readonly role: string
  readonly content: string
  /** Of the tool. */
  readonly name: string | null
  /** JSON text. */
  readonly functionCall: string | null
}

/** Other names are the same without case and underscores: `function_call`. */
export const foldName = (name: string): string => name.toLowerCase().replaceAll("_", "")

/** By their folded names; Acorn's own files know the role as `messageType` too. */
const aliases: { readonly [name: string]: string } = { messagetype: "role" }

/** The name of the field that is meant, folded. */
export const fieldOf = (name: string): string => {
  const key = foldName(name)
  return Object.hasOwn(aliases, key) ? (aliases[key] ?? key) : key
}

/** What is saved of each message besides the fields of the context. */
export const messageFields: ReadonlySet<string> = new Set([
  "role",
  "content",
  "name",
  "functioncall",
  "uuid",
  "timestamp",
  "numtokens",
  "metadata"
])

/** How they are written where an API is sent all of them. */
export const allNames: ReadonlyArray<string> = [
  "role",
  "content",
  "name",
  "functionCall",
  "function_call",
  "uuid",
  "timestamp",
  "numTokens"
]
