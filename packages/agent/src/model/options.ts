/** What is wrong with how models, windows and fallbacks are made: in plain JavaScript, a limit may have any name. */
import * as Json from "@wield/core/Json"
import * as Options from "@wield/core/Options"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as ContextWindow from "../ContextWindow.js"
import type * as Fallback from "../Fallback.js"
import type { RetryOptions, WireOptions } from "../Model.js"

const {
  aCountOrZero,
  aDuration,
  aFlag,
  aFunction,
  aName,
  aNumber,
  aSecret,
  aText,
  fields,
  holds,
  list,
  orThrow,
  record
} = Options

export const aModel = holds(
  "a model, such as Model.fromWire(…) gives",
  (value) => Json.isObject(value) && typeof value["stream"] === "function"
)

/** Of 0, nothing is waited for. What is negative, or no number, would be taken for it. */
const aWait = holds(
  'a duration, such as "1 second", or 0',
  (value) => aDuration(value) === undefined || Option.exists(Duration.decodeUnknown(value), isZero(value))
)

const isZero =
  (given: unknown) =>
  (duration: Duration.Duration): boolean =>
    Duration.toMillis(duration) === 0 && !(typeof given === "number" && given !== 0)

const retry = fields({ times: aCountOrZero, delay: aWait, maxRetryAfter: aWait } satisfies Options.Checks<RetryOptions>)

const header: Options.Check = (value, path) => (typeof value === "string" ? undefined : aSecret(value, path))

const wire = fields(
  {
    model: aName,
    url: aText,
    key: aSecret,
    headers: record(header),
    settings: holds("an object", Json.isPlain),
    isStreaming: aFlag,
    timeouts: fields({ response: aDuration, piece: aDuration }),
    retry: (value, path) => (value === false ? undefined : retry(value, path)),
    maxResponseBytes: aNumber,
    prepareRequest: aFunction,
    onLosses: aFunction
  } satisfies Options.Checks<WireOptions>,
  ["model"]
)

export const checkWire = (options: unknown): void => orThrow(wire(options), "What `Model.fromWire` takes")

const window = fields(
  {
    budget: aNumber,
    reserve: aNumber,
    keep: holds("a part of 1, such as 0.6", (value) => typeof value === "number" && value >= 0 && value <= 1),
    count: holds(
      "a counter, such as Tokens.estimate() gives",
      (value) => Json.isObject(value) && Effect.isEffect(value["counts"])
    ),
    overflow: holds(
      '"drop", or a summariser, such as ContextWindow.summarise(…) gives',
      (value) => value === "drop" || (Json.isObject(value) && aModel(value["model"]) === undefined)
    )
  } satisfies Options.Checks<ContextWindow.Options>,
  ["budget"]
)

export const checkWindow = (options: unknown): void => orThrow(window(options), "What `ContextWindow.make` takes")

const summary = fields({ instructions: aText, length: aNumber, timeLimit: aDuration })

export const checkSummary = (model: unknown, options: unknown): void => {
  orThrow(aModel(model), "What summarises")
  orThrow(summary(options), "What `ContextWindow.summarise` takes")
}

const models: Options.Check = (value) =>
  Array.isArray(value) && value.length === 0 ? aModel(undefined, ["0"]) : list(aModel)(value)

const fallback = fields({ cooldown: aWait, givesWay: aFunction } satisfies Options.Checks<Fallback.Options>)

export const checkFallback = (given: unknown, options: unknown): void => {
  orThrow(models(given), "What `Fallback.make` takes")
  orThrow(fallback(options), "How `Fallback.make` falls back")
}
