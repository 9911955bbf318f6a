/**
 * What a request must not show: the key and the headers that the
 * application gave as `Redacted`. An API may quote them in its errors, and a
 * client of HTTP in its own.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Secret from "@wield/core/Secret"
import * as ApiError from "@wield/providers/ApiError"
import * as WireError from "@wield/providers/WireError"
import type { ModelError } from "../ModelError.js"

/** Shorter ones would be found in every other word. */
const minLength = 4

/** Replaces the secrets in a text. A header's words are secret one by one: `Bearer <key>` is quoted without its first. */
export const hide = (text: string, secrets: ReadonlyArray<string>): string =>
  Secret.hide(text, Secret.spellingsOf(secrets.flatMap(Secret.inHeader).filter(({ length }) => length >= minLength)))

/** Headers that are never secret. */
const plain: ReadonlySet<string> = new Set(["accept", "content-length", "content-type", "host", "user-agent"])

/** The names of the headers that `prepareRequest` added or changed: a signature, a gateway's token. */
export const changedHeaders = (
  before: HttpClientRequest.HttpClientRequest,
  after: HttpClientRequest.HttpClientRequest
): ReadonlyArray<string> =>
  Object.keys(after.headers).filter((name) => !plain.has(name) && after.headers[name] !== before.headers[name])

/** Parameters of an address that name the API; any other may be a key. */
const plainParameters: ReadonlySet<string> = new Set(["alt", "api-version"])

/** What stands in an address that may be a key. */
export const addressSecrets = (request: HttpClientRequest.HttpClientRequest): ReadonlyArray<string> => {
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined
  return [
    ...(url === undefined ? [] : [url.username, url.password, ...url.searchParams.values()]),
    ...request.urlParams.flatMap(([name, value]) => (plainParameters.has(name) ? [] : [value]))
  ].filter((value) => value !== "")
}

/** The error without the secrets that it quotes. */
export const hideInError = (error: ModelError, secrets: ReadonlyArray<string>): ModelError => {
  switch (error._tag) {
    case "Unreachable":
    case "ModelTimedOut":
    case "GuardBlocked":
      return error
    case "WireError": {
      const received = hide(error.received, secrets)
      return received === error.received ? error : new WireError.WireError({ ...error, received })
    }
    default: {
      const detail = hide(error.detail, secrets)
      const code = error.code === undefined ? undefined : hide(error.code, secrets)
      if (detail === error.detail && code === error.code) return error
      return new apiErrors[error._tag]({ ...error, detail, ...(code === undefined ? {} : { code }) })
    }
  }
}

const apiErrors = {
  RequestRejected: ApiError.RequestRejected,
  ContextOverflow: ApiError.ContextOverflow,
  ContentFiltered: ApiError.ContentFiltered,
  NotAuthorized: ApiError.NotAuthorized,
  RateLimited: ApiError.RateLimited,
  QuotaExceeded: ApiError.QuotaExceeded,
  ProviderUnavailable: ApiError.ProviderUnavailable
}
