/**
 * What a server on one's own machine checks of a request before anything else: a
 * page of the web must not reach it, be it by its origin or by a name that leads
 * here, and no body may be larger than expected.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { aFunction, check, count } from "./guard/policy.js"

/**
 * The names by which a machine reaches itself.
 *
 * @category models
 */
export const loopback: ReadonlyArray<string> = ["localhost", "127.0.0.1", "[::1]"]

/**
 * Whether the `Host` of a request is among these names, in lower case. A name
 * without a port lets every port pass.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { RequestGuard } from "@wield/http"
 *
 * const names = new Set(RequestGuard.loopback)
 * assert.strictEqual(RequestGuard.isHostAllowed(names, "localhost:4983"), true)
 * assert.strictEqual(RequestGuard.isHostAllowed(names, "rebound.example"), false)
 * ```
 *
 * @category guards
 */
export const isHostAllowed = (names: ReadonlySet<string>, host: string): boolean => {
  const given = host.toLowerCase()
  // A port may be too large for an address.
  return URL.canParse(`http://${given}`) && (names.has(given) || names.has(given.replace(/:\d+$/u, "")))
}

/**
 * Whether a text is the secret, in a time that says nothing of the secret.
 *
 * @category guards
 */
export const isSecret = (given: string, secret: string): boolean => timingSafeEqual(digest(given), digest(secret))

/** Of one length, whatever was given. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/**
 * Why a body was not taken.
 *
 * @category models
 */
export interface BodyRefusal {
  readonly status: 400 | 413 | 415
  readonly reason: string
}

/**
 * The text of a request's body; `undefined` where it has more than `maxBytes`,
 * of which no more are read. Rejects where the request breaks off.
 *
 * @category decoding
 */
export const readText = async (request: Request, maxBytes: number): Promise<string | undefined> => {
  check("maxBytes of RequestGuard", count, maxBytes)
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return undefined
  const decoder = new TextDecoder()
  const reader = request.body?.getReader()
  let text = ""
  let bytes = 0
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    bytes += read.value.byteLength
    if (bytes > maxBytes) {
      await reader?.cancel()
      return undefined
    }
    text += decoder.decode(read.value, { stream: true })
  }
  return text + decoder.decode()
}

/**
 * The JSON in the body of a request, and its text, or why it is refused. No more
 * than `maxBytes` are read; `parse` should bound how deep they nest, as `Json.parse` of the core does.
 *
 * @category decoding
 */
export const readJson = async (
  request: Request,
  maxBytes: number,
  parse: (text: string) => unknown
): Promise<{ readonly body: unknown; readonly text: string } | BodyRefusal> => {
  check("maxBytes of RequestGuard", count, maxBytes)
  check("What RequestGuard parses with", aFunction, parse)
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase()
  if (type !== "application/json") return { status: 415, reason: "The Content-Type must be application/json" }
  try {
    const text = await readText(request, maxBytes)
    return text === undefined
      ? { status: 413, reason: `The body has more than ${maxBytes} bytes` }
      : { body: parse(text), text }
  } catch {
    return { status: 400, reason: "The body is not JSON" }
  }
}
