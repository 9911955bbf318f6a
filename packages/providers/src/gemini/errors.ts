/** Gemini's API: what an error response, or an error within a stream, means. */
import { errorDecoders } from "../internal/errors.js"
import { type Fields, numberField, objectField, stringField, isObject } from "../internal/wireField.js"
import { table } from "./format.js"
import { either, listOf } from "./turn.js"

export const { decodeError, streamError } = errorDecoders(table, (body, httpStatus) => {
  // Vertex AI sends some errors as an array of one, and an error may end an array of chunks.
  const chunks: ReadonlyArray<unknown> = Array.isArray(body) ? body : [body]
  const outer = chunks.find((chunk) => isObject(chunk) && isObject(chunk["error"])) ?? chunks[0]
  const error = isObject(outer) ? (objectField(outer, "error") ?? outer) : {}
  const code = stringField(error, "status")
  const details = Array.isArray(error["details"]) ? error["details"].filter(isObject) : []
  const status = httpStatus ?? numberField(error, "code")
  const isRate = code === undefined ? status === 429 : code === "RESOURCE_EXHAUSTED"
  const reasons = details.map((each) => stringField(each, "reason")).filter(isPreciser)
  const wait = details.map(delayOf).find((delay) => delay !== undefined)
  return {
    status,
    codes: [...reasons, isRate && isUsedUp(details) ? "QUOTA_USED_UP" : code, code],
    code,
    words: stringField(error, "message"),
    parameter: parameterOf(details),
    ...(wait === undefined ? {} : { wait })
  }
})

const isPreciser = (reason: string | undefined): boolean =>
  reason === "API_KEY_INVALID" || reason === "BILLING_DISABLED"

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
        isObject(violation) &&
        (/PerDay/i.test(textOf(violation, "quotaId", "quota_id")) ||
          violation["quotaValue"] === 0 ||
          textOf(violation, "quotaValue", "quota_value") === "0")
    )

/** Of a `google.rpc.BadRequest`: the field that is wrong. */
const parameterOf = (details: ReadonlyArray<Fields>): string | undefined => {
  for (const detail of details) {
    const [violation] = listOf(either(detail, "fieldViolations", "field_violations")) ?? []
    const field = stringField(violation, "field")
    if (field !== undefined) return field
  }
  return undefined
}
