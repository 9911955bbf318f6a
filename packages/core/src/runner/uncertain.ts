/** A call that may have taken effect, and whose end is not known. */
import { digestOfWaiting } from "../internal/fingerprint.js"
import type { LazyIssues } from "../internal/codec.js"
import type { NotJson } from "../internal/json.js"
import * as Facts from "../Facts.js"
import type { Issue } from "../Issue.js"
import { Interrupted, InvalidResult, Uncertain, type Uncertainty } from "../Outcome.js"
import type { Entry } from "../toolset/model.js"
import type { Execution } from "./execution.js"
import { hiddenValuesOf } from "./hiddenValues.js"
import { reference } from "./reference.js"

/** Whether a call that may have been begun before can be run. */
export const mayRunAgain = ({ entry }: Execution): boolean => Facts.isRepeatable(entry.definition.facts)

/** With what a person needs who is to find out what became of the call. */
export const uncertain = (execution: Execution, reason: Uncertainty): Uncertain => {
  const { call, entry, notes } = execution
  // Of the call as it was sent, whatever a person would have made of it.
  const visible: unknown = JSON.parse(execution.argumentText)
  const digest = digestOfWaiting(entry, visible, hiddenValuesOf(execution), "approval")
  return new Uncertain({ call, notes, reason, arguments: visible, digest, facts: entry.definition.facts })
}

/** What a call comes to that its caller has stopped. It counts as begun unless it is certain that it never was. */
export const outcomeOfStop = (execution: Execution): Interrupted => {
  const { answer, attempt, call, notes, run } = execution
  // Before it is found, nothing is known of its tool.
  const entry: Entry | undefined = execution.entry
  const isNew = answer === undefined && (execution.isFresh ?? run.isNewTurn)
  const isReadOnly = entry?.definition.facts.isReadOnly ?? false
  return new Interrupted({ call, notes, isReadOnly, hasBegun: attempt > 0 || !isNew })
}

/** The handler ran, and what it gave does not fit. */
export const invalidResult = (
  { call, entry, notes }: Execution,
  issues: ReadonlyArray<Issue> | LazyIssues,
  id = reference()
): InvalidResult =>
  new InvalidResult({ call, notes, reference: id, issues, isReadOnly: entry.definition.facts.isReadOnly })

/** What it gave is not JSON. */
export const notJson = ({ call, entry, notes }: Execution, problems: ReadonlyArray<NotJson>): InvalidResult =>
  new InvalidResult({
    call,
    notes,
    reference: reference(),
    issues: problems.map(({ path, reason }) => ({
      path,
      expected: "a value that JSON can say",
      received: reason,
      message: `not JSON: ${reason}`
    })),
    isReadOnly: entry.definition.facts.isReadOnly,
    isJson: false
  })
