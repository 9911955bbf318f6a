/**
 * Stage `strip`: drops values that the model sent for hidden fields, however it
 * spelled them.
 */
import type { Execution, Step } from "./execution.js"

export const strip = (execution: Execution): Step => {
  const hidden = execution.entry.hidden
  if (hidden === undefined) return undefined
  const sent = execution.arguments
  const fields = Object.keys(sent).filter((key) => hidden.lowerCaseKeys.has(key.toLowerCase()))
  if (fields.length === 0) return undefined
  for (const field of fields) execution.notes.push({ _tag: "Stripped", field })
  execution.arguments = Object.fromEntries(Object.entries(sent).filter(([key]) => !fields.includes(key)))
  return undefined
}
