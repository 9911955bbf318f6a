/**
 * Tokens that several connections share. The SDK renews them for each request
 * that was refused: the second renewal uses a token that the first one has used
 * up, and would delete what the first one got.
 */
import type * as Sdk from "@modelcontextprotocol/client"
import * as Json from "@wield/core/Json"

export interface SharedTokens {
  /** Sends requests for tokens one after another, and only while those that are there have been refused. */
  readonly watch: (fetch: Sdk.FetchLike, provider: Sdk.OAuthClientProvider) => Sdk.FetchLike
  /** Runs what is given after what was given before has ended. */
  readonly inTurn: <A>(run: () => Promise<A>) => Promise<A>
  /** Whether the authorization server has refused to renew these tokens. */
  readonly isOver: (tokens: Sdk.OAuthTokens) => boolean
  /** Whether no server has refused this token, or this client. */
  readonly isUnrefused: (value: unknown) => boolean
  /** Whether these tokens were there before they were asked for. */
  readonly isKept: (tokens: Sdk.OAuthTokens) => boolean
}

/** Keeps other processes out while something runs. */
export type Lock = <A>(run: () => Promise<A>) => Promise<A>

/** By what holds the tokens, which all that share them have. */
const all = new WeakMap<object, Map<string, SharedTokens>>()

export const sharedTokens = (holder: object, server: string, lock: Lock = (run) => run()): SharedTokens => {
  const servers = all.get(holder) ?? new Map<string, SharedTokens>()
  all.set(holder, servers)
  const shared = servers.get(server) ?? make(lock)
  servers.set(server, shared)
  return shared
}

const make = (lock: Lock): SharedTokens => {
  const refused = new Set<string>()
  const kept = new Set<string>()
  const over = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <A>(run: () => Promise<A>): Promise<A> => {
    const next = last.then(() => lock(run))
    last = next.catch(() => undefined)
    return next
  }

  const renew = async (
    fetch: Sdk.FetchLike,
    provider: Sdk.OAuthClientProvider,
    url: string | URL,
    init: RequestInit,
    asked: URLSearchParams
  ): Promise<Response> => {
    const unrefused = async () => {
      const tokens = await provider.tokens()
      return tokens !== undefined && !refused.has(tokens.access_token) ? tokens : undefined
    }
    const give = (tokens: Sdk.OAuthTokens) => {
      remember(kept, tokens.access_token)
      return Response.json(tokens)
    }
    const known = await unrefused()
    if (known !== undefined) return give(known)
    // The next one waits for this one.
    const signal = AbortSignal.any([AbortSignal.timeout(longestWait), ...(init.signal == null ? [] : [init.signal])])
    const response = await fetch(url, { ...init, signal })
    const text = await response.text()
    const answer = read(text)
    if (!response.ok) {
      if (answer["error"] === "invalid_client" || answer["error"] === "unauthorized_client") {
        remember(refused, clientOf(init, asked))
      }
      if (answer["error"] === "invalid_grant" && asked.has("refresh_token")) {
        // Another process has used it up, and is about to keep what it got.
        for (let look = 0; look < looks; look++) {
          const other = await unrefused()
          if (other !== undefined) return give(other)
          await new Promise((resolve) => setTimeout(resolve, pause))
        }
      }
      if (needsPerson.has(answer["error"])) {
        const tokens = await provider.tokens()
        if (tokens?.refresh_token === asked.get("refresh_token")) remember(over, tokens?.access_token ?? "")
      }
    } else if (typeof answer["access_token"] === "string") {
      const before = await provider.tokens()
      // Before the next one looks. The SDK does it again, with the issuer. It checks the rest of the answer.
      const tokens = { ...before, ...answer } as Sdk.OAuthTokens
      if (before !== undefined || !asked.has("refresh_token")) await provider.saveTokens(tokens)
    }
    return new Response(text, response)
  }

  return {
    inTurn,
    isOver: ({ access_token }) => over.has(access_token),
    isUnrefused: (value) => typeof value === "string" && !refused.has(value),
    isKept: ({ access_token }) => kept.has(access_token),
    watch: (fetch, provider) => async (url, init) => {
      const asked = tokenRequest(init?.body)
      if (asked !== undefined) return inTurn(() => renew(fetch, provider, url, init ?? {}, asked))
      const response = await fetch(url, init)
      const isRefused = response.status === 401 || response.status === 403
      if (isRefused && response.headers.get("www-authenticate")?.includes("use_dpop_nonce") !== true) {
        const [, token] = /^(?:Bearer|DPoP) (.+)$/i.exec(new Headers(init?.headers).get("authorization") ?? "") ?? []
        if (token !== undefined) remember(refused, token)
      }
      return response
    }
  }
}

/** A request for tokens that needs no person. */
const tokenRequest = (body: unknown): URLSearchParams | undefined => {
  const form =
    body instanceof URLSearchParams
      ? body
      : typeof body === "string" && !body.startsWith("{")
        ? new URLSearchParams(body)
        : undefined
  const grant = form?.get("grant_type")
  return grant === null || grant === undefined || grant === "authorization_code" ? undefined : form
}

const clientOf = (init: RequestInit, asked: URLSearchParams): string => {
  const [, basic = ""] = /^Basic (.+)$/i.exec(new Headers(init.headers).get("authorization") ?? "") ?? []
  return asked.get("client_id") ?? decodeURIComponent(Buffer.from(basic, "base64").toString().split(":", 1)[0] ?? "")
}

const read = (text: string): { readonly [key: string]: unknown } => {
  try {
    const value = Json.parse(text, { numbers: "rounded" })
    return Json.isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const remember = (values: Set<string>, value: string): void => {
  values.add(value)
  if (values.size > 1_000) for (const oldest of values) return void values.delete(oldest)
}

/** Answers after which these tokens are of no more use. */
const needsPerson = new Set<unknown>(["invalid_grant", "invalid_client", "unauthorized_client", "invalid_dpop_proof"])

/** In milliseconds. */
const longestWait = 60_000
const pause = 100
const looks = 10
