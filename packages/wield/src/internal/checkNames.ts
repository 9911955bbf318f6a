/** Options by name, for programs without a compiler: an option that is not spelt right would protect nothing. */
import * as Facts from "@wield/core/Facts"
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import * as Options from "@wield/core/Options"

/** How other libraries spell an option. */
const elsewhere: { readonly [name: string]: string } = {
  inputSchema: "parameters",
  schema: "parameters",
  args: "parameters",
  responseSchema: "outputSchema",
  handler: "execute",
  run: "execute",
  needsApproval: "approval",
  system: "instructions",
  prompt: "instructions",
  maxSteps: "steps",
  maxTurns: "steps",
  stopWhen: "stop",
  prepareStep: "prepare",
  activeTools: "offered",
  allowedTools: "offered",
  abortSignal: "signal",
  thread: "conversation",
  threadId: "conversation",
  sessionId: "conversation",
  apiKey: "key",
  baseURL: "url",
  baseUrl: "url",
  modelId: "model",
  provider: "format",
  secret: "secrets",
  expiresIn: "timeToLive",
  maxTokens: "budget",
  timeoutMs: "timeout",
  maxRetries: "retries",
  retry: "retries"
}

/** What is wrong with the options of an object, if one has another name than these. */
export const nameProblem = (given: unknown, names: ReadonlyArray<string>): string | undefined => {
  if (typeof given !== "object" || given === null) return undefined
  const name = Object.entries(given).find(([name, value]) => value !== undefined && !names.includes(name))?.[0]
  if (name === undefined) return undefined
  const here = elsewhere[name]
  if (here !== undefined && names.includes(here)) return `no option \`${name}\`: it is \`${here}\` here`
  return `no option \`${name}\`${NearestNames.hint(name, names)}`
}

export const checkNames = (what: string, given: unknown, names: ReadonlyArray<string>): void => {
  if (given !== undefined && !Json.isPlain(given)) {
    throw new TypeError(`${what} takes an object with ${names.slice(0, 5).join(", ")}, not ${Issue.show(given)}`)
  }
  const problem = nameProblem(given, names)
  if (problem !== undefined) throw new TypeError(`${what} has ${problem}`)
}

/** Throws a TypeError where a value is there, and is not what it has to be. */
export const checkKind = (what: string, given: unknown, expected: string, isRight: boolean): void => {
  if (given !== undefined && !isRight) throw new TypeError(`${what} must be ${expected}, but is ${Issue.show(given)}`)
}

/** Names and values of the options of an object. */
export const checkOptions = (
  what: string,
  given: unknown,
  checks: { readonly [name: string]: Options.Check },
  of = ` of ${what}`
): void => {
  checkNames(what, given, Object.keys(checks))
  if (!Json.isPlain(given)) return
  for (const [name, check] of Object.entries(checks)) {
    if (given[name] !== undefined) Options.orThrow(check(given[name]), `\`${name}\`${of}`)
  }
}

export const checkFacts = (tool: string, facts: unknown): void => {
  if (facts !== undefined) Options.orThrow(Facts.check(facts, ["facts", tool]))
}

const choices = ["Auto", "None", "Required", "OneOf"]

/** How tools are offered: what is misspelt would offer them otherwise. */
export const offerChecks = {
  choice: Options.holds(
    '{ _tag: "Auto" }, "None", "Required", or "OneOf" with names',
    (value) =>
      Json.isPlain(value) &&
      choices.some((tag) => tag === value["_tag"]) &&
      (value["_tag"] !== "OneOf" || Options.texts(value["names"]) === undefined)
  ),
  isParallel: Options.aFlag,
  isStrict: Options.aFlag,
  isCached: Options.aFlag
}

/** Values of a request. */
export const checkContext = (what: string, context: unknown): void => {
  if (context !== undefined) Options.orThrow(Options.aContext(context), `\`context\` of ${what}`)
}

export const checkSignal = (what: string, signal: unknown, name = "signal"): void => {
  if (signal !== undefined) Options.orThrow(Options.aSignal(signal), `\`${name}\` of ${what}`)
}
