/**
 * What an HTTP status means where the API says nothing more precise.
 */
import type { ApiError } from "../ApiError.js"
import { NotAuthorized, ProviderUnavailable, QuotaExceeded, RateLimited, RequestRejected } from "../ApiError.js"
import { jsonText } from "./jsonText.js"

export interface Described {
  readonly format: string
  readonly status?: number
  readonly code?: string
  readonly detail: string
}

/** `retryAfter` in milliseconds. */
export const statusError = (
  described: Described & { readonly status: number },
  retryAfter: number | undefined
): ApiError => {
  const wait = retryAfter === undefined ? {} : { retryAfter }
  switch (described.status) {
    case 401:
    case 403:
      return new NotAuthorized(described)
    case 402:
      return new QuotaExceeded(described)
    case 429:
      return new RateLimited({ ...described, ...wait })
    case 408:
    case 409:
    case 425:
      return new ProviderUnavailable({ ...described, ...wait })
  }
  return described.status >= 400 && described.status < 500
    ? new RequestRejected(described)
    : new ProviderUnavailable({ ...described, ...wait })
}

/** An error's words, or the beginning of a body that has none. */
export const errorDetail = (words: string | undefined, body: unknown): string => {
  if (words !== undefined && words !== "") return words
  const text = typeof body === "string" ? body : (jsonText(body) ?? "")
  return text === "" ? "no details" : text.slice(0, 500)
}
