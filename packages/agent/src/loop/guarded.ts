/** Guards of the policy, on what goes into a model and what comes out of it. */
import type { Content, TurnEvent } from "@wield/core"
import * as Guard from "@wield/core/Guard"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { GuardBlocked, type ModelError } from "../ModelError.js"
import type { State } from "./state.js"

const check = (state: State, on: "input" | "output", text: string): Effect.Effect<void, GuardBlocked> => {
  const guards = Guard.guardsOn(state.plan.guards, on)
  if (guards.length === 0 || text === "") return Effect.void
  return Effect.flatMap(Guard.ask(guards, text, { on, context: state.context, call: undefined }), (blocked) =>
    blocked === undefined ? Effect.void : Effect.fail(new GuardBlocked({ ...blocked, on }))
  )
}

/** What a user says, before it is recorded: else it would go to the model with the next message. */
export const checkInput = (
  state: State,
  content: string | ReadonlyArray<Content.Part>
): Effect.Effect<void, GuardBlocked> =>
  check(state, "input", typeof content === "string" ? content : content.map(textOf).join("\n"))

const textOf = (part: Content.Part): string => {
  if (part._tag === "Text") return part.text
  return part._tag === "JsonValue" ? (JSON.stringify(part.value) ?? "") : ""
}

type Events = Stream.Stream<TurnEvent.TurnEvent, ModelError>

/** What a model says is held back until it is whole, where a guard may block it: then no part of it is seen, and no call begins. */
export const holdBack = (state: State, events: Events): Events => {
  const guards = Guard.guardsOn(state.plan.guards, "output")
  if (guards.length === 0) return events
  const isHeld = guards.some(({ mode }) => mode !== "report")
  return Stream.suspend(() => {
    const held: Array<TurnEvent.TurnEvent> = []
    const seen = Stream.filter(events, (event) => {
      held.push(event)
      return !isHeld || event._tag === "UsageKnown"
    })
    const released = Effect.suspend(() =>
      Effect.as(
        check(state, "output", said(state, held)),
        isHeld ? held.filter(({ _tag }) => _tag !== "UsageKnown") : []
      )
    )
    return Stream.concat(seen, Stream.unwrap(Effect.map(released, Stream.fromIterable)))
  })
}

/** All that readers of the run see of it: words, reasoning, and a final answer that is a call. */
const said = ({ plan }: State, events: ReadonlyArray<TurnEvent.TurnEvent>): string => {
  let text = ""
  for (const event of events) {
    if (event._tag === "TextDelta" || event._tag === "ReasoningDelta" || event._tag === "RefusalDelta")
      text += event.text
    if (event._tag === "CallComplete" && event.part.call.name === plan.output?.tool) {
      const { arguments: sent } = event.part.call
      text += `\n${typeof sent === "string" ? sent : JSON.stringify(sent)}`
    }
  }
  return text
}
