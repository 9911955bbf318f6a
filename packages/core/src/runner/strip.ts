/** Stage `strip`: drops values that the model sent for hidden fields, however it spelled them. */
import { stripHidden } from "../toolset/hidden.js"
import type { Execution, Step } from "./execution.js"

export const strip = (execution: Execution): Step => {
  const hidden = execution.entry.hidden
  if (hidden === undefined) return undefined
  const { fields, visible } = stripHidden(execution.arguments, hidden)
  for (const field of fields) execution.notes.push({ _tag: "Stripped", field })
  execution.arguments = visible
  return undefined
}
