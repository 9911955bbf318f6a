/** `fetch` for tools and models. By itself it sends a key that is no `Authorization` on to wherever a server redirects. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Layer from "effect/Layer"

/** Leaves redirects to who asks. */
export const toOneServer = Layer.provide(
  FetchHttpClient.layer,
  Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })
)

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const maxRedirects = 5

/** Follows redirects as `fetch` does, but sends no body again, and another server no header. */
const follow: typeof globalThis.fetch = async (input, init) => {
  let url = new URL(input instanceof Request ? input.url : input)
  let request: RequestInit = { ...init, redirect: "manual" }
  for (let left = maxRedirects; ; left--) {
    const response = await fetch(url, request)
    const location = redirects.has(response.status) ? response.headers.get("location") : null
    if (location === null || left === 0 || !URL.canParse(location, url)) return response
    const { method = "GET" } = request
    const isRead = method === "GET" || method === "HEAD"
    // A change is not made again elsewhere, nor read as made; what was posted may be read where it now is.
    if (!isRead && response.status !== 303 && !(response.status < 303 && method === "POST")) return response
    await response.body?.cancel()
    const next = new URL(location, url)
    const headers = new Headers(next.origin === url.origin ? request.headers : undefined)
    if (!isRead) headers.delete("content-type")
    request = isRead ? { ...request, headers } : { ...request, headers, method: "GET", body: null }
    url = next
  }
}

export const following = Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, follow))
