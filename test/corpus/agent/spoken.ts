/**
 * What a run of Wield's says in other words than the recorded client did: ids
 * that one of them made, and what a model is told of its own mistakes.
 */
import { Json, Outcome, ToolResult } from "@wield/core"
import type { Conversation } from "./conversations.js"
import type { Run } from "./replay.js"

/** One text that stands for another, and the name of the difference. */
export interface Replacement {
  readonly recorded: string
  readonly name: "ids of calls" | "words of a mistake" | "tools offered within the conversation"
}

export interface Spoken {
  /** By the text that Wield sends. */
  readonly replacements: ReadonlyMap<string, Replacement>
  /** Calls that Wield took for mistakes, and the recorded client did not. */
  readonly problems: ReadonlyArray<string>
}

export const spokenOf = ({ continuations, steps }: Conversation, runs: ReadonlyArray<Run>): Spoken => {
  const outcomes = runs.flatMap(({ events }) =>
    events.flatMap((event) => (event._tag === "TurnFinished" ? [event.outcomes] : []))
  )
  const replacements = new Map<string, Replacement>()
  const problems: Array<string> = []
  for (const [index, { answers }] of continuations.entries()) {
    for (const [place, { call, recordedId, result }] of answers.entries()) {
      const outcome = outcomes[index]?.[place]
      if (outcome === undefined) continue
      if (outcome.id !== recordedId) replacements.set(outcome.id, { recorded: recordedId, name: "ids of calls" })
      if (outcome._tag === "Success" || outcome._tag === "Failure") continue
      const text = Outcome.text(outcome) ?? ""
      const recorded = ToolResult.toText(result)
      const isLoaded = steps[index]?.request.definitions.every(({ name }) => name !== call.name) === true
      const name = isMistake(result, recorded)
        ? "words of a mistake"
        : isLoaded
          ? "tools offered within the conversation"
          : undefined
      if (name === undefined) problems.push(`${outcome._tag} where the recorded tool answered: ${text}`)
      else for (const prefix of ["", "Error: "]) replacements.set(prefix + text, { recorded, name })
    }
  }
  return { replacements, problems }
}

/** The recorded client refused the call, too. */
const isMistake = (result: ToolResult.ToolResult, text: string): boolean =>
  result.isError || /validation errors?:|Unknown tool name|Fix the errors and try again/.test(text)

/** The value with every text that is one of these replaced; `note` is told of each. */
export const replaced = (
  value: Json.Json,
  replacements: Spoken["replacements"],
  note: (name: string) => void
): Json.Json => {
  if (typeof value === "string") {
    const found = replacements.get(value)
    if (found === undefined) return value
    note(found.name)
    return found.recorded
  }
  if (Array.isArray(value)) return (value as ReadonlyArray<Json.Json>).map((item) => replaced(item, replacements, note))
  return Json.isObject(value) ? replacedIn(value as Json.JsonObject, replacements, note) : value
}

export const replacedIn = (
  body: Json.JsonObject,
  replacements: Spoken["replacements"],
  note: (name: string) => void
): Json.JsonObject =>
  Object.fromEntries(Object.entries(body).map(([key, item]) => [key, replaced(item, replacements, note)]))
