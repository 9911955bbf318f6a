/** The part of an answer that the model is given. */
import * as Effect from "effect/Effect"
import { RequestFailed } from "../ExecutionError.js"
import { at } from "./pointer.js"

/** What stands at a JSON Pointer; all of it without one. */
export const part = (value: unknown, pointer: string | undefined): Effect.Effect<unknown, RequestFailed> => {
  if (pointer === undefined) return Effect.succeed(value)
  const found = at(value, pointer)
  return found === undefined
    ? new RequestFailed({ reason: "invalid-answer", detail: `the answer has nothing at ${pointer}` })
    : Effect.succeed(found)
}
