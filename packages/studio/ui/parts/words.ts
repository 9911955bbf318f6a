/** What states are called: one word that is true, and its colour. */
import type * as Api from "../../src/Api.js"

export type Tone = "good" | "warn" | "wrong" | "on" | ""

export interface State {
  readonly word: string
  readonly tone: Tone
}

const outcomes: { readonly [Tag in Api.Outcome["_tag"]]: string } = {
  Success: "done",
  Failure: "failed",
  InvalidArguments: "wrong arguments",
  UnknownTool: "no such tool",
  Unavailable: "not on offer",
  Denied: "denied",
  Deferred: "waits",
  TimedOut: "timed out",
  Limited: "too many calls",
  Interrupted: "interrupted",
  Uncertain: "uncertain",
  Withheld: "withheld",
  InvalidResult: "wrong result",
  Defect: "broke",
  MissingContext: "lacks context"
}

/** Tags of runs from elsewhere may be newer than this page. */
export const outcomeWord = (tag: string): string =>
  Object.hasOwn(outcomes, tag) ? outcomes[tag as Api.Outcome["_tag"]] : tag

export const stateOfOutcome = ({ _tag, isError }: { readonly _tag: string; readonly isError: boolean }): State => ({
  word: outcomeWord(_tag),
  tone: _tag === "Deferred" ? "warn" : isError ? "wrong" : "good"
})

/** The call that a run waits for, if it does. */
export const waitOf = (run: Api.Run, approvals: ReadonlyArray<Api.Approval>): Api.Approval | undefined =>
  run.status === "running" || run.status === "paused" ? approvals.find(({ from }) => from.run === run.id) : undefined

/** A run whose every error was mended is not the same as one without. */
export const stateOfRun = (
  run: Api.Run,
  approvals: ReadonlyArray<Api.Approval>,
  decisions: ReadonlyArray<Api.Decision>
): State => {
  switch (run.status) {
    case "running":
      return waitOf(run, approvals) === undefined ? { word: "running", tone: "on" } : { word: "waits", tone: "warn" }
    case "paused":
      if (waitOf(run, approvals) !== undefined) return { word: "waits", tone: "warn" }
      // An answer that was given elsewhere is not heard of here.
      return { word: decisions.some(({ asked }) => asked === run.id) ? "answered" : "paused", tone: "" }
    case "stopped":
      return { word: "stopped", tone: "warn" }
    case "failed":
    case "interrupted":
      return { word: run.status, tone: "wrong" }
    case "finished":
      if (run.errors === 0) return { word: "done", tone: "good" }
      return run.problems.includes(run.outcome ?? "")
        ? { word: outcomeWord(run.outcome!), tone: "wrong" }
        : { word: "mixed", tone: "warn" }
  }
}

/** Whether something in it went wrong. */
export const isTroubled = ({ errors, status }: Api.Run): boolean =>
  errors > 0 || status === "failed" || status === "interrupted"

/** Whether that needs looking at: what a person or a rule has denied went as it was meant to. */
export const isFailed = (run: Api.Run): boolean =>
  isTroubled(run) && !(run.status === "finished" && run.problems.every((problem) => problem === "Denied"))

/** What a run was about; a call by hand is about its tool and the arguments. */
export const titleOfRun = ({ kind, name, title }: Api.Run): string =>
  title === undefined ? name : kind === "calls" ? `${name} · ${title}` : title

export const replies: { readonly [Tag in Api.Reply["_tag"] | "Failure"]: string } = {
  Approve: "Approved",
  ApproveWith: "Approved with changes",
  Deny: "Denied",
  Result: "Result sent",
  Failure: "Failure sent",
  Reply: "Reply sent"
}
