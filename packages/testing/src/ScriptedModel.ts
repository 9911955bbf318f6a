/**
 * A model whose turns are written in a test. It streams them as a provider
 * does: text in several deltas, each call complete before the turn is finished.
 */
import type { Model, ModelError } from "@wield/agent"
import { Turn } from "@wield/core"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { described } from "./scripted/described.js"
import { callCount, type Options, type Part, type ScriptedTurn, turnOf } from "./scripted/model.js"
import { play } from "./scripted/play.js"
import { ScriptExhausted, TurnsLeft } from "./ScriptError.js"

export type {
  /**
   * What a turn is made of: `text`, `reasoning`, `refusal`, `call`, and what
   * goes with them (`delay`, `wait`, `usage`, `finish`).
   *
   * @category models
   */
  Part,
  /**
   * One answer of the model.
   *
   * @category models
   */
  ScriptedTurn,
  /**
   * How turns are played.
   *
   * @category models
   */
  Options
} from "./scripted/model.js"

/**
 * A model that plays a script and keeps what it was asked.
 *
 * @category models
 */
export interface ScriptedModel extends Model.Model {
  /** The requests that came so far, in their order. */
  readonly requests: Effect.Effect<ReadonlyArray<Model.ModelRequest>>
  /** The turns that no request came for yet. */
  readonly left: Effect.Effect<ReadonlyArray<ScriptedTurn>>
}

/**
 * Text for the user; a turn of its own, or a part of one.
 *
 * @category parts
 */
export const text = (text: string): Part => ({ _tag: "Text", text })

/**
 * Reasoning that the model shows.
 *
 * @category parts
 */
export const reasoning = (text: string): Part => ({ _tag: "Reasoning", text })

/**
 * The model declines to answer.
 *
 * @category parts
 */
export const refusal = (text: string): Part => ({ _tag: "Refusal", text })

/**
 * A call. Arguments that are a string are sent as they are, broken JSON too.
 * Its id is `call_1` for the first call of the script, `call_2` for the
 * second, and so on, unless given.
 *
 * @category parts
 */
export const call = (
  name: string,
  args: unknown = {},
  options: { readonly id?: string | undefined; readonly executedBy?: "application" | "provider" | undefined } = {}
): Part => ({
  _tag: "Call",
  id: options.id,
  name,
  arguments: args,
  executedBy: options.executedBy ?? "application",
  isPartial: false
})

/**
 * A call that begins and whose arguments never become complete, for turns that
 * break off.
 *
 * @category parts
 */
export const partialCall = (
  name: string,
  argumentsText: string,
  options: { readonly id?: string | undefined } = {}
): Part => ({
  _tag: "Call",
  id: options.id,
  name,
  arguments: argumentsText,
  executedBy: "application",
  isPartial: true
})

/**
 * Time that passes before the next part.
 *
 * @category parts
 */
export const delay = (duration: Duration.DurationInput): Part => wait(Effect.sleep(duration))

/**
 * The next part comes when the effect has ended: a latch that a handler opens
 * shows that it was started while the model still streamed.
 *
 * @category parts
 */
export const wait = (effect: Effect.Effect<unknown>): Part => ({ _tag: "Wait", effect })

/**
 * The tokens of the turn; what is not given is unknown.
 *
 * @category parts
 */
export const usage = (tokens: Partial<Turn.Usage>): Part => ({
  _tag: "Usage",
  usage: { ...Turn.unknownUsage, ...tokens }
})

/**
 * Why the turn ended: unless given, `calls` where it has calls for the
 * application, `stop` where it has none.
 *
 * @category parts
 */
export const finish = (finish: Turn.Finish): Part => ({ _tag: "Finish", finish })

/**
 * A turn of several parts.
 *
 * @category turns
 */
export const turn = (...parts: ReadonlyArray<Part>): ScriptedTurn => ({
  _tag: "ScriptedTurn",
  parts,
  error: undefined
})

/**
 * The request fails without a turn.
 *
 * @category turns
 */
