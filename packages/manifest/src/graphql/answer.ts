/** Reads what a GraphQL API answers (GraphQL over HTTP). */
import { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import { type ExecutionError, GraphQlErrors, RequestFailed } from "../ExecutionError.js"
import { statusErrorOf, valueOf } from "../rest/answer.js"
import { type Answered, isSuccess } from "../rest/attempts.js"
import type { Answer } from "../rest/exchange.js"

/** The `data` of an answer. */
export const dataOf = ({ answer, secrets }: Answered): Effect.Effect<unknown, ExecutionError> => {
  const body = valueOf(answer, secrets, true)
  if (isSuccess(answer)) return Effect.flatMap(body, ofBody)
  if (!saysErrors(answer)) return statusErrorOf(answer, secrets)
  return Effect.matchEffect(body, {
    onFailure: () => statusErrorOf(answer, secrets),
    onSuccess: (value): Effect.Effect<never, ExecutionError> => errorsOf(value) ?? statusErrorOf(answer, secrets)
  })
}

const ofBody = (body: unknown): Effect.Effect<unknown, ExecutionError> => {
  const errors = errorsOf(body)
  if (errors !== undefined) return errors
  return Json.isObject(body) && Json.isObject(body["data"])
    ? Effect.succeed(body["data"])
    : new RequestFailed({
        reason: "invalid-answer",
        detail: "the answer is JSON with neither data nor errors; a GraphQL response was expected"
      })
}

/**
 * A status that is no success has GraphQL's own errors where the media type
 * says that the body is GraphQL's, and with 400, which servers older than that
 * type answer to a request that is not valid.
 */
const saysErrors = ({ headers, status }: Answer): boolean =>
  status === 400 || /^application\/graphql-response\+json\b/i.test(headers["content-type"] ?? "")

/** The failure that an answer is which says errors; what it says of them besides is for the API's developers. */
const errorsOf = (body: unknown): GraphQlErrors | undefined => {
  if (!Json.isObject(body) || !Array.isArray(body["errors"]) || body["errors"].length === 0) return undefined
  const errors = body["errors"].slice(0, maxErrors).map((error: unknown) => {
    const message = Json.isObject(error) ? error["message"] : error
    const path = Json.isObject(error) ? error["path"] : undefined
    return {
      message: typeof message === "string" ? message.slice(0, maxMessage) : "An error without a message",
      ...(Array.isArray(path) && path.every(isKey) ? { path } : {})
    }
  })
  return new GraphQlErrors({ errors, ...(body["data"] === undefined ? {} : { data: body["data"] }) })
}

/** One of each item of a list is common; the first ones tell what is wrong. */
const maxErrors = 20

/** In UTF-16 units. */
const maxMessage = 2_000

const isKey = (key: unknown): key is string | number => typeof key === "string" || typeof key === "number"
