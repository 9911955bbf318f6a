/**
 * Stage `inject`: adds the hidden fields from the call context, decoded by their
 * own schemas, then lets a tool validate its parameters as a whole. A missing or
 * invalid hidden field is the program's mistake.
 */
import * as Effect from "effect/Effect"
import { effectOf } from "../internal/effectOf.js"
import { fold } from "../internal/folded.js"
import { InvalidArguments, isOutcome, MissingContext } from "../Outcome.js"
import type { Issue } from "../Issue.js"
import { convertStep } from "./decode.js"
import type { Execution, Step } from "./execution.js"
import { reference } from "./reference.js"

export const inject = (execution: Execution): Step => {
  const { hidden, validate } = execution.entry
  const injected =
    hidden === undefined
      ? undefined
      : convertStep(hidden.inject(execution.parameters, execution.values), replaceParameters(execution), (issues) =>
          missing(execution, issues())
        )
  if (validate === undefined || isOutcome(injected)) return injected
  const validated = (): Step =>
    convertStep(validate(execution.parameters), replaceParameters(execution), (lazyIssues) => {
      const issues = lazyIssues()
      const isHidden = ({ path: [key] }: Issue) => hidden?.foldedKeys.has(fold(String(key))) === true
      return issues.some(isHidden)
        ? missing(execution, issues.filter(isHidden))
        : new InvalidArguments({ call: execution.call, notes: execution.notes, issues })
    })
  if (injected === undefined) return validated()
  return Effect.flatMap(injected, (outcome) => effectOf(outcome ?? validated()))
}

const replaceParameters = (execution: Execution) => (parameters: unknown) => {
  execution.parameters = parameters
}

const missing = ({ call, notes }: Execution, issues: ReadonlyArray<Issue>): MissingContext =>
  new MissingContext({ call, notes, reference: reference(), issues })
