/**
 * A model that is a function of the request, for tests whose turns depend on the
 * request: an echo, a simulation, a thousand conversations at once.
 */
import type { Model, ModelError } from "@wield/agent"
import type { TurnEvent } from "@wield/core"
import { aFunction, orThrow } from "@wield/core/Options"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { callCount, checkOptions, play, turnOf } from "./scripted/play.js"
import type { Options, Part, ScriptedTurn } from "./ScriptedModel.js"

/**
 * The result of the function: one part, several parts, a turn of
 * `ScriptedModel`, or the events themselves.
 *
 * @category models
 */
export type Answer =
  | Part
  | ReadonlyArray<Part>
  | ScriptedTurn
  | Stream.Stream<TurnEvent.TurnEvent, ModelError.ModelError>

/**
 * Makes a model from a function of the request and its number, from 0.
 *
 * Calls without an id are numbered in the order of the answers, over the life of
 * the model. Events from the function pass unchanged; they must end with
 * `Finished`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { FunctionModel, ScriptedModel } from "@wield/testing"
 * import { Turn } from "@wield/core"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const model = yield* FunctionModel.make((request, index) =>
 *     index === 0
 *       ? ScriptedModel.call("count", { messages: request.messages.length })
 *       : Effect.succeed(ScriptedModel.text("Done"))
 *   )
 *   const answer = Stream.runLast(model.stream({ messages: [], definitions: [] }))
 *   return [yield* Effect.flatten(answer), yield* Effect.flatten(answer)]
 * })
 * const turns = Effect.runSync(program).flatMap((event) => (event._tag === "Finished" ? [event.turn] : []))
 * assert.deepStrictEqual(turns.map(Turn.calls), [[{ id: "call_1", name: "count", arguments: { messages: 0 } }], []])
 * ```
 *
 * @category constructors
 */
export const make = (
  answer: (request: Model.ModelRequest, index: number) => Answer | Effect.Effect<Answer, ModelError.ModelError>,
  options: Options = {}
): Effect.Effect<Model.Model> => {
  orThrow(aFunction(answer), "What a FunctionModel answers with")
  orThrow(checkOptions(options), "What else a FunctionModel is made of")
  return Effect.map(Ref.make({ requests: 0, calls: 0 }), (state) => ({
    id: options.id ?? "function",
    format: options.format ?? "scripted",
    stream: (request) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const index = yield* Ref.modify(state, (before) => [
            before.requests,
            { ...before, requests: before.requests + 1 }
          ])
          const given = yield* evaluate(() => answer(request, index))
          if (isStream(given)) return given
          const scripted = turnOf(given)
          const firstCall = yield* Ref.modify(state, (before) => [
            before.calls + 1,
            { ...before, calls: before.calls + callCount(scripted) }
          ])
          return play(scripted, { turn: index + 1, firstCall }, { ...options, id: options.id ?? "function" })
        })
      )
  }))
}

const evaluate = (
  answer: () => Answer | Effect.Effect<Answer, ModelError.ModelError>
): Effect.Effect<Answer, ModelError.ModelError> =>
  Effect.suspend(() => {
    const given = answer()
    return Effect.isEffect(given) ? given : Effect.succeed(given)
  })

const isStream = (answer: Answer): answer is Stream.Stream<TurnEvent.TurnEvent, ModelError.ModelError> =>
  Stream.StreamTypeId in answer
