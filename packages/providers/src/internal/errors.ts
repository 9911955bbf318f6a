/** What an error means where an API says nothing more precise than a status. */
import type { ApiError } from "../ApiError.js"
import { NotAuthorized, ProviderUnavailable, QuotaExceeded, RateLimited, RequestRejected } from "../ApiError.js"
import { jsonText } from "./json.js"

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

/**
 * How long an API asks to wait, from the headers of its answer.
 */

type Headers = { readonly [name: string]: string | undefined }

/**
 * Milliseconds. `retry-after-ms` is Azure's and OpenAI's; `retry-after` is
 * seconds, or a date that is read against the server's own clock where it
 * tells its time.
 */
export const retryAfter = (headers: Headers | undefined): number | undefined => {
  const milliseconds = number(headers?.["retry-after-ms"])
  if (milliseconds !== undefined) return milliseconds
  const stated = headers?.["retry-after"]
  if (stated === undefined) return undefined
  const seconds = number(stated)
  if (seconds !== undefined) return seconds * 1000
  // `Date.parse` takes a bare number for a year.
  const at = /[a-z]/i.test(stated) ? Date.parse(stated) : Number.NaN
  if (Number.isNaN(at)) return undefined
  const now = Date.parse(headers?.["date"] ?? "")
  return Math.max(0, at - (Number.isNaN(now) ? Date.now() : now))
}

const number = (text: string | undefined): number | undefined => {
  if (text === undefined || text.trim() === "") return undefined
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}
