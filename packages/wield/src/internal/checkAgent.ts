/** What a developer decided about an agent, looked at before it is asked. */
import * as Issue from "@wield/core/Issue"
import * as Predicate from "effect/Predicate"
import type { AgentOptions } from "../agent.js"
import { isStandard } from "@wield/interop/standard"
import { checkKind, checkNames } from "./checkNames.js"

/** The options whose names alone say something to a program without a compiler. */
export const checkAgent = (options: AgentOptions<never>): void => {
  if (options === undefined)
    throw new TypeError('`agent` needs an object with `model`: { format: "anthropic", model: "…", key }')
  checkNames("`agent`", options, names)
  const { chat, model, outputTool, signing, stop, window } = options ?? {}
  if (model !== undefined && Predicate.isRecord(model) && "format" in model && !("stream" in model)) {
    checkNames("`model`", model, modelNames)
    checkKind(
      "`model.model`",
      model.model ?? null,
      'the name of a model, such as "gpt-5-mini"',
      typeof model.model === "string"
    )
  }
  checkKind("`output`", options.output, "a schema, such as z.object({ … })", isStandard(options.output))
  for (const name of ["prepare", "answer"] as const) {
    checkKind(`\`${name}\``, options[name], "a function", typeof options[name] === "function")
  }
  checkNames("`outputTool`", outputTool, ["name", "description"])
  checkNames("`stop`", stop, ["tokens", "cost", "time", "call", "when"])
  checkNames("`chat`", chat, ["show", "whenPageLeaves", "maxBytes", "version"])
  checkNames("`window`", window, ["budget", "reserve", "keep", "overflow"])
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
  name: true,
  instructions: true,
  prepare: true,
  output: true,
  outputTool: true,
  steps: true,
  stop: true,
  mistakes: true,
  window: true,
  answer: true,
  signing: true,
  startEarly: true,
  options: true,
  settings: true,
  retries: true,
  chat: true
} satisfies { readonly [Name in keyof Required<AgentOptions<unknown>>]: true })

const modelNames = "format model key url headers settings isStreaming timeouts retry maxResponseBytes".split(" ")

const secretsOf = (signing: AgentOptions<never>["signing"]): ReadonlyArray<unknown> => {
  if (signing === undefined) return []
  const secrets: unknown = Predicate.isRecord(signing) ? signing.secrets : signing
  return Array.isArray(secrets) && secrets.length > 0 ? secrets : [secrets]
}
