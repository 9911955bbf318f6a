/** What a developer decided about an agent, looked at before it is asked. */
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as Options from "@wield/core/Options"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { AgentOptions } from "../agent.js"
import { isStandard } from "@wield/interop/standard"
import { checkKind, checkNames, checkOptions, offerChecks } from "./checkNames.js"
import { checkFormat } from "./formats.js"

const { aCountOrZero, aDuration, aFlag, aFunction, anything, aText, holds, oneOf } = Options

const isAmount = (value: unknown): boolean => typeof value === "number" && value > 0

const isTexts = (value: unknown): boolean =>
  Json.isPlain(value) && Object.values(value).every((one) => typeof one === "string")

/** Of 0, nothing is waited for. What is negative would be taken for it. */
const aWait = holds(
  'a duration, such as "1 second", or 0',
  (value) => aDuration(value) === undefined || /^0( |$)/.test(String(value))
)

const retryOptions = {
  times: aCountOrZero,
  delay: aWait,
  maxRetryAfter: aWait
}

const modelName = 'the name of a model, such as "gpt-5-mini"'

const modelOptions = {
  format: aText,
  model: holds(modelName, (value) => typeof value === "string"),
  key: aText,
  url: aText,
  headers: holds("texts by the name of a header", isTexts),
  settings: holds("an object", Json.isPlain),
  isStreaming: aFlag,
  timeouts: holds("an object with response, piece", Json.isPlain),
  retry: holds(
    "an object with times, delay, maxRetryAfter, or false",
    (value) => value === false || Json.isPlain(value)
  ),
  maxResponseBytes: holds("a number above 0", isAmount)
}

const tokens = holds("a number of tokens", isAmount)

const windowOptions = {
  budget: tokens,
  reserve: holds("a number of tokens", (value) => value === 0 || isAmount(value)),
  keep: holds("a part of 1, such as 0.6", (value) => typeof value === "number" && value >= 0 && value <= 1),
  overflow: holds('"drop" or an object', (value) => value === "drop" || Json.isPlain(value))
}

const summaryOptions = {
  model: anything,
  instructions: aText,
  length: tokens,
  timeLimit: aDuration
}

const searchOptions = {
  pinned: anything,
  limit: anything,
  requests: anything,
  learnt: anything,
  form: anything,
  embed: aFunction
}

const stopOptions = { tokens: anything, cost: anything, time: anything, call: anything, when: aFunction }

const chatOptions = {
  show: aFunction,
  whenPageLeaves: oneOf("stop", "goOn"),
  whenWaiting: oneOf("refuse", "deny"),
  maxBytes: holds("a number of bytes", isAmount),
  version: holds("5, 6 or 7", (value) => value === 5 || value === 6 || value === 7)
}

/** What a model is: one that is made, one of the AI SDK, or what is known of one over HTTP. */
export const checkModel = (name: string, model: unknown): void => {
  if (Effect.isEffect(model) || hasFunction(model, "stream")) return
  if (hasFunction(model, "doStream") && typeof model["modelId"] === "string" && typeof model["provider"] === "string")
    return
  if (!Json.isPlain(model) || !("format" in model)) {
    throw new TypeError(
      `${name} is ${Issue.show(model)}: give { format: "anthropic", model: "…", key }, or a model of the AI SDK`
    )
  }
  checkOptions(name, model, modelOptions)
  checkFormat(model["format"])
  if (model["model"] === undefined) {
    const what = name === "`model`" ? "`model.model`" : `\`model\` of ${name}`
    checkKind(what, null, modelName, false)
  }
  checkOptions(`\`timeouts\` of ${name}`, model["timeouts"], { response: aDuration, piece: aDuration })
  if (model["retry"] !== false) checkOptions(`\`retry\` of ${name}`, model["retry"], retryOptions)
}

const hasFunction = (model: unknown, method: string): model is { readonly [name: string]: unknown } =>
  Predicate.isRecord(model) && typeof model[method] === "function"

/** The options that a program without a compiler may get wrong. What an agent of Effect has as well, `Agent.make` looks at. */
export const checkAgent = (options: AgentOptions<never>): void => {
  if (options === undefined)
    throw new TypeError('`agent` needs an object with `model`: { format: "anthropic", model: "…", key }')
  checkOptions("`agent`", options, agentOptions, "")
  const { chat, fallbacks = [], search, stop, window } = options
  checkModel("`model`", options.model)
  for (const [index, model] of fallbacks.entries()) checkModel(`\`fallbacks[${index}]\``, model)
  checkOptions("`about`", options.about, { id: aText, description: aText, version: aText })
  checkOptions("`outputTool`", options.outputTool, { name: aText, description: aText })
  checkOptions("`options`", options.options, offerChecks)
  checkOptions("`search`", search, searchOptions)
  checkOptions("`stop`", stop, stopOptions)
  checkNames("`cost` of `stop`", stop?.cost, ["limit", "prices", "other"])
  checkOptions("`chat`", chat, chatOptions)
  checkOptions("`window`", window, windowOptions)
  if (window !== undefined && window.budget === undefined) {
    checkKind("`budget` of `window`", null, "a number of tokens", false)
  }
  if (window?.overflow !== undefined && window.overflow !== "drop") {
    checkOptions("`overflow` of `window`", window.overflow, summaryOptions)
    if (window.overflow.model !== undefined) checkModel("`model` of `overflow`", window.overflow.model)
  }
  checkSigning(options)
}

const agentOptions = {
  model: anything,
  fallbacks: holds("an array of models", Array.isArray),
  name: anything,
  about: anything,
  instructions: holds(
    "a text, or a function that gives one",
    (value) => typeof value === "string" || typeof value === "function"
  ),
  prepare: aFunction,
  search: holds("an object, such as { pinned: [] }", Json.isPlain),
  output: holds("a schema, such as z.object({ … })", isStandard),
  outputTool: anything,
  steps: anything,
  stop: anything,
  mistakes: anything,
  window: anything,
  answer: aFunction,
  signing: anything,
  startEarly: anything,
  whenInterrupted: anything,
  options: anything,
  settings: anything,
  retries: anything,
  chat: anything
} satisfies Options.Checks<AgentOptions<unknown>>

const checkSigning = (options: AgentOptions<never>): void => {
  const { signing } = options
  // A secret that is missing in the environment would leave requests unsigned.
  if ("signing" in options && signing === undefined) {
    throw new TypeError(
      "`signing` is undefined: give the secret, or leave the option out for requests without signatures"
    )
  }
  if (Predicate.isRecord(signing)) checkNames("`signing`", signing, ["secrets", "timeToLive"])
  for (const [index, secret] of secretsOf(signing).entries()) {
    const size = typeof secret === "string" ? new TextEncoder().encode(secret).length : 0
    if (size >= 16) continue
    throw new TypeError(
      `\`signing\` needs secrets of at least 16 bytes, better 32 random ones: ${typeof secret === "string" ? `number ${index + 1} has ${size}` : `number ${index + 1} is ${Issue.show(secret)}`}`
    )
  }
}

const secretsOf = (signing: AgentOptions<never>["signing"]): ReadonlyArray<unknown> => {
  if (signing === undefined) return []
  const secrets: unknown = Predicate.isRecord(signing) ? signing.secrets : signing
  return Array.isArray(secrets) && secrets.length > 0 ? secrets : [secrets]
}
