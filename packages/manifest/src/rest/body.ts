/** The body of a call's request. */
import { Json } from "@wield/core"
import * as HttpBody from "@effect/platform/HttpBody"
import * as Either from "effect/Either"
import type { Arguments } from "../Executor.js"
import type { ParameterPlace } from "../ManifestEntry.js"
import { invalidRequest, type Made } from "./made.js"
import { kindOf } from "./mediaType.js"
import { bytesOf, multipartOf } from "./multipart.js"
import { type Plan, takesBody } from "./plan.js"
import { textOf } from "./style.js"
import { argument, pairTexts, type Taken, type Valued, valuesOf } from "./values.js"

/** `undefined` for a request without a body. */
export const bodyOf = (plan: Plan, taken: Taken, parameters: Arguments): Made<HttpBody.HttpBody | undefined> => {
  const type = plan.contentType ?? "application/json"
  const kind = kindOf(type)
  if (plan.body !== undefined) return wholeBody(plan, taken, plan.body, parameters)
  return Either.flatMap(valuesOf(plan, "body", taken, parameters), (values): Made<HttpBody.HttpBody | undefined> => {
    // DELETE seldom has a body, and servers may refuse an empty one.
    const isEmpty = values.length === 0 && (plan.placed.body.length === 0 || plan.method === "DELETE")
    if (isEmpty || !takesBody(plan.method)) return Either.right(undefined)
    switch (kind) {
      case "json":
        return Either.right(HttpBody.text(JSON.stringify(objectOf(values)), type))
      case "form":
        return Either.map(pairTexts(plan, taken, values), (texts) => HttpBody.text(texts.join("&"), type))
      case "multipart":
        return multipartOf(plan, taken, values)
      case "text":
        return invalidRequest(`a body of type ${type} needs the parameter that is its text`)
    }
  })
}

const wholeBody = (
  plan: Plan,
  taken: Taken,
  parameter: string,
  parameters: Arguments
): Made<HttpBody.HttpBody | undefined> => {
  const value = argument(parameters, parameter)
  const type = plan.contentType ?? "application/json"
  if (value === undefined) return Either.right(undefined)
  if (plan.bodyPlace?.isFile === true) {
    return Either.map(bytesOf(value, parameter), (bytes) => HttpBody.uint8Array(bytes, type))
  }
  switch (kindOf(type)) {
    case "json":
      return Either.right(HttpBody.text(JSON.stringify(value), type))
    case "text":
      return Either.right(HttpBody.text(textOf(value), type))
    case "form":
      return Either.map(pairTexts(plan, taken, fieldsOf(value, plan.bodyPlace)), (texts) =>
        HttpBody.text(texts.join("&"), type)
      )
    case "multipart":
      return multipartOf(plan, taken, fieldsOf(value, plan.bodyPlace))
  }
}

/** The properties of a value that is the whole of a form: each in the style of the whole. */
const fieldsOf = (value: unknown, place: ParameterPlace | undefined): ReadonlyArray<Valued> =>
  Json.isObject(value)
    ? Object.entries(value).map(([name, held]) => ({ parameter: name, name, place, value: held }))
    : []

/** `__proto__` is a name like any other. */
const objectOf = (values: ReadonlyArray<Valued>): object =>
  Object.fromEntries(values.map(({ name, value }) => [name, value]))
