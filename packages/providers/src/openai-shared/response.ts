/** What responses of OpenAI's two APIs have in common: errors in their place, and the ids of calls. */
import * as Issue from "@wield/core/Issue"
import * as Either from "effect/Either"
import { WireError } from "../WireError.js"
import { type Fields, isObject } from "../internal/wireField.js"

/** Enough for any provider's error message; some echo the whole request. */
const maxMessage = 500

/** The error of an error body; `undefined` for another body. Servers put it under `error`, `message` or `detail`. */
export const errorBody = (
  format: string,
  body: Fields,
  expected: string
): Either.Either<never, WireError> | undefined => {
  for (const key of ["error", "message", "detail"]) {
    const error = body[key]
    if (error === undefined || error === null) continue
    return Either.left(new WireError({ format, path: [key], expected, received: `an error: ${describe(error)}` }))
  }
  return undefined
}

const describe = (error: unknown): string => {
  if (typeof error === "string") return cut(error)
  if (!isObject(error)) return Issue.show(error)
  const code = [error["code"], error["type"], error["status"]].find(
    (word) => (typeof word === "string" && word !== "") || typeof word === "number"
  )
  const message = typeof error["message"] === "string" ? cut(error["message"]) : Issue.show(error)
  return code === undefined ? message : `${cut(String(code))}: ${message}`
}

const cut = (text: string): string => (text.length > maxMessage ? `${text.slice(0, maxMessage)}…` : text)

interface CallId {
  readonly id: string
  readonly nativeId: string | undefined
}

/** The id of the call at a place, from what the server sent as its id. */
export type CallIds = (sent: unknown, index: number) => CallId

const mantleId = /^resp_[a-z2-7]{52}$/

/**
 * The server's own id is kept, also where two calls share it. Without one, an id is made of the name of the response or
 * message, its `owner`, and of the call's place: the same each time, and another in every response. Bedrock Mantle counts
 * its ids from 0 in each response, and takes them back behind the response's.
 */
export const makeCallIds =
  (owner: string | undefined, acceptedId: (id: string) => string): CallIds =>
  (sent, index) => {
    if (typeof sent === "string" && sent !== "") {
      const isCounted = /^call_\d+$/.test(sent) && mantleId.test(owner ?? "")
      return isCounted ? { id: acceptedId(`${owner}:${sent}`), nativeId: undefined } : { id: sent, nativeId: sent }
    }
    const made = owner === undefined || owner === "" ? `call_${index}` : `call_${owner}_${index}`
    return { id: acceptedId(made), nativeId: undefined }
  }
