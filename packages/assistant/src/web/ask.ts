/** Asking a service that is known for JSON or a page, and what it is when that fails. */
import type { HttpClient, HttpClientRequest } from "@effect/platform"
import type { HttpGuard } from "@wield/http"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SearchUnavailable } from "../WebError.js"
import { fetchReply } from "./exchange.js"

const maxBytes = 4 * 1024 * 1024

export interface ServiceRequest {
  readonly client: HttpClient.HttpClient
  readonly provider: string
  readonly timeLimit: Duration.DurationInput
  readonly request: HttpClientRequest.HttpClientRequest
  /** What 401 and 403 mean of who wants no key; a key that it does not take unless given. */
  readonly forbidden?: SearchUnavailable["reason"]
}

/** What it answers with a status of success. The error has nothing of the request: that carries the key. */
export const ask = ({ client, forbidden = "key", provider, request, timeLimit }: ServiceRequest) =>
  fetchReply(client, request, maxBytes).pipe(
    Effect.mapError(() => new SearchUnavailable({ provider, reason: "unreachable" })),
    Effect.timeoutFail({
      duration: timeLimit,
      onTimeout: () => new SearchUnavailable({ provider, reason: "timeout" })
    }),
    Effect.filterOrFail(
      ({ status }) => status >= 200 && status < 300,
      ({ status }) => new SearchUnavailable({ provider, reason: reasonOf(status, forbidden), status })
    )
  )

export const askJson = <A, I>(
  asked: ServiceRequest,
  schema: Schema.Schema<A, I>
): Effect.Effect<A, SearchUnavailable> =>
  Effect.flatMap(ask(asked), ({ bytes, status }) =>
    Schema.decode(Schema.parseJson(schema))(new TextDecoder().decode(bytes)).pipe(
      Effect.mapError(() => new SearchUnavailable({ provider: asked.provider, reason: "answer", status }))
    )
  )

/** Tavily has two statuses of its own for a limit that is reached. */
const limits = new Set([429, 432, 433])

const reasonOf = (status: number, forbidden: SearchUnavailable["reason"]): SearchUnavailable["reason"] =>
  status === 401 || status === 403 ? forbidden : limits.has(status) ? "limit" : "status"

/** Allows the configured address of a service, which may be private, and no other private one. */
export const policyFor = (url: string | undefined): HttpGuard.Policy => {
  if (url === undefined || !URL.canParse(url)) return {}
  const { hostname, port, protocol } = new URL(url)
  // Without a port, all ports would be allowed.
  return { allowedHosts: [`${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`] }
}
