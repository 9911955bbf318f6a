/**
 * A model that is down, limited or refuses gives way to the next. Each gets the
 * conversation in its own format: what is native to one (signed reasoning, ids of
 * its files) goes to no other.
 */
import * as Time from "@wield/core/Time"
import * as ApiError from "@wield/providers/ApiError"
import type { TurnEvent } from "@wield/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Model, ModelRequest } from "./Model.js"
import { checkFallback } from "./model/options.js"
import { isPassing, type ModelError } from "./ModelError.js"

/**
 * What the loop knows of a model that has others behind it.
 *
 * @category models
 */
export interface Fallback {
  /** In the order in which they are asked now. There is at least one. */
  readonly order: Effect.Effect<ReadonlyArray<Model>>
  /** Whether the next one is asked after this error. */
  readonly givesWay: (error: ModelError) => boolean
  /** Has a model asked last for a while. */
  readonly failed: (model: Model) => Effect.Effect<void>
  /** The request as this one of the models gets it. */
  readonly requestFor: (model: Model, request: ModelRequest) => ModelRequest
}

/**
 * The options of `make`.
 *
 * @category options
 */
export interface Options {
  /** How long a model that failed is asked last: 1 minute unless given. */
  readonly cooldown?: Duration.DurationInput | undefined
  /**
   * Whether an error gives way. Unless given, those that pass by themselves, an account
   * that is used up, a key that is not taken, and refused content do; a request
   * that is wrong, or too long, does not: it would be for the next one, too.
   */
  readonly givesWay?: ((error: ModelError) => boolean) | undefined
}

const others: ReadonlySet<ModelError["_tag"]> = new Set(["QuotaExceeded", "NotAuthorized", "ContentFiltered"])

const defaultGivesWay = (error: ModelError): boolean => others.has(error._tag) || isPassing(error)

/**
 * Models of which the first that answers is taken. A model gives way until its
 * answer has begun; what breaks off later is asked for again by the agent, of the
 * next one then. A model that refuses, in words or by its provider's filter,
 * gives way where it refuses at once.
 *
 * The settings of an agent are keys of one API: only models of the first one's
 * provider and format get them. Each model has settings of its own.
 *
 * In an agent, each model that is asked has a span of its own, and
 * `ModelGaveWay` tells of each change.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent, Fallback } from "@wield/agent"
 * import { ApiError } from "@wield/providers"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const busy = new ApiError.ProviderUnavailable({ format: "scripted", detail: "overloaded" })
 *   const first = yield* ScriptedModel.make([ScriptedModel.fail(busy)], { id: "large" })
 *   const second = yield* ScriptedModel.make([ScriptedModel.text("Good morning.")], { id: "small" })
 *   return yield* Agent.run(yield* Agent.make({ model: Fallback.make([first, second]) }), "Hello?")
 * })
 * Effect.runPromise(program).then(({ text }) => assert.strictEqual(text, "Good morning."))
 * ```
 *
 * @category constructors
 */
export const make = (models: readonly [Model, ...ReadonlyArray<Model>], options: Options = {}): Model => {
  checkFallback(models, options)
  const [first] = models
  const cooldown = Duration.toMillis(options.cooldown ?? "1 minute")
  const failedAt = new Map<Model, number>()
  const fallback: Fallback = {
    order: Effect.map(Time.monotonic, (now) => {
      const isResting = (model: Model) => now - (failedAt.get(model) ?? -Infinity) < cooldown
      return [...models.filter((model) => !isResting(model)), ...models.filter(isResting)]
    }),
    givesWay: options.givesWay ?? defaultGivesWay,
    failed: (model) => Effect.map(Time.monotonic, (now) => void failedAt.set(model, now)),
    requestFor: (model, request) =>
      model.format === first.format && model.origin?.provider === first.origin?.provider
        ? request
        : { ...request, settings: undefined }
  }
  return {
    id: first.id,
    format: first.format,
    origin: first.origin,
    takesFound: first.takesFound,
    fallback,
    stream: (request) => Stream.unwrap(Effect.map(fallback.order, (order) => inOrder(fallback, order, request)))
  }
}

type Events = Stream.Stream<TurnEvent.TurnEvent, ModelError>

const inOrder = (fallback: Fallback, [model, ...others]: ReadonlyArray<Model>, request: ModelRequest): Events => {
  if (model === undefined) return Stream.dieMessage("A fallback has no model")
  const own = model.stream(fallback.requestFor(model, request))
  if (others.length === 0) return own
  return Stream.suspend(() => {
    let hasBegun = false
    return refusing(model, own).pipe(
      Stream.tap(() => Effect.sync(() => void (hasBegun = true))),
      Stream.catchAll((error): Events =>
        hasBegun || !fallback.givesWay(error)
          ? Stream.fail(error)
          : Stream.unwrap(Effect.as(fallback.failed(model), inOrder(fallback, others, request)))
      )
    )
  })
}

/**
 * The events of a model that another one stands behind: held back until it is
 * known that it does not refuse, and an error where it does.
 *
 * @category combinators
 */
export const refusing = ({ format }: Model, events: Events): Events =>
  Stream.suspend(() => {
    let held: Array<TurnEvent.TurnEvent> | undefined = []
    return Stream.mapConcatEffect(events, (event) => {
      if (held === undefined) return Effect.succeed([event])
      if (event._tag === "RefusalDelta") return refusal(format, "the model refuses to answer")
      if (event._tag === "Finished" && event.turn.finish === "filter") return refusal(format, "the answer was filtered")
      held.push(event)
      if (event._tag === "UsageKnown") return Effect.succeed([])
      const all = held
      held = undefined
      return Effect.succeed(all)
    })
  })

const refusal = (format: string, detail: string) => Effect.fail(new ApiError.ContentFiltered({ format, detail }))
