/** Whether and when a request is sent again. */
import type * as Headers from "@effect/platform/Headers"
import type { Method } from "./plan.js"

export interface Retry {
  /** How often after the first attempt. */
  readonly times: number
  /** Milliseconds before the first retry; doubled for each further one. */
  readonly baseDelay: number
  /** Milliseconds; an API that asks for a longer wait is not asked again. */
  readonly maxDelay: number
}

/** RFC 9110, 9.2.2. */
export const isIdempotent = (method: Method): boolean => method !== "POST" && method !== "PATCH"

export const isTransientStatus = (status: number): boolean =>
  status === 408 || status === 429 || status === 500 || (status >= 502 && status <= 504)

/** Milliseconds that an API asks to wait (RFC 9110, 10.2.3). */
export const retryAfter = (headers: Headers.Headers, now: number): number | undefined => {
  const header = headers["retry-after"]?.trim()
  if (header === undefined || header === "") return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Half of it is chance, so that those who failed together do not come back together. */
export const delayOf = (retry: Retry, attempt: number, chance: number): number =>
  Math.min(retry.maxDelay, retry.baseDelay * 2 ** (attempt - 1)) * (0.5 + chance / 2)
