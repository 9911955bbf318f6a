/**
 * A request in Wield's words as one of HTTP.
 */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { Loss } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type { ModelRequest, WireOptions } from "../Model.js"
import { Unreachable } from "../ModelError.js"

export interface WireRequest {
  readonly request: HttpClientRequest.HttpClientRequest
  /** The key, and what else was given as `Redacted`. */
  readonly secrets: ReadonlyArray<string>
  /** Names of the headers that hold them. */
  readonly secretHeaders: ReadonlyArray<string>
  readonly losses: ReadonlyArray<Loss.Loss>
}

export const wireRequest = (
  format: WireFormat.WireFormat,
  options: WireOptions,
  { definitions, messages, options: tools, settings }: ModelRequest
): Either.Either<WireRequest, Unreachable> =>
  Either.map(addressOf(format, options), (url) => {
    const { model, isStreaming = true } = options
    const { body, losses } = format.encodeRequest({
      messages,
      definitions,
      options: tools ?? {},
      settings: {
        format: format.name,
        json: { ...format.endpoint.body(model, isStreaming), ...options.settings, ...settings }
      },
      model,
      losses: []
    })
    const { headers, secretHeaders, secrets } = headersOf(format.endpoint, options)
    return {
      request: HttpClientRequest.post(url).pipe(
        HttpClientRequest.bodyUnsafeJson(body),
        HttpClientRequest.setHeaders(headers)
      ),
      secrets,
      secretHeaders,
      losses
    }
  })

/** The base URL may have a path and a query of its own (Azure's `api-version`). */
const addressOf = (
  { endpoint, name }: WireFormat.WireFormat,
  { isStreaming = true, model, url }: WireOptions
): Either.Either<URL, Unreachable> => {
  const base = url ?? endpoint.url
  if (base === undefined || !URL.canParse(base)) {
    const detail =
      base === undefined
        ? "each of its regions has its own address; give `url`, for Bedrock by BedrockConverse.regionUrl"
        : "its address is no absolute URL; give `url` with https:// before it"
    // An invalid URL may be anything, even a key in its place.
    return Either.left(new Unreachable({ format: name, url: "The API", detail }))
  }
  const address = new URL(base)
  const [path = "", query = ""] = endpoint.path(model, isStreaming).split("?")
  address.pathname = address.pathname.replace(/\/+$/, "") + path
  for (const [name, value] of new URLSearchParams(query)) address.searchParams.set(name, value)
  return Either.right(address)
}

const headersOf = (endpoint: WireFormat.Endpoint, { headers = {}, key }: WireOptions) => {
  const all: Record<string, string> = { ...endpoint.headers }
  const secrets: Array<string> = []
  const secretHeaders: Array<string> = []
  const put = (name: string, prefix: string, secret: Redacted.Redacted): void => {
    // A key that was read from a file ends with a line break.
    const value = Redacted.value(secret).trim()
    all[name] = prefix + value
    secrets.push(value)
    secretHeaders.push(name)
  }
  if (key !== undefined) put(endpoint.key.header, endpoint.key.prefix, key)
  for (const [name, value] of Object.entries(headers)) {
    if (Redacted.isRedacted(value)) put(name.toLowerCase(), "", value)
    else all[name.toLowerCase()] = value
  }
  return { headers: all, secrets, secretHeaders }
}
