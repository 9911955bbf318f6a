/**
 * The repeat guard: within one run, the nth identical call with an identical
 * result gets a note that says so, since a model that did not use the result once will not
 * use it the next time either. A call whose result changes starts again.
 */
import * as Digest from "../Digest.js"
import type { Outcome } from "../Outcome.js"
import type { Execution } from "./execution.js"

export const repeat = (execution: Execution, outcome: Outcome): Outcome => {
  const limit = execution.machine.repeatLimit
  if (limit === undefined || !execution.run.isRemembered) return outcome
  if (outcome._tag !== "Success" || outcome.notes.some((note) => note._tag === "Replayed")) return outcome
  const { name, run } = execution
  const sent = execution.call.arguments
  // A model that repeats itself repeats its text, too.
  const key = short(typeof sent === "string" ? sent : execution.argumentText)
  const result = short(outcome.text)
  let ofTool = run.results.get(name)
  if (ofTool === undefined) run.results.set(name, (ofTool = new Map()))
  const seen = ofTool.get(key)
  const times = seen?.result === result ? seen.times + 1 : 1
  if (seen === undefined) {
    ofTool.set(key, { result, times })
  } else {
    seen.result = result
    seen.times = times
  }
  if (times >= limit) execution.notes.push({ _tag: "Repeated", times })
  return outcome
}

/** Long texts are remembered by their digest. */
const short = (text: string): string => (text.length > 1024 ? Digest.ofText(text) : text)
