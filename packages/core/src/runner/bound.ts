/** `bound`, what follows a call: a result over its limit is given to the model in pieces. */
import * as Content from "../Content.js"
import { type Outcome, Success } from "../Outcome.js"
import { unsafeMonotonic } from "../Time.js"
import type { Execution } from "./execution.js"
import { readResult, slice } from "./resultStore.js"

/**
 * A result over its limit is kept, and the model is given its
 * head, its size and a handle. Content of several parts is left as it is: an
 * image has no head.
 */
export const bound = (execution: Execution, outcome: Outcome): Outcome => {
  const store = execution.machine.results
  if (store === undefined || outcome._tag !== "Success" || outcome.content !== undefined) return outcome
  if (execution.entry.isFresh === true || isWithin(outcome.text, store.maxBytes)) return outcome
  const { notes } = execution
  const { call, encoded, result, text } = outcome
  const bytes = new TextEncoder().encode(text).length
  const handle = store.isReadable ? store.keep(text, unsafeMonotonic(execution.clock)) : undefined
  const head = slice(text, 0, store.headCharacters)
  notes.push({ _tag: "Bounded", bytes, ...(handle === undefined ? {} : { handle }) })
  const rest =
    handle === undefined
      ? "The rest is not shown: ask for less at once"
      : `Read on with ${readResult} ${JSON.stringify({ handle, offset: head.end })}`
  const howToReadOn = `[The result has ${bytes} bytes; these are its first ${head.end} of ${text.length} characters. ${rest}]`
  return new Success({
    call,
    notes,
    result,
    encoded,
    text,
    content: [Content.text(head.text), Content.text(howToReadOn)]
  })
}

/** A character is one to three bytes, so most texts need not be measured. */
const isWithin = (text: string, maxBytes: number): boolean =>
  text.length * 3 <= maxBytes || (text.length <= maxBytes && new TextEncoder().encode(text).length <= maxBytes)
