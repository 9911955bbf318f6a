/** Gemini's API: what an error response, or an error within a stream, means. */
import { Json } from "@wield/core"
import type { ApiError } from "../ApiError.js"
import {
  ContentFiltered,
  ContextOverflow,
  NotAuthorized,
  ProviderUnavailable,
  QuotaExceeded,
  RateLimited,
  RequestRejected
} from "../ApiError.js"
import type { ErrorResponse } from "../WireFormat.js"
import { formatName } from "./format.js"
import { either, listOf } from "./turn.js"
import type { Described } from "../internal/errors.js"
import { errorDetail, retryAfter, statusError } from "../internal/errors.js"
import type { Fields } from "../internal/wireField.js"
import { numberField, objectField, stringField } from "../internal/wireField.js"

export const decodeError = ({ body, headers, status }: ErrorResponse): ApiError =>
  errorOf(body, status, retryAfter(headers))

export const streamError = (chunk: unknown): ApiError => errorOf(chunk, undefined, undefined)

const overflow = /(input )?token count.*exceeds|exceeds the maximum number of (input )?tokens|context (length|window)/is
const filtered = /responsible AI|safety (settings?|filters?)|prohibited (content|use)/i

const errorOf = (body: unknown, httpStatus: number | undefined, stated: number | undefined): ApiError => {
  // Vertex AI sends some errors as an array of one, and an error may end an array of chunks.
  const chunks: ReadonlyArray<unknown> = Array.isArray(body) ? body : [body]
  const outer = chunks.find((chunk) => Json.isObject(chunk) && Json.isObject(chunk["error"])) ?? chunks[0]
  const error = Json.isObject(outer) ? (objectField(outer, "error") ?? outer) : {}
  const code = stringField(error, "status")
  const detail = errorDetail(stringField(error, "message"), body)
  const status = httpStatus ?? numberField(error, "code")
  const described: Described = {
    format: formatName,
    ...(httpStatus === undefined ? {} : { status: httpStatus }),
    ...(code === undefined ? {} : { code }),
    detail
  }
  const details = Array.isArray(error["details"]) ? error["details"].filter(Json.isObject) : []
  const wait = details.map(delayOf).find((delay) => delay !== undefined) ?? stated
  const waiting = wait === undefined ? {} : { retryAfter: wait }
  const reasons = details.map((each) => stringField(each, "reason"))
  // A wrong key is an INVALID_ARGUMENT.
  if (reasons.includes("API_KEY_INVALID")) return new NotAuthorized(described)
  if (reasons.includes("BILLING_DISABLED")) return new QuotaExceeded(described)
  switch (code ?? (status === undefined ? undefined : byStatus.get(status))) {
    case "INVALID_ARGUMENT":
    case "FAILED_PRECONDITION":
    case "OUT_OF_RANGE":
      if (overflow.test(detail)) return new ContextOverflow(described)
      if (filtered.test(detail)) return new ContentFiltered(described)
      return new RequestRejected({ ...described, ...parameterOf(details) })
    case "NOT_FOUND":
    case "ALREADY_EXISTS":
    case "UNIMPLEMENTED":
      return new RequestRejected(described)
    case "UNAUTHENTICATED":
    case "PERMISSION_DENIED":
      return new NotAuthorized(described)
    case "RESOURCE_EXHAUSTED":
      return isUsedUp(details) ? new QuotaExceeded(described) : new RateLimited({ ...described, ...waiting })
    case "INTERNAL":
    case "UNAVAILABLE":
    case "DEADLINE_EXCEEDED":
    case "ABORTED":
    case "CANCELLED":
    case "UNKNOWN":
      return new ProviderUnavailable({ ...described, ...waiting })
  }
  return status === undefined
    ? new ProviderUnavailable({ ...described, ...waiting })
    : statusError({ ...described, status }, wait)
}

/** For bodies without a status in words. */
const byStatus: ReadonlyMap<number, string> = new Map([
  [400, "INVALID_ARGUMENT"],
  [413, "INVALID_ARGUMENT"],
  [429, "RESOURCE_EXHAUSTED"]
])

const textOf = (detail: Fields, camelCase: string, snakeCase: string): string =>
  stringField(detail, camelCase) ?? stringField(detail, snakeCase) ?? ""

/** Of a `google.rpc.RetryInfo`, in milliseconds: `"34.5s"`. */
const delayOf = (detail: Fields): number | undefined => {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(detail, "retryDelay", "retry_delay"))?.[1]
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}

/** Of a `google.rpc.QuotaFailure`: a day's quota, or one that is nothing at all, is not a matter of seconds. */
const isUsedUp = (details: ReadonlyArray<Fields>): boolean =>
  details
    .flatMap((detail): ReadonlyArray<unknown> => (Array.isArray(detail["violations"]) ? detail["violations"] : []))
    .some(
      (violation) =>
        Json.isObject(violation) &&
        (/PerDay/i.test(textOf(violation, "quotaId", "quota_id")) ||
          violation["quotaValue"] === 0 ||
          textOf(violation, "quotaValue", "quota_value") === "0")
    )

/** Of a `google.rpc.BadRequest`: the field that is wrong. */
const parameterOf = (details: ReadonlyArray<Fields>): { readonly parameter?: string } => {
  for (const detail of details) {
    const [violation] = listOf(either(detail, "fieldViolations", "field_violations")) ?? []
    const field = Json.isObject(violation) ? stringField(violation, "field") : undefined
    if (field !== undefined) return { parameter: field }
  }
  return {}
}
