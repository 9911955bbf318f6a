/** No invalid or broken input runs a handler, and each is told as `InvalidArguments`. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { asSent, callOnce, ended, forEachTool, withValid } from "./calling.js"
import { damaged, damages } from "./inputs.js"
import type { LawReport } from "./model.js"
import { leftOut, type Verdict } from "./property.js"
import type { Subject } from "./subject.js"

export const invalidArguments = <R, E>(subject: Subject<R, E>): Effect.Effect<LawReport, E, R> => {
  const law = "invalid-arguments"
  const tools = [...subject.entries].flatMap(([name, { definition }]) =>
    definition.facts.kind === "provider" ? [] : [name]
  )
  return Effect.map(
    forEachTool(law, subject, tools, {
      arbitrary: (valid) => FastCheck.tuple(valid, damages, FastCheck.boolean()),
      holds: (tool, [value, damage, isText], encode, entry) =>
        withValid(encode(value), (args) =>
          Effect.gen(function* () {
            const input = damaged(args, damage)
            if (input === undefined) return leftOut
            // The tool's own schema says whether the damage made it invalid.
            if (!input.isText && Either.isRight(yield* Effect.either(entry.decode(input.sent)))) return leftOut
            // A string is taken for JSON text, so a JSON value that is a string has to be sent as text.
            const sent = input.isText ? input.sent : asSent(input.sent, isText || typeof input.sent === "string")
            // Nothing at all stands for no arguments.
            if (!input.isText && (input.sent === null || input.sent === "")) return leftOut
            const { outcome, received } = yield* callOnce(subject.dry, tool, sent)
            return verdict(input.sent, received.length, outcome)
          })
        )
    }),
    (tried) => ({ law, tools, ...tried })
  )
}

const verdict = (input: unknown, handled: number, outcome: Parameters<typeof ended>[0]): Verdict => {
  if (handled > 0) return { message: "an invalid call reached the handler", input }
  if (outcome?._tag !== "InvalidArguments") return { message: `an invalid call ${ended(outcome)}`, input }
  return outcome.issues.length === 0
    ? { message: "an invalid call ended as InvalidArguments without an issue", input }
    : undefined
}
