/** How servers over HTTP are reached: through the guard, by messages that are bounded, with an eye on secrets. */
import type { FetchLike } from "@modelcontextprotocol/client"
import * as Json from "@wield/core/Json"
import * as Secret from "@wield/core/Secret"
import * as HttpGuard from "@wield/http/HttpGuard"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { watchEnd } from "../internal/watchEnd.js"
import { isAnswer, isRequest, mendAnswer, Traffic } from "./answers.js"
import type { Limits } from "./model.js"
import { messageOf, NotSent } from "./transport.js"

/**
 * A `fetch` that goes where `policy` allows, and that bounds each message instead of the whole answer. `secrets` gets
 * what proves who sends a request, and what is granted.
 */
export const makeFetch = (
  url: URL,
  policy: HttpGuard.Policy,
  limits: Limits,
  secrets: Set<string> = new Set()
): Effect.Effect<FetchLike, never, Scope.Scope> =>
  Effect.map(
    HttpGuard.makeFetch({
      allowedHostsOf: "the server's guard",
      ...policy,
      allowedHosts: [...(policy.allowedHosts ?? []), hostOf(url)],
      // Streams of events live as long as the connection, and requests have limits of their own.
      maxBytes: Number.MAX_SAFE_INTEGER,
      bodyTimeout: longest,
      headersTimeout: longest
    }),
    (fetch) => {
      const traffic = new Traffic()
      return async (to, init) => {
        const send = () =>
          fetch(to, init).catch((error: unknown) => {
            throw isBeforeSending(error) ? new NotSent(messageOf(error), { cause: error }) : error
          })
        for (const secret of secretsSent(init ?? {})) keepSecret(secrets, secret)
        const response = await (isAnswer(init?.body) ? traffic.answer(send) : send())
        const mended = await mendAnswer(response, init?.body, limits.messageBytes, traffic)
        if (init?.method === "POST" && !isRequest(init.body)) return readGrant(mended, secrets)
        if ((init?.method ?? "GET") !== "GET" || !response.ok) return mended
        traffic.streams++
        return watchEnd(mended, () => void traffic.streams--)
      }
    }
  )

/** In milliseconds; the guard takes no more. */
const longest = 2 ** 31 - 1

/** The latest: a program may make a header for each request. */
export const keepSecret = (secrets: Set<string>, secret: string): void => {
  secrets.delete(secret)
  secrets.add(secret)
  const [oldest] = secrets
  if (secrets.size > mostSecrets && oldest !== undefined) secrets.delete(oldest)
}

const mostSecrets = 100

const secretsSent = ({ body, headers }: RequestInit): ReadonlyArray<string> => [
  ...Secret.inHeader(new Headers(headers).get("authorization") ?? ""),
  ...(body instanceof URLSearchParams
    ? Array.from(body).flatMap(([name, value]) => (secretFields.has(name) ? [value] : []))
    : [])
]

/** Of requests for tokens, and of what answers them. */
const secretFields = new Set([
  "client_secret",
  "client_assertion",
  "assertion",
  "code",
  "code_verifier",
  "access_token",
  "refresh_token",
  "id_token",
  "subject_token"
])

/** What an authorization server answers. The SDK quotes what it cannot read, and a token may stand in it. */
const readGrant = async (response: Response, secrets: Set<string>): Promise<Response> => {
  const text = await response.text()
  try {
    const answer = Json.parse(text, { numbers: "rounded" })
    if (!Json.isObject(answer)) throw new TypeError("It is no object")
    for (const [name, value] of Object.entries(answer)) {
      if (secretFields.has(name) && typeof value === "string") keepSecret(secrets, value)
    }
    return new Response(text, response)
  } catch {
    const error_description = `the authorization server answered with status ${response.status} and no JSON object`
    return Response.json({ error: "server_error", error_description }, { status: Math.max(response.status, 400) })
  }
}

/** The program has named this host, so it may be a private one. */
const hostOf = (url: URL): string => `${url.hostname}:${url.port || (url.protocol === "https:" ? 443 : 80)}`

const beforeSending = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"])

/** Of a refusal, only that of where the request goes: others are of what was answered. */
const isBeforeSending = (error: unknown): boolean => {
  const refusal = Option.getOrUndefined(HttpGuard.refusalOf(error))
  if (refusal !== undefined) return refusal._tag === "AddressRefused" || refusal._tag === "ProtocolRefused"
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && beforeSending.has(String(cause.code))) return true
  }
  return false
}
