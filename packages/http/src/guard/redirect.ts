/** What is sent after a redirect: the rules of `fetch`. */
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import { RedirectRefused } from "../Refusal.js"

export interface Target {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: URL
}

/** Where an answer sends the request; `undefined` if it is no redirect. */
export const locationOf = (status: number, location: string | undefined): string | undefined =>
  status === 301 || status === 302 || status === 303 || status === 307 || status === 308 ? location : undefined

/** `isSecret` tells which headers are credentials. */
export const redirected = (
  { request, url }: Target,
  status: number,
  location: string,
  isSecret: (header: string) => boolean
): Either.Either<Target, RedirectRefused> => {
  if (!URL.canParse(location, url)) return Either.left(new RedirectRefused({ reason: "location" }))
  const next = new URL(location, url)
  const dropsBody =
    (status === 303 && request.method !== "GET" && request.method !== "HEAD") ||
    ((status === 301 || status === 302) && request.method === "POST")
  if (!dropsBody && request.body._tag === "Stream") return Either.left(new RedirectRefused({ reason: "stream" }))
  const isElsewhere = next.origin !== url.origin
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) => !(dropsBody && ofBody.test(name)) && !(isElsewhere && (credentials.has(name) || isSecret(name)))
    )
  )
  const again = HttpClientRequest.setBody(
    HttpClientRequest.make(dropsBody ? "GET" : request.method)(next),
    dropsBody ? HttpBody.empty : request.body
  )
  // A body brings headers; those of the request are the ones that were meant.
  return Either.right({ url: next, request: HttpClientRequest.setHeaders(again, headers) })
}

const ofBody = /^content-/

const credentials = new Set(["authorization", "cookie", "host", "proxy-authorization"])
