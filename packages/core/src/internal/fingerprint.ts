/**
 * What a person or a client is asked about, as one digest: the tool as it is
 * defined, the visible arguments, the values of the hidden fields, and what the
 * call waits for.
 */
import type { WaitsFor } from "../Outcome.js"
import type { ToolDefinition } from "../ToolDefinition.js"
import * as Digest from "../Digest.js"
import * as Json from "../Json.js"
import { memoize } from "./memoize.js"

/** The part of a toolset's entry that an approval is of. */
interface Defined {
  readonly definition: ToolDefinition
  readonly hidden: { readonly foldedKeys: ReadonlySet<string> } | undefined
}

/**
 * SHA-256 over a tool's definition and the names of its hidden fields, made once: an entry never changes, an altered
 * tool has another one.
 */
export const fingerprintOf: (entry: Defined) => string = memoize(({ definition, hidden }) => {
  const { description, facts, inputSchema, name, native, outputSchema } = definition
  const names = hidden === undefined ? [] : [...hidden.foldedKeys].sort()
  // Of a tool of a server, its own name there. What else it lists may differ each time, such as `_meta` or icons.
  const own = Json.isObject(native?.json) ? [native.json["name"]] : []
  return Digest.ofValues(name, description, inputSchema, outputSchema, facts, names, ...own)
})

/**
 * What an approval is of differs from what a client's result is of, so that
 * neither can be given for the other. Hidden values and the subject are in it as
 * digests only: the digest leaves the process.
 */
export const digestOfWaiting = (
  entry: Defined,
  visibleArguments: unknown,
  hiddenValues: unknown,
  waitsFor: WaitsFor,
  /** What was asked for as input. */
  step?: string
): string =>
  Digest.ofValues(
    fingerprintOf(entry),
    visibleArguments,
    waitsFor,
    ...(hiddenValues === undefined ? [] : [Digest.ofValues(hiddenValues)]),
    ...(step === undefined ? [] : [step])
  )

/** The same with what exactly the rule asked about. */
export const withSubject = (waiting: string, subject: string | undefined): string =>
  subject === undefined ? waiting : `${waiting}:${Digest.ofValues(waiting, subject)}`

/** The digest without its subject; `undefined` for another text. */
export const withoutSubject = (digest: unknown): string | undefined =>
  typeof digest === "string" && /^[0-9a-f]{64}(:[0-9a-f]{64})?$/.test(digest) ? digest.slice(0, 64) : undefined
