/** What happens in a run as the API has it: JSON, without what is not to be recorded and without what models never see. */
import type { AgentEvent } from "@wield/agent"
import type { ToolCall, Turn } from "@wield/core"
import * as Issue from "@wield/core/Issue"
import * as Note from "@wield/core/Note"
import * as CoreOutcome from "@wield/core/Outcome"
import type { Call, Happening, Outcome, Usage } from "../Api.js"

/** What is recorded beside metadata. */
export interface Recorded {
  readonly arguments: boolean
  readonly results: boolean
  readonly texts: boolean
}

export const everything: Recorded = { arguments: true, results: true, texts: true }

/** Calls are kept as they are until a client asks: their outcomes cost time to render. */
export type Kept = Happening | CallEvent | Finished

type CallEvent = Extract<AgentEvent.AgentEvent, { readonly call: ToolCall.ToolCall }>

/** The end of a call, with when it entered each stage. */
export interface Finished extends Extract<AgentEvent.AgentEvent, { readonly _tag: "CallFinished" }> {
  readonly heard: Heard
}

export interface Heard {
  readonly stages: Array<string>
  /** When each began, and after the last of them when it ended. */
  readonly times: Array<number>
}

/** An event of an agent as it is kept; `undefined` for the last one, whose result ends the run. */
export const keep = (event: AgentEvent.AgentEvent, recorded: Recorded): Kept | undefined => {
  switch (event._tag) {
    case "TextDelta":
    case "ReasoningDelta":
    case "RefusalDelta":
      return recorded.texts ? event : undefined
    case "ArgumentsDelta":
      return recorded.arguments ? event : undefined
    case "TurnStarted":
    case "CallAnnounced":
    case "CallStarted":
    case "CallProgress":
    case "CallFinished":
      return event
    case "TurnBroken":
      return { _tag: "TurnBroken", step: event.step, message: event.error.message, isRetried: event.isRetried }
    case "TurnFinished": {
      const { entry, step, turn } = event
      return {
        _tag: "TurnFinished",
        step,
        entry,
        ...(turn.model === undefined ? {} : { model: turn.model }),
        finish: turn.finish,
        usage: encodeUsage(turn.usage)
      }
    }
    case "UsageKnown":
      return { _tag: "UsageKnown", usage: encodeUsage(event.usage), total: encodeUsage(event.total) }
    case "Done":
      return undefined
  }
}

export const encode = (kept: Kept, recorded: Recorded): Happening => {
  switch (kept._tag) {
    case "CallStarted":
      return { _tag: "CallStarted", call: encodeCall(kept.call, recorded) }
    case "CallProgress":
      return {
        _tag: "CallProgress",
        call: encodeCall(kept.call, recorded),
        ...(recorded.results && kept.value !== undefined ? { value: jsonOf(kept.value) } : {})
      }
    case "CallFinished": {
      const { outcome } = kept
      const stages = "heard" in kept ? timesOf(kept.heard) : "stages" in kept ? kept.stages : undefined
      return {
        _tag: "CallFinished",
        call: encodeCall(kept.call, recorded),
        // One that came from elsewhere is encoded already.
        outcome: CoreOutcome.isOutcome(outcome) ? encodeOutcome(outcome, recorded) : (outcome as Outcome),
        ...(stages === undefined ? {} : { stages })
      }
    }
    default:
      return kept
  }
}

const timesOf = ({ stages, times }: Heard) =>
  stages.map((stage, index) => ({ stage, milliseconds: times[index + 1]! - times[index]! }))

export const encodeCall = ({ arguments: args, id, name }: Call, recorded: Recorded = everything): Call =>
  recorded.arguments && args !== undefined ? { id, name, arguments: jsonOf(args) } : { id, name }

export const encodeOutcome = (outcome: CoreOutcome.Outcome, recorded: Recorded = everything): Outcome => ({
  _tag: outcome._tag,
  isError: CoreOutcome.isError(outcome),
  notes: outcome.notes.map(Note.toText),
  ...(recorded.results ? contentOf(outcome) : {}),
  ...particularsOf(outcome, recorded)
})

const contentOf = (outcome: CoreOutcome.Outcome) => {
  const text = CoreOutcome.text(outcome)
  const images = outcome._tag === "Success" ? imagesOf(outcome) : []
  return {
    ...(text === undefined ? {} : { text }),
    ...(outcome._tag === "Success" || outcome._tag === "Failure" ? { value: outcome.encoded ?? null } : {}),
    ...(images.length === 0 ? {} : { images })
  }
}

const imagesOf = ({ content = [] }: CoreOutcome.Success) =>
  content.flatMap((part) =>
    (part._tag === "Image" || part._tag === "File") && part.source._tag === "Base64"
      ? [{ mediaType: part.mediaType, data: part.source.data }]
      : []
  )

/** What is asked, without what only the handler needs. */
export const encodeInput = ({ accepts, asks, round }: CoreOutcome.Input) => ({ round, asks, accepts: { ...accepts } })

const particularsOf = (outcome: CoreOutcome.Outcome, recorded: Recorded): Partial<Outcome> => {
  switch (outcome._tag) {
    case "Success":
    case "Failure":
    case "Interrupted":
      return {}
    case "InvalidArguments":
      // An issue quotes what was sent.
      return recorded.arguments ? { issues: outcome.issues.map(encodeIssue) } : {}
    case "UnknownTool":
    case "Unavailable":
      return { nearest: outcome.nearest }
    case "Denied":
      return { reason: outcome.reason }
    case "Deferred":
      return {
        waitsFor: outcome.waitsFor,
        digest: outcome.digest,
        ...(outcome.why === undefined ? {} : { why: outcome.why })
      }
    case "Uncertain":
      return { reason: outcome.reason, digest: outcome.digest }
    case "TimedOut":
      return { timeout: outcome.limit }
    case "Limited":
      return { retryAfter: outcome.retryAfter }
    case "InvalidResult":
    case "Defect":
      // What is wrong inside the program stands in its log only.
      return { reference: outcome.reference }
    case "MissingContext":
      return {
        reference: outcome.reference,
        // Without the value: it is a hidden field.
        issues: outcome.issues.map(({ expected, path }) => ({
          path,
          expected,
          message: `${Issue.pathToText(path)}: the call context has to hold ${expected}`
        }))
      }
  }
}

export const encodeIssue = (issue: Issue.Issue) => ({
  path: issue.path,
  expected: issue.expected,
  ...(issue.received === undefined ? {} : { received: issue.received }),
  message: Issue.toText(issue)
})

export const encodeUsage = (usage: Turn.Usage): Usage =>
  // Fields that are undefined have no JSON.
  Object.fromEntries(Object.entries(usage).filter(([, tokens]) => tokens !== undefined))

/** As JSON has it; a secret is `<redacted>`, and what has no JSON is null. */
export const jsonOf = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value) ? value : null
  }
  try {
    return JSON.parse(JSON.stringify(value) ?? "null")
  } catch {
    return null
  }
}
