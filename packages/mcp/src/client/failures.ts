/** What the SDK, a server or its end says of a failure, as an error of this package; without secrets, and of a bounded length. */
import type * as Sdk from "@modelcontextprotocol/client"
import * as Json from "@wield/core/Json"
import * as Secret from "@wield/core/Secret"
import * as McpError from "../McpError.js"
import { lostCode, TooMuch, tooMuchCode } from "./answers.js"
import type { Limits } from "./model.js"
import { AnswerLost, messageOf, NotSent, type Opened } from "./transport.js"

export const connectError = (
  server: string,
  { diagnosis, reason, secrets }: Opened,
  error: McpError.McpError
): McpError.McpError => {
  if (error._tag === "AuthorizationRequired" || error._tag === "LimitExceeded") return error
  const text = diagnosis()
  return new McpError.ConnectFailed({
    server,
    reason: reason() ?? ("reason" in error ? error.reason : "problem" in error ? error.problem : error.message),
    ...(text === undefined || text === "" ? {} : { standardError: Secret.hide(text, spellingsOf(secrets)) })
  })
}

export const makeErrorOf =
  (
    sdk: typeof Sdk,
    { limits, server }: { readonly limits: Limits; readonly server: string },
    tooMuch: () => TooMuch | undefined,
    { reason: whyEnded, secrets }: Opened
  ) =>
  (method: string, cause: unknown): McpError.McpError => {
    const spellings = spellingsOf(secrets)
    const reason = briefly(Secret.hide(messageOf(cause), spellings))
    const lost = (wasSent: boolean) => new McpError.Disconnected({ server, wasSent, reason })
    const exceeded = tooMuch() ?? findTooMuch(cause)
    if (exceeded !== undefined) return new McpError.LimitExceeded({ server, limit: exceeded.message })
    if (cause instanceof NotSent) return lost(false)
    if (cause instanceof AnswerLost) return lost(true)
    if (cause instanceof sdk.UnauthorizedError || cause instanceof sdk.InsufficientScopeError) {
      return authorizationRequired(server, reason, "url" in cause ? String(cause.url) : undefined)
    }
    if (cause instanceof sdk.SdkHttpError) return httpError(server, cause.status, reason)
    if (cause instanceof sdk.ProtocolError) {
      if (cause.code === lostCode) return lost(true)
      if (cause.code === tooMuchCode) return new McpError.LimitExceeded({ server, limit: reason })
      return new McpError.RemoteError({
        server,
        code: cause.code,
        problem: reason,
        // It was parsed from JSON.
        ...(cause.data === undefined ? {} : { data: Secret.hideIn(cause.data as Json.Json, spellings) })
      })
    }
    if (!(cause instanceof sdk.SdkError)) {
      return cause instanceof sdk.OAuthError || cause instanceof sdk.OAuthClientFlowError
        ? authorizationRequired(server, reason)
        : lost(true)
    }
    switch (cause.code) {
      case sdk.SdkErrorCode.NotConnected:
      case sdk.SdkErrorCode.SendFailed:
        return lost(false)
      case sdk.SdkErrorCode.ConnectionClosed:
        return new McpError.Disconnected({ server, wasSent: true, reason: whyEnded() ?? reason })
      case sdk.SdkErrorCode.RequestTimeout:
        return new McpError.TimedOut({ server, method, limit: method === "initialize" ? limits.connect : limits.call })
      case sdk.SdkErrorCode.ListPaginationExceeded:
        return new McpError.LimitExceeded({ server, limit: `${limits.pages} pages` })
      case sdk.SdkErrorCode.CapabilityNotSupported:
      case sdk.SdkErrorCode.MethodNotSupportedByProtocolVersion:
        return new McpError.Unsupported({ server, capability: method })
      case sdk.SdkErrorCode.InvalidResult:
      case sdk.SdkErrorCode.UnsupportedResultType:
        // The SDK lists all that it expected.
        return new McpError.ProtocolViolation({
          server,
          hasAnswered: true,
          problem: (reason.split("\n", 1)[0] ?? "").replace(/: \[$/, "").slice(0, 300)
        })
      default:
        return lost(true)
    }
  }

/** Shorter ones would be found in every other word. */
export const spellingsOf = (secrets: ReadonlySet<string>): ReadonlyArray<string> =>
  Secret.spellingsOf([...secrets].filter(({ length }) => length >= 4))

/** The error of a task, as that of a request. */
export const withErrorHidden = (task: Json.JsonObject, spellings: ReadonlyArray<string>): Json.JsonObject => {
  const { error } = task
  if (!Json.isObject(error)) return task
  const hidden = Secret.hideIn(error, spellings)
  const { message, ...others } = Json.isObject(hidden) ? hidden : {}
  return { ...task, error: { ...others, ...(typeof message === "string" ? { message: briefly(message) } : {}) } }
}

/** A server may answer with a page, or with what it was asked. */
const briefly = (reason: string): string =>
  reason.length > longestReason ? `${reason.slice(0, longestReason)}… (${reason.length} characters)` : reason

const longestReason = 2_000

const findTooMuch = (cause: unknown): TooMuch | undefined => {
  for (let error = cause; error instanceof Error; error = error.cause) if (error instanceof TooMuch) return error
  return undefined
}

const authorizationRequired = (server: string, reason: string, url?: string): McpError.AuthorizationRequired =>
  new McpError.AuthorizationRequired({ server, reason, ...(url === undefined ? {} : { url }) })

const lostSession =
  /\bsession\b.{0,40}(?:not found|expired|invalid|unknown|does not exist|terminated)|(?:no valid|invalid|unknown|expired) session/i

const httpError = (server: string, status: number, message: string): McpError.McpError => {
  if (status === 401 || status === 403) return authorizationRequired(server, message)
  // The session is gone, and nothing was run. Some servers say so in words only.
  const isLost = status === 404 || status === 410 || (status === 400 && lostSession.test(message))
  if (isLost) return new McpError.Disconnected({ server, wasSent: false, reason: message })
  // Others refuse before they run anything; a proxy or a crash may have come after it.
  const isRefused = status < 500 || status === 501 || status === 503
  return isRefused
    ? new McpError.RemoteError({ server, code: status, problem: message })
    : new McpError.Disconnected({ server, wasSent: true, reason: message })
}
