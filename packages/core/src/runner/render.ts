/**
 * Which words the model reads for each outcome. The text says what to do next
 * and nothing about the program's inside.
 */
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import * as Content from "../Content.js"
import * as Issue from "../Issue.js"
import { JournalError } from "../JournalError.js"
import type { Note } from "../Note.js"
import type { Defect, Interrupted, MissingContext, Outcome, TimedOut, Uncertainty } from "../Outcome.js"
import { type ToolResult, toText } from "../ToolResult.js"

export const doubt = "It may have taken effect. Check its effect before you repeat it."

/** An outcome as the model will read it; `undefined` for a deferred call, whose result is still to come. */
export const render = (outcome: Outcome): ToolResult | undefined => {
  const result = renderPlain(outcome)
  if (result === undefined || outcome.notes.length === 0) return result
  const remarks = outcome.notes.map(remark).filter((text) => text !== undefined)
  return remarks.length === 0 ? result : { ...result, content: [...result.content, ...remarks.map(Content.text)] }
}

const renderPlain = (outcome: Outcome): ToolResult | undefined => {
  switch (outcome._tag) {
    case "Success":
      return {
        id: outcome.id,
        name: outcome.name,
        isError: false,
        content: outcome.content ?? [Content.json(outcome.encoded)],
        ...(outcome.content === undefined ? { structured: outcome.encoded } : {})
      }
    case "Failure":
      return {
        id: outcome.id,
        name: outcome.name,
        isError: true,
        content: [Content.json(outcome.encoded)],
        structured: outcome.encoded
      }
    case "Deferred":
      return undefined
    default:
      return { id: outcome.id, name: outcome.name, isError: true, content: [Content.text(explain(outcome))] }
  }
}

/** What the model reads as text; `undefined` for a deferred call. */
export const text = (outcome: Outcome): string | undefined => {
  const result = render(outcome)
  return result === undefined ? undefined : toText(result)
}

const explain = (outcome: Exclude<Outcome, { readonly _tag: "Success" | "Failure" | "Deferred" }>): string => {
  switch (outcome._tag) {
    case "InvalidArguments": {
      const { issues } = outcome
      let text = `The arguments of ${outcome.name} are invalid; the tool was not run. Correct them and call it again.`
      for (const issue of issues.slice(0, shownIssues)) text += `\n- ${Issue.toText(issue)}`
      return issues.length > shownIssues ? `${text}\n- and ${issues.length - shownIssues} more` : text
    }
    case "UnknownTool":
      return `There is no tool named ${name(outcome.name)}.${suggestion(outcome.nearest)}`
    case "Unavailable":
      return `The tool ${name(outcome.name)} is not available now.${suggestion(outcome.nearest)}`
    case "Denied":
      return outcome.hasBegun
        ? `The call of ${outcome.name} was denied when it asked for input, and did not go on: ${outcome.reason}`
        : `The call of ${outcome.name} was denied and not run: ${outcome.reason}`
    case "TimedOut":
      return `The tool ${outcome.name} was stopped after its limit of ${outcome.limit} ms.${inPart(outcome)}`
    case "Limited":
      return `The tool ${outcome.name} is limited to ${outcome.limit} and was not run. Try again in ${Math.ceil(outcome.retryAfter / 1000)} s.`
    case "Interrupted":
      return outcome.hasBegun
        ? `The call of ${outcome.name} was interrupted.${inPart(outcome)}`
        : `The call of ${outcome.name} was interrupted before it was run.`
    case "Uncertain":
      return `This call of ${outcome.name} may already have taken effect: ${uncertainties[outcome.reason]}. It was not run again. Check its effect before you repeat it.`
    case "Defect":
      if (journalErrorOf(outcome) !== undefined) {
        return `The tool ${outcome.name} was not run: the program could not record the call (reference ${outcome.reference}). You may try again later.`
      }
      return internal(outcome)
    case "InvalidResult":
      return `The tool ${outcome.name} ran, but what it gave is no valid result (reference ${outcome.reference}). ${
        outcome.isReadOnly ? mistaken : doubt
      }`
    case "Withheld":
      return `The tool ${outcome.name} ran, but its result is withheld: ${outcome.reason}. Calling it again will not show it.`
    case "MissingContext":
      return internal(outcome)
  }
}

const begun = "it was begun and its end is not known"

const uncertainties: { readonly [Reason in Uncertainty]: string } = {
  begun,
  // By a process that closed, of which a model has to know nothing, as well as by the program.
  interrupted: begun,
  lost: "it was begun and its answer was lost",
  unrecorded: "there is no record of whether it was begun",
  unreadable: "the record of whether it was begun cannot be read"
}

const mistaken = "Calling it again with the same arguments will not help."

const internal = (outcome: Defect | MissingContext): string =>
  `The tool ${outcome.name} failed internally (reference ${outcome.reference}). ${mistaken}`

/** A tool that changes nothing has no effect, in part neither. */
const inPart = (outcome: TimedOut | Interrupted): string =>
  outcome.isReadOnly ? "" : " It may have taken effect in part."

/** More than this would only repeat the same mistake to the model. */
const shownIssues = 10

const suggestion = (nearest: ReadonlyArray<string>): string =>
  nearest.length === 0 ? " No tools are available." : ` Available, the nearest names first: ${nearest.join(", ")}.`

/** A name is the model's own text and may be anything. */
const name = (sent: string): string => JSON.stringify(sent.length > 80 ? `${sent.slice(0, 80)}…` : sent)

/** What the model has to know beyond how the call ended. */
const remark = (note: Note): string | undefined => {
  switch (note._tag) {
    case "Repeated":
      return `You have made this call ${note.times} times with the same arguments and the same result. Do not repeat it; use the result.`
    case "Edited":
      return `A person changed the arguments of this call to ${JSON.stringify(note.arguments)}.`
    default:
      return undefined
  }
}

/** Why the journal could not write down a call at its beginning, so that it was not run. */
export const journalErrorOf = ({ cause }: Defect): JournalError | undefined => {
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  return JournalError.is(failure) ? failure : undefined
}