export const fail = (error: ModelError.ModelError): ScriptedTurn => ({ _tag: "ScriptedTurn", parts: [], error })

/**
 * The turn breaks off after these parts: `Finished` with what came, marked
 * incomplete, then the error.
 *
 * @category turns
 */
export const broken = (
  ...script: readonly [first: Part, ...rest: ReadonlyArray<Part>, error: ModelError.ModelError]
): ScriptedTurn => ({
  _tag: "ScriptedTurn",
  // The last one is the error: the tuple says so.
  parts: script.slice(0, -1) as ReadonlyArray<Part>,
  error: script.at(-1) as ModelError.ModelError
})

interface State {
  readonly requests: ReadonlyArray<Model.ModelRequest>
  readonly calls: number
}

/**
 * A model that gives these turns, one a request, in their order. A request
 * beyond the last turn dies with `ScriptExhausted`, which says what was asked.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const model = yield* ScriptedModel.make([
 *     ScriptedModel.turn(ScriptedModel.text("Let me look."), ScriptedModel.call("get_orders", { status: "open" })),
 *     ScriptedModel.text("You have three open orders.")
 *   ])
 *   const events = yield* Stream.runCollect(model.stream({ messages: [], definitions: [] }))
 *   return Array.from(events, (event) => event._tag)
 * })
 * assert.deepStrictEqual(Effect.runSync(program), [
 *   "TextDelta",
 *   "TextDelta",
 *   "CallStarted",
 *   "ArgumentsDelta",
 *   "ArgumentsDelta",
 *   "ArgumentsDelta",
 *   "CallComplete",
 *   "UsageKnown",
 *   "Finished"
 * ])
 * ```
 *
 * @category constructors
 */
export const make = (turns: ReadonlyArray<Part | ScriptedTurn>, options: Options = {}): Effect.Effect<ScriptedModel> =>
  Effect.map(Ref.make<State>({ requests: [], calls: 0 }), (state) => {
    const script = turns.map(turnOf)
    const id = options.id ?? "scripted"
    const next = (request: Model.ModelRequest) =>
      Ref.modify(state, ({ calls, requests }) => {
        const number = requests.length + 1
        const scripted = script[requests.length]
        const stream =
          scripted === undefined
            ? Stream.die(
                new ScriptExhausted({
                  model: id,
                  request: number,
                  turns: script.length,
                  description: described(request)
                })
              )
            : play(scripted, { turn: number, firstCall: calls + 1 }, options)
        return [
          stream,
          { requests: [...requests, request], calls: calls + (scripted === undefined ? 0 : callCount(scripted)) }
        ]
      })
    return {
      id,
      format: options.format ?? "scripted",
      stream: (request) => Stream.unwrap(next(request)),
      requests: Effect.map(state, ({ requests }) => requests),
      left: Effect.map(state, ({ requests }) => script.slice(requests.length))
    }
  })

/**
 * Dies with `TurnsLeft` when turns of the script were not asked for.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect, Exit } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const model = yield* ScriptedModel.make([ScriptedModel.text("Hello")])
 *   return yield* Effect.exit(ScriptedModel.assertDone(model))
 * })
 * assert.strictEqual(Exit.isFailure(Effect.runSync(program)), true)
 * ```
 *
 * @category assertions
 */
export const assertDone = (model: ScriptedModel): Effect.Effect<void> =>
  Effect.flatMap(Effect.all([model.left, model.requests]), ([left, requests]) =>
    left.length === 0
      ? Effect.void
      : Effect.die(new TurnsLeft({ model: model.id, requests: requests.length, left: left.map(describedTurn) }))
  )

const describedTurn = ({ error, parts }: ScriptedTurn): string =>
  [
    ...parts.flatMap((part) =>
      part._tag === "Call"
        ? [`call of ${part.name}`]
        : part._tag === "Text" || part._tag === "Reasoning" || part._tag === "Refusal"
          ? [`${part._tag.toLowerCase()} ${JSON.stringify(part.text.slice(0, 80))}`]
          : []
    ),
    ...(error === undefined ? [] : [error._tag])
  ].join(", ")
