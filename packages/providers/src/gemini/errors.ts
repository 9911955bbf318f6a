/** Gemini's API: what an error response, or an error within a stream, means. */
import { errorDecoders } from "../internal/errors.js"
import { errorIn, wordsOf } from "../internal/errorWords.js"
import { type Fields, isObject, listField, numberField, stringField } from "../internal/wireField.js"
import { table } from "./format.js"
import { either, listOf } from "./turn.js"

export const { decodeError, streamError } = errorDecoders(table, (body, httpStatus) => {
  const error = errorIn(body)
  const code = stringField(error, "status")
  const details = listField(error, "details").filter(isObject)
  const status = httpStatus ?? numberField(error, "code")
  const isRate = code === undefined ? status === 429 : code === "RESOURCE_EXHAUSTED"
  const reasons = details.map((each) => stringField(each, "reason")).filter(isPreciser)
  return {
    status,
    codes: [...reasons, isRate && isUsedUp(details) ? "QUOTA_USED_UP" : code, code],
    code,
    words: wordsOf(error).words,
    parameter: parameterOf(details)
  }
})

const isPreciser = (reason: string | undefined): boolean =>
  reason === "API_KEY_INVALID" || reason === "BILLING_DISABLED"

const textOf = (detail: Fields, camelCase: string, snakeCase: string): string =>
  stringField(detail, camelCase) ?? stringField(detail, snakeCase) ?? ""

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
