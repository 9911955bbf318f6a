/** What a developer decided about an agent, looked at before it is asked. */
import * as Issue from "@wield/core/Issue"
import * as Predicate from "effect/Predicate"
import type { AgentOptions } from "../agent.js"
import { isStandard } from "@wield/interop/standard"
import { checkKind, checkNames } from "./checkNames.js"

const checkModel = (name: string, model: unknown): void => {
  if (!Predicate.isRecord(model) || !("format" in model) || "stream" in model) return
  checkNames(name, model, modelNames)
  checkKind(
    name === "`model`" ? "`model.model`" : `\`model\` of ${name}`,
    model.model ?? null,
    'the name of a model, such as "gpt-5-mini"',
    typeof model.model === "string"
  )
}

/** The options whose names alone say something to a program without a compiler. */
export const checkAgent = (options: AgentOptions<never>): void => {
  if (options === undefined)
    throw new TypeError('`agent` needs an object with `model`: { format: "anthropic", model: "…", key }')
  checkNames("`agent`", options, names)
  const { chat, outputTool, signing, stop, window } = options ?? {}
  checkModel("`model`", options.model)
  const { fallbacks } = options
  checkKind("`fallbacks`", fallbacks, "an array of models", Array.isArray(fallbacks))
  for (const [index, model] of (fallbacks ?? []).entries()) checkModel(`\`fallbacks[${index}]\``, model)
  checkKind("`output`", options.output, "a schema, such as z.object({ … })", isStandard(options.output))
  for (const name of ["prepare", "answer"] as const) {
    checkKind(`\`${name}\``, options[name], "a function", typeof options[name] === "function")
  }
  checkNames("`about`", options.about, ["id", "description", "version"])
  checkNames("`outputTool`", outputTool, ["name", "description"])
  const { search } = options
  if (search !== undefined) {
    checkKind("`search`", search ?? null, "an object, such as { pinned: [] }", Predicate.isRecord(search))
    checkNames("`search`", search, ["pinned", "limit", "requests", "learnt", "form", "embed"])
    checkKind("`embed` of `search`", search.embed, "a function", typeof search.embed === "function")
  }
  checkNames("`stop`", stop, ["tokens", "cost", "time", "call", "when"])
  checkNames("`chat`", chat, ["show", "whenPageLeaves", "whenWaiting", "maxBytes", "version"])
  if (chat !== undefined) {
    const { maxBytes, show, version, whenPageLeaves, whenWaiting } = chat
    checkKind("`show` of `chat`", show, "a function", typeof show === "function")
    checkKind(
      "`whenPageLeaves` of `chat`",
      whenPageLeaves,
      '"stop" or "goOn"',
      whenPageLeaves === "stop" || whenPageLeaves === "goOn"
    )
    checkKind(
      "`whenWaiting` of `chat`",
      whenWaiting,
      '"refuse" or "deny"',
      whenWaiting === "refuse" || whenWaiting === "deny"
    )
    checkKind("`maxBytes` of `chat`", maxBytes, "a number of bytes", isAmount(maxBytes))
    checkKind("`version` of `chat`", version, "5, 6 or 7", version === 5 || version === 6 || version === 7)
  }
  checkNames("`window`", window, ["budget", "reserve", "keep", "overflow"])
  checkKind("`budget` of `window`", window && (window.budget ?? null), "a number of tokens", isAmount(window?.budget))
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

const names = Object.keys({
  model: true,
  fallbacks: true,
  name: true,
  about: true,
  instructions: true,
  prepare: true,
  search: true,
  output: true,
  outputTool: true,
  steps: true,
  stop: true,
  mistakes: true,
  window: true,
  answer: true,
  signing: true,
  startEarly: true,
  whenInterrupted: true,
  options: true,
  settings: true,
  retries: true,
  chat: true
} satisfies { readonly [Name in keyof Required<AgentOptions<unknown>>]: true })

const isAmount = (value: unknown): boolean => typeof value === "number" && value > 0

const modelNames = "format model key url headers settings isStreaming timeouts retry maxResponseBytes".split(" ")

const secretsOf = (signing: AgentOptions<never>["signing"]): ReadonlyArray<unknown> => {
  if (signing === undefined) return []
  const secrets: unknown = Predicate.isRecord(signing) ? signing.secrets : signing
  return Array.isArray(secrets) && secrets.length > 0 ? secrets : [secrets]
}
