/** What happens in a run as the API has it: JSON, without what is not to be recorded and without what models never see. */
import * as AgentEvent from "@wield/agent/AgentEvent"
import * as WithinCall from "@wield/agent/WithinCall"
import type { ToolCall } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as CoreOutcome from "@wield/core/Outcome"
import type { Call, Happening, Outcome } from "../Api.js"

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
    case "CallStarted":
    case "CallProgress":
    case "CallFinished":
      return event
    case "TurnFinished":
      return { ...AgentEvent.toHappening(event), ...(recorded.texts ? {} : { text: "" }) }
    case "Done":
      return undefined
    default:
      return AgentEvent.toHappening(event)
  }
}

export const encode = (kept: Kept, recorded: Recorded): Happening => {
  switch (kept._tag) {
    case "CallStarted":
      return { _tag: "CallStarted", call: encodeCall(kept.call, recorded) }
    case "CallProgress": {
      const { call, value } = kept
      const within = WithinCall.eventIn(value)
      const inner = within && keep(within, recorded)
      const own = recorded.results && value !== undefined ? { value: Json.attempt(value) } : {}
      const shown = within === undefined ? own : inner === undefined ? {} : { value: encode(inner, recorded) }
      return { _tag: "CallProgress", call: encodeCall(call, recorded), ...shown }
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
  recorded.arguments && args !== undefined ? { id, name, arguments: Json.attempt(args) } : { id, name }

export const encodeOutcome = (outcome: CoreOutcome.Outcome, recorded: Recorded = everything): Outcome => {
  const { images, issues, text, value, ...others } = CoreOutcome.toJson(outcome)
  return {
    ...others,
    ...(recorded.results ? Json.withoutUndefined({ text, value, images }) : {}),
    // An issue of the arguments quotes what was sent.
    ...(recorded.arguments || outcome._tag !== "InvalidArguments" ? Json.withoutUndefined({ issues }) : {})
  }
}
