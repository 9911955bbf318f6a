/** Text as it stands in a URL: all but RFC 3986's unreserved characters is percent-encoded. */
import * as Either from "effect/Either"
import { RequestFailed } from "../ExecutorError.js"

/** A part of a request, or why the arguments cannot be sent. */
export type Made<A> = Either.Either<A, RequestFailed>

export const invalidRequest = (detail: string): Either.Either<never, RequestFailed> =>
  Either.left(new RequestFailed({ reason: "invalid-request", detail }))

export const percent = (text: string, of: string): Made<string> =>
  // A lone surrogate has no UTF-8.
  /[\ud800-\udfff]/u.test(text) ? invalidRequest(`${of} is not well-formed Unicode`) : Either.right(percentEncode(text))

/** OpenAPI's `allowReserved`: reserved characters stay, but for those that would begin another pair. */
export const percentReserving = (text: string, of: string): Made<string> =>
  Either.map(percent(text, of), (encoded) =>
    encoded.replace(/%(?:21|24|27|28|29|2A|2C|2F|3A|3F|40|5B|5D)/g, (code) => decodeURIComponent(code))
  )

/** For text that is known to be well-formed. */
export const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

export const formEncode = (text: string): string => percentEncode(text).replaceAll("%20", "+")
