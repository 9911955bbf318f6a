/**
 * What a request must not show: the key and the headers that the
 * application gave as `Redacted`. An API may quote them in its errors, and a
 * client of HTTP in its own.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Secret from "@wield/core/Secret"
import * as ApiError from "@wield/providers/ApiError"
import * as WireError from "@wield/providers/WireError"

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
export const hideInError = <E extends { readonly _tag: string }>(
  error: ApiError.ApiError | WireError.WireError | E,
  secrets: ReadonlyArray<string>
): ApiError.ApiError | WireError.WireError | E => {
  if (error instanceof WireError.WireError) {
    const received = hide(error.received, secrets)
    return received === error.received ? error : new WireError.WireError({ ...error, received })
  }
  if (!isApiError(error)) return error
  const detail = hide(error.detail, secrets)
  const code = error.code === undefined ? undefined : hide(error.code, secrets)
  if (detail === error.detail && code === error.code) return error
  const hidden = { ...error, detail, ...(code === undefined ? {} : { code }) }
  switch (error._tag) {
    case "RequestRejected":
      return new ApiError.RequestRejected(hidden)
    case "ContextOverflow":
      return new ApiError.ContextOverflow(hidden)
    case "ContentFiltered":
      return new ApiError.ContentFiltered(hidden)
    case "NotAuthorized":
      return new ApiError.NotAuthorized(hidden)
    case "RateLimited":
      return new ApiError.RateLimited(hidden)
    case "QuotaExceeded":
      return new ApiError.QuotaExceeded(hidden)
    case "ProviderUnavailable":
      return new ApiError.ProviderUnavailable(hidden)
  }
}

const isApiError = (error: object): error is ApiError.ApiError =>
  [
    ApiError.RequestRejected,
    ApiError.ContextOverflow,
    ApiError.ContentFiltered,
    ApiError.NotAuthorized,
    ApiError.RateLimited,
    ApiError.QuotaExceeded,
    ApiError.ProviderUnavailable
  ].some((kind) => error instanceof kind)
