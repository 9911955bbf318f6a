/**
 * What the next turn is asked with.
 */
import type { Message } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import * as Effect from "effect/Effect"
import { newId } from "../conversation/newId.js"
import type { Changes, Run } from "./plan.js"
import { append } from "./record.js"
import type { State } from "./state.js"
import type { Asked } from "./turn.js"

export const prepare = (state: State): Effect.Effect<Asked, unknown> =>
  Effect.gen(function* () {
    const { plan } = state
    const given = plan.instructions === undefined ? undefined : yield* plan.instructions
    const changes = yield* changesOf(state, given)
    const instructions = changes.instructions ?? given
    const model = changes.model ?? plan.model
    const entry = yield* newId
    const offered = offeredNames(state, changes)
    const run: Run = state.run.forRun({ turn: entry, ...(offered === undefined ? {} : { offered }) })
    const definitions = yield* run.definitions
    const view = yield* plan.window.view(state.entries, { instructions, definitions })
    if (view.summary !== undefined) {
      const { turn } = view.summary
      if (turn !== undefined) state.use(turn.model ?? model.id, turn.usage)
      yield* append(state, view.summary)
    }
    const messages: ReadonlyArray<Message.Message> =
      instructions === undefined
        ? view.messages
        : [{ _tag: "System", text: instructions, native: undefined }, ...view.messages]
    const options = optionsOf(state, changes, definitions.length > 0)
    const settings = { ...plan.settings, ...changes.settings }
    return { entry, model, run, definitions, offered, request: { messages, definitions, options, settings } }
  })

const changesOf = (state: State, instructions: string | undefined): Effect.Effect<Changes, unknown> =>
  state.plan.prepare === undefined
    ? Effect.succeed({})
    : state.plan.prepare({
        number: state.steps + 1,
        model: state.plan.model,
        instructions,
        entries: state.entries,
        usage: state.usage
      })

/** Whatever else is on offer, the tool for the final output is. */
const offeredNames = (state: State, changes: Changes): ReadonlyArray<string> | undefined => {
  if (changes.offered === undefined) return undefined
  const { output } = state.plan
  return output === undefined ? [...changes.offered] : [...changes.offered, output.tool]
}

const optionsOf = (state: State, changes: Changes, hasTools: boolean): WireFormat.ToolsOptions => {
  const options = { ...state.plan.options, ...changes.options }
  if (!hasTools) return { ...options, choice: undefined }
  // With a tool for the final output, words alone are never the answer.
  return state.plan.output !== undefined && options.choice === undefined
    ? { ...options, choice: { _tag: "Required" } }
    : options
}
