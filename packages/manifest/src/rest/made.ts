/** What is made of arguments, unless they cannot be said to the API. */
import * as Either from "effect/Either"
import { RequestFailed } from "../ExecutionError.js"

export type Made<A> = Either.Either<A, RequestFailed>

export const invalidRequest = (detail: string): Either.Either<never, RequestFailed> =>
  Either.left(new RequestFailed({ reason: "invalid-request", detail }))
