/**
 * Stage `parse`: argument text to a JSON object. Text that is not JSON is
 * repaired only where it can mean one thing.
 */
import { inspect, nestedAtMost } from "../internal/inspect.js"
import { copyJson, jsonValue, NotJson } from "../internal/json.js"
import { repair, withoutTokens } from "../internal/repair.js"
import { type Issue, show } from "../Issue.js"
import { isDeep, isObject } from "../Json.js"
import { InvalidArguments } from "../Outcome.js"
import type { Execution, Step } from "./execution.js"

export const parse = (execution: Execution): Step => {
  const sent = execution.call.arguments
  const { maxCharacters, maxDepth } = execution.machine
  let value: unknown = sent
  let isSuspect = true
  if (typeof sent === "string") {
    if (sent.length > maxCharacters) {
      return invalid(execution, `arguments of at most ${maxCharacters} characters`, `${sent.length} characters`)
    }
    const parsed = parseText(execution, sent)
    if (parsed instanceof InvalidArguments) return parsed
    value = parsed.value
    isSuspect = isSuspectText(sent, maxDepth)
  } else if (sent === undefined || sent === null) {
    // Gemini leaves empty arguments out.
    execution.notes.push({ _tag: "Repaired", repair: "empty-text" })
    value = {}
  }
  if (!isObject(value)) return invalid(execution, "a JSON object", show(value))
  const problem = isSuspect ? inspect(value, maxDepth) : undefined
  if (problem !== undefined) return invalid(execution, problem.expected, problem.received, problem.path)
  // What the provider sent stays as it was, byte for byte, whatever a handler does to its parameters.
  execution.arguments = typeof sent === "string" ? value : (copyJson(value) as typeof value)
  return undefined
}

const parseText = (execution: Execution, text: string): { readonly value: unknown } | InvalidArguments => {
  if (isDeep(text)) return invalid(execution, nestedAtMost(execution.machine.maxDepth), "a deeper nesting")
  if (isCutOff(text) && isCutOff(withoutTokens(text)))
    return invalidText(execution, text, "it does not end with }, as if it were cut off")
  const parsed = jsonValue(text)
  if (!(parsed instanceof NotJson)) return { value: parsed }
  const found = repair(text)
  if (found !== undefined) {
    for (const made of found.repairs) execution.notes.push({ _tag: "Repaired", repair: made })
    return { value: found.value }
  }
  return invalidText(execution, text, parsed.reason.slice(0, 200))
}

const invalidText = ({ call, notes }: Execution, text: string, reason: string): InvalidArguments => {
  const message = `not valid JSON (${reason})`
  return new InvalidArguments({
    call,
    notes,
    issues: () => [{ path: [], expected: "a JSON object", received: show(text), message }]
  })
}

/**
 * An answer that reached its limit of tokens. No repair makes an object of it,
 * and the parser takes longer to say where it failed than to read the whole.
 */
const isCutOff = (text: string): boolean => text.startsWith("{") && !text.trimEnd().endsWith("}")

/**
 * Most texts need no walk: they cannot nest deeply, since each level takes two
 * characters, and name no key of a prototype, not even escaped.
 */
const isSuspectText = (text: string, maxDepth: number): boolean =>
  text.length > 2 * maxDepth || text.includes("__proto__") || text.includes("constructor") || text.includes("\\u")

const invalid = (
  { call, notes }: Execution,
  expected: string,
  received: string,
  path: Issue["path"] = []
): InvalidArguments => new InvalidArguments({ call, notes, issues: [{ path, expected, received }] })
