/** Stage `strip`: drops values that the model sent for hidden fields, however it spelled them. */
import { fold } from "../internal/folded.js"
import type { HiddenCodec } from "../toolset/hidden.js"
import type { Execution, Step } from "./execution.js"

type Arguments = { readonly [name: string]: unknown }

export const strip = (execution: Execution): Step => {
  const hidden = execution.entry.hidden
  if (hidden === undefined) return undefined
  const { fields, visible } = stripHidden(execution.arguments, hidden)
  for (const field of fields) execution.notes.push({ _tag: "Stripped", field })
  execution.arguments = visible
  return undefined
}

/** The arguments without those for hidden fields, and the names of these as they were spelled. */
export const stripHidden = (
  sent: Arguments,
  hidden: HiddenCodec
): { readonly visible: Arguments; readonly fields: ReadonlyArray<string> } => {
  const fields = Object.keys(sent).filter((key) => hidden.foldedKeys.has(fold(key)))
  if (fields.length === 0) return { visible: sent, fields }
  return { visible: Object.fromEntries(Object.entries(sent).filter(([key]) => !fields.includes(key))), fields }
}
