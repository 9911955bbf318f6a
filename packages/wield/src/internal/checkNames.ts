/** Options by name, for programs without a compiler: an option that is not spelt right would protect nothing. */
import * as NearestNames from "@wield/core/NearestNames"

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
  maxRetries: "retries"
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

/** Throws it as a TypeError. */
export const checkNames = (what: string, given: unknown, names: ReadonlyArray<string>): void => {
  const problem = nameProblem(given, names)
  if (problem !== undefined) throw new TypeError(`${what} has ${problem}`)
}
