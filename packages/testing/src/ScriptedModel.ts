/**
 * A model whose turns a test writes. It streams them as a provider does: text in
 * several deltas, each call complete before the turn ends.
 */
import type { Model, ModelError } from "@wield/agent"
import type { Message } from "@wield/core"
import { isObject } from "@wield/core/Json"
import { holds, list, orThrow } from "@wield/core/Options"
import * as ToolResult from "@wield/core/ToolResult"
import * as Turn from "@wield/core/Turn"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { callCount, checkOptions, play, turnOf } from "./scripted/play.js"
import { ScriptExhausted, TurnsLeft } from "./ScriptedModelError.js"

/**
 * A part of a turn: `text`, `reasoning`, `refusal`, `call`, or one of `delay`,
 * `wait`, `usage` and `finish`.
 *
 * @category models
 */
export type Part =
  | { readonly _tag: "Text" | "Reasoning" | "Refusal"; readonly text: string }
  | {
      readonly _tag: "Call"
      /** Default: from the number of the call. */
      readonly id: string | undefined
      readonly name: string
      readonly arguments: unknown
      readonly executedBy: "application" | "provider"
      /** The call breaks off before its arguments are complete. It is not in the turn. */
      readonly isPartial: boolean
    }
  | { readonly _tag: "Wait"; readonly effect: Effect.Effect<unknown> }
  | { readonly _tag: "Usage"; readonly usage: Turn.Usage }
  | { readonly _tag: "Finish"; readonly finish: Turn.Finish }

/**
 * One answer of the model: its parts and, if it fails, its error.
 *
 * @category models
 */
export interface ScriptedTurn {
  readonly _tag: "ScriptedTurn"
  readonly parts: ReadonlyArray<Part>
  /** Comes after the parts. Without parts, the request fails without a turn. */
  readonly error: ModelError.ModelError | undefined
}

/**
 * Options for playing turns.
 *
 * @category models
 */
export interface Options {
  /** The API's name of the model. Default `scripted`. */
  readonly id?: string | undefined
  /** The name of the turns' format. Default `scripted`. */
  readonly format?: string | undefined
  /** The most characters in one delta of text or arguments. Default 8. */
  readonly deltaCharacters?: number | undefined
  /** The tokens of a turn without `usage`. Default 100 of input and 10 of output. */
  readonly usage?: Turn.Usage | undefined
}

/**
 * A model that plays a script and keeps the requests.
 *
 * @category models
 */
export interface ScriptedModel extends Model.Model {
  /** The requests so far, in order. */
  readonly requests: Effect.Effect<ReadonlyArray<Model.ModelRequest>>
  /** The turns without a request so far. */
  readonly left: Effect.Effect<ReadonlyArray<ScriptedTurn>>
}

/**
 * Text for the user: a whole turn, or a part of one.
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
 * A call. A string of arguments is sent unchanged, even broken JSON. By default
 * the ids are `call_1`, `call_2`, and so on.
 *
 * @category parts
 */
export const call = (
  name: string,
  args: unknown = {},
  options: { readonly id?: string | undefined; readonly executedBy?: "application" | "provider" | undefined } = {}
): Part => makeCall(name, args, options, false)

const makeCall = (
  name: string,
  args: unknown,
  { executedBy = "application", id }: NonNullable<Parameters<typeof call>[2]>,
  isPartial: boolean
): Part => ({ _tag: "Call", id, name, arguments: args, executedBy, isPartial })

/**
 * A call whose arguments never become complete, for turns that break off.
 *
 * @category parts
 */
export const partialCall = (
  name: string,
  argumentsText: string,
  options: { readonly id?: string | undefined } = {}
): Part => makeCall(name, argumentsText, options, true)

/**
 * Time that passes before the next part.
 *
 * @category parts
 */
export const delay = (duration: Duration.DurationInput): Part => wait(Effect.sleep(duration))

/**
 * Waits for an effect before the next part. With a latch that a handler opens, a
 * test shows that the handler started while the model still streamed.
 *
 * @category parts
 */
export const wait = (effect: Effect.Effect<unknown>): Part => ({ _tag: "Wait", effect })

/**
 * The tokens of the turn. Omitted ones are unknown.
 *
 * @category parts
 */
export const usage = (tokens: Partial<Turn.Usage>): Part => ({
  _tag: "Usage",
  usage: { ...Turn.unknownUsage, ...tokens }
})

/**
 * The finish reason. Default `calls` for a turn with calls for the application,
 * otherwise `stop`.
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
 * A turn that breaks off after these parts: `Finished` with an incomplete turn,
 * then the error.
 *
 * @category turns
 */
export const broken = (
  ...script: readonly [first: Part, ...rest: ReadonlyArray<Part>, error: ModelError.ModelError]
): ScriptedTurn => ({
  _tag: "ScriptedTurn",
  // The last element is the error, by the type of the tuple.
  parts: script.slice(0, -1) as ReadonlyArray<Part>,
  // A turn of the script that breaks off ends with its error.
  error: script.at(-1) as ModelError.ModelError
})

interface State {
  readonly requests: ReadonlyArray<Model.ModelRequest>
  readonly calls: number
}

/**
 * Makes a model that plays one turn for each request, in order. A request after
 * the last turn dies with `ScriptExhausted`, which describes it.
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
 *   return [...new Set(Array.from(events, (event) => event._tag))].join(", ")
 * })
 * const tags = "TextDelta, CallStarted, ArgumentsDelta, CallComplete, UsageKnown, Finished"
 * assert.strictEqual(Effect.runSync(program), tags)
 * ```
 *
 * @category constructors
 */
export const make = (
  turns: ReadonlyArray<Part | ScriptedTurn>,
  options: Options = {}
): Effect.Effect<ScriptedModel> => {
  orThrow(list(aTurn)(turns), "The turns of a ScriptedModel")
  orThrow(checkOptions(options), "What else a ScriptedModel is made of")
  return Effect.map(Ref.make<State>({ requests: [], calls: 0 }), (state) => {
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
                  description: describeRequest(request)
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
}

const aTurn = holds(
  "a turn or a part of one, such as ScriptedModel.text(…)",
  (value) => isObject(value) && "_tag" in value
)

/**
 * Dies with `TurnsLeft` if turns of the script were not played.
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
      : Effect.die(new TurnsLeft({ model: model.id, requests: requests.length, left: left.map(describeTurn) }))
  )

const describeTurn = ({ error, parts }: ScriptedTurn): string =>
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

/** The request in one line. */
const describeRequest = (request: Model.ModelRequest): string => {
  const last = request.messages.at(-1)
  const tools = request.definitions.map((definition) => definition.name).join(", ")
  return `${count(request.messages.length, "message")}, the last one ${last === undefined ? "absent" : describeMessage(last)}; tools on offer: ${tools === "" ? "none" : tools}`
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

const describeMessage = (message: Message.Message): string => {
  switch (message._tag) {
    case "System":
      return `System ${quote(message.text)}`
    case "User":
      return `User ${quote(ToolResult.toText({ id: "", name: "", isError: false, content: message.content }))}`
    case "Assistant":
      return `Assistant ${quote(message.parts.map((part) => (part._tag === "Call" ? `${part.call.name}(…)` : part.text)).join(" "))}`
    case "Results":
      return `Results ${message.results.map((result) => `${result.name} ${result.id} ${quote(ToolResult.toText(result))}`).join(", ")}`
  }
}

const quote = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
