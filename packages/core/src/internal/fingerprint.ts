/**
 * What a person or a client is asked about, as one digest: the tool as it is
 * defined, the visible arguments, and what the call waits for.
 */
import type { ToolDefinition } from "../ToolDefinition.js"
import { digest } from "./digest.js"

/** The part of a toolset's entry that an approval is of. */
interface Defined {
  readonly definition: ToolDefinition
  readonly hidden: { readonly foldedKeys: ReadonlySet<string> } | undefined
}

// A cache by identity: an entry never changes, an altered tool has another one.
const fingerprints = new WeakMap<Defined, string>()

/** SHA-256 over a tool's definition and the names of its hidden fields. */
export const fingerprintOf = (entry: Defined): string => {
  let fingerprint = fingerprints.get(entry)
  if (fingerprint === undefined) {
    const { description, facts, inputSchema, name, outputSchema } = entry.definition
    const hidden = entry.hidden === undefined ? [] : [...entry.hidden.foldedKeys].sort()
    fingerprint = digest(name, description, inputSchema, outputSchema, facts, hidden)
    fingerprints.set(entry, fingerprint)
  }
  return fingerprint
}

/**
 * What an approval is of differs from what a client's result is of, so that
 * neither can be given for the other. A subject follows its digest in clear: a
 * response names the digest, and the rule has to know what was approved.
 */
export const digestOfWaiting = (
  entry: Defined,
  visibleArguments: unknown,
  waitsFor: "approval" | "client",
  subject?: string
): string =>
  subject === undefined
    ? digest(fingerprintOf(entry), visibleArguments, waitsFor)
    : `${digest(fingerprintOf(entry), visibleArguments, waitsFor, subject)}:${subject}`

/** The subject that a digest names, whether or not it is that of any call. */
export const subjectOf = (digest: unknown): string | undefined => {
  const end = typeof digest === "string" ? digest.indexOf(":") : -1
  return typeof digest === "string" && end !== -1 ? digest.slice(end + 1) : undefined
}
