/** What the runner did to a call or its result beyond running it, so that nothing happens in silence. */
import type { JsonObject } from "./Json.js"

/**
 * A repair of argument text that has only one possible meaning.
 *
 * @category models
 */
export type Repair = "code-fence" | "trailing-comma" | "empty-text" | "special-token"

/**
 * What the runner did beyond running the call.
 *
 * - `Edited`: a person approved the call with these arguments in place of the model's; the model reads that.
 * - `Repaired`: the argument text was not JSON, but could only mean one thing.
 * - `Stripped`: a value was sent for a hidden field; it was dropped.
 * - `Replayed`: the journal already had this call's outcome; nothing was run.
 * - `Cached`: the result was taken from the result cache; nothing was run.
 * - `Retried`: the handler was run more than once.
 * - `Repeated`: an identical call in this run had an identical result before.
 * - `Bounded`: the result was too large; the model was given its head, and a handle to read on with where it may.
 *
 * @category models
 */
export type Note =
  | { readonly _tag: "Edited"; readonly arguments: JsonObject }
  | { readonly _tag: "Repaired"; readonly repair: Repair }
  | { readonly _tag: "Stripped"; readonly field: string }
  | { readonly _tag: "Replayed" }
  | { readonly _tag: "Cached" }
  | { readonly _tag: "Retried"; readonly attempts: number }
  | { readonly _tag: "Repeated"; readonly times: number }
  | { readonly _tag: "Bounded"; readonly bytes: number; readonly handle?: string }

/**
 * A note in a sentence, for a person.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Note } from "@wield/core"
 *
 * assert.strictEqual(Note.toText({ _tag: "Retried", attempts: 2 }), "the handler ran 2 times")
 * ```
 *
 * @category conversions
 */
export const toText = (note: Note): string => {
  switch (note._tag) {
    case "Edited":
      return "the arguments were changed by who approved them"
    case "Repaired":
      return `the arguments were repaired: ${note.repair}`
    case "Stripped":
      return `${note.field} was dropped: the call context supplies it`
    case "Replayed":
      return "the result is that of an earlier run of this call"
    case "Cached":
      return "the result comes from the cache"
    case "Retried":
      return `the handler ran ${note.attempts} times`
    case "Repeated":
      return `the same call has had the same result ${note.times} times`
    case "Bounded":
      return `the whole result has ${note.bytes} bytes; its handle is ${note.handle}`
  }
}
