/**
 * The repeat guard: within one run, the nth identical call with an identical
 * result is told so, since a model that did not use the result once will not
 * use it the next time either.
 */
import { digest } from "../internal/digest.js"
import type { Outcome } from "../Outcome.js"
import type { Execution } from "./execution.js"

export const repeat = (execution: Execution, outcome: Outcome): void => {
  const limit = execution.machine.repeatLimit
  if (limit === undefined || !execution.run.isRemembered) return
  if (outcome._tag !== "Success" || outcome.notes.some((note) => note._tag === "Replayed")) return
  const seen = execution.run.results
  const key = digest(execution.digest, outcome.text)
  const times = (seen.get(key) ?? 0) + 1
  seen.set(key, times)
  if (times >= limit) execution.notes.push({ _tag: "Repeated", times })
}
