/**
 * Stage `inject`: the hidden fields from the call context, decoded by their own
 * schemas. What is missing here is the program's mistake.
 */
import { MissingContext } from "../Outcome.js"
import { convertStep } from "./decode.js"
import type { Execution, Step } from "./execution.js"
import { reference } from "./reference.js"

export const inject = (execution: Execution): Step => {
  const hidden = execution.entry.hidden
  if (hidden === undefined) return undefined
  return convertStep(
    hidden.inject(execution.parameters, execution.values),
    (parameters) => {
      execution.parameters = parameters
    },
    (issues) => new MissingContext(execution.call, execution.name, execution.notes, reference(), issues())
  )
}
