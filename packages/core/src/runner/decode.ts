/** Stage `decode`: the visible arguments by the tool's schema, every issue collected. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { failed, type LazyIssues } from "../internal/codec.js"
import { InvalidArguments, type Outcome } from "../Outcome.js"
import type { Execution, Step } from "./execution.js"

export const decode = (execution: Execution): Step => {
  const { entry, machine } = execution
  const decodeArguments = machine.policy.unknownArguments === "reject" ? entry.decodeStrict : entry.decode
  const { generated } = decodeArguments
  if (generated !== undefined) {
    const parameters = generated.attempt(execution.arguments)
    if (parameters !== failed) {
      execution.parameters = parameters
      return undefined
    }
  }
  return convertStep(
    (generated?.otherwise ?? decodeArguments)(execution.arguments),
    (parameters) => {
      execution.parameters = parameters
    },
    (issues) => new InvalidArguments({ call: execution.call, notes: execution.notes, issues })
  )
}

/** What a conversion means for the call, at once where the conversion answers at once. */
export const convertStep = (
  converted: Effect.Effect<unknown, LazyIssues>,
  onValue: (value: unknown) => void,
  onIssues: (issues: LazyIssues) => Outcome
): Step => {
  if (Either.isEither(converted)) {
    // `isEither` narrows to an Either of unknown types.
    const either = converted as Either.Either<unknown, LazyIssues>
    if (Either.isLeft(either)) return onIssues(either.left)
    onValue(either.right)
    return undefined
  }
  return Effect.match(converted, {
    onSuccess: (value) => {
      onValue(value)
      return undefined
    },
    onFailure: onIssues
  })
}
