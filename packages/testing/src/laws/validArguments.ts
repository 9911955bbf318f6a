/** Every valid input gives an outcome that can be encoded. */
import { Outcome } from "@wield/core"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { asSent, callOnce, ended, forEachTool, withValid } from "./calling.js"
import type { LawReport } from "./model.js"
import type { Subject } from "./subject.js"

export const validArguments = <R, E>(subject: Subject<R, E>): Effect.Effect<LawReport, E, R> => {
  const law = "valid-arguments"
  const tools = [...subject.entries].flatMap(([name, { definition }]) =>
    definition.facts.kind === "provider" ? [] : [name]
  )
  return Effect.map(
    forEachTool(law, subject, tools, {
      arbitrary: (valid) => FastCheck.tuple(valid, FastCheck.boolean()),
      holds: (tool, [value, isText], encode) =>
        withValid(encode(value), (args) =>
          Effect.map(callOnce(subject.running, tool, asSent(args, isText)), ({ outcome }) => {
            const problem = problemOf(outcome)
            return problem === undefined ? undefined : { message: problem, input: args }
          })
        )
    }),
    (tried) => ({ law, tools, ...tried })
  )
}

const problemOf = (outcome: Outcome.Outcome | undefined): string | undefined => {
  switch (outcome?._tag) {
    case "Success":
    case "Failure":
      return unreadable(outcome)
    // A client's answer is still to come, and a handler may interrupt itself.
    case "Deferred":
    case "Interrupted":
      return undefined
    default:
      return `a valid call ${ended(outcome)}`
  }
}

const unreadable = (outcome: Outcome.Success | Outcome.Failure): string | undefined => {
  if (outcome.encoded === undefined) return "the encoded result is undefined"
  const result = Outcome.render(outcome)
  if (result === undefined) return "nothing is there for the model to read"
  const isWhole = (JSON.stringify(result.content) as string | undefined) !== undefined
  return isWhole ? undefined : "what the model is to read cannot be said in JSON"
}
