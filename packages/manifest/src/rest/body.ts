/** The body of a call's request. */
import { Json } from "@wield/core"
import * as HttpBody from "@effect/platform/HttpBody"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type { Arguments } from "../Executor.js"
import { invalidRequest, type Made } from "./made.js"
import { type Plan, takesBody } from "./plan.js"
import { isAbsent, textOf } from "./style.js"
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
        return Either.map(formOf(values), HttpBody.formData)
      case "text":
        return invalidRequest(`a body of type ${type} needs the parameter that is its text`)
    }
  })
}

type Kind = "json" | "form" | "multipart" | "text"

export const kindOf = (contentType: string): Kind => {
  const [type = ""] = contentType.toLowerCase().split(";", 1)
  if (/[/+]json$/.test(type.trim())) return "json"
  if (type.trim() === "application/x-www-form-urlencoded") return "form"
  return type.trim() === "multipart/form-data" ? "multipart" : "text"
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
  if (plan.isBodyFile) {
    return Either.map(bytesOf(value, parameter), (bytes) => HttpBody.uint8Array(bytes, type))
  }
  switch (kindOf(type)) {
    case "json":
      return Either.right(HttpBody.text(JSON.stringify(value), type))
    case "text":
      return Either.right(HttpBody.text(textOf(value), type))
    case "form":
      return Either.map(pairTexts(plan, taken, fieldsOf(value)), (texts) => HttpBody.text(texts.join("&"), type))
    case "multipart":
      return Either.map(formOf(fieldsOf(value)), HttpBody.formData)
  }
}

/** The properties of a value that is the whole of a form. */
const fieldsOf = (value: unknown): ReadonlyArray<Valued> =>
  Json.isObject(value)
    ? Object.entries(value).map(([name, held]) => ({ parameter: name, name, place: undefined, value: held }))
    : []

/** `__proto__` is a name like any other. */
const objectOf = (values: ReadonlyArray<Valued>): object =>
  Object.fromEntries(values.map(({ name, value }) => [name, value]))

const formOf = (values: ReadonlyArray<Valued>): Made<FormData> =>
  Either.gen(function* () {
    const form = new FormData()
    for (const { name, parameter, place, value } of values) {
      for (const item of Array.isArray(value) && place?.contentType === undefined ? value : [value]) {
        if (isAbsent(item)) continue
        if (place?.isFile === true) {
          const file = yield* fileOf(item, parameter, place.contentType)
          form.append(name, file, file.name)
        } else if (Json.isObject(item) || Array.isArray(item) || place?.contentType !== undefined) {
          const type = place?.contentType ?? "application/json"
          const text = kindOf(type) === "json" ? JSON.stringify(item) : textOf(item)
          form.append(name, new Blob([text], { type }))
        } else form.append(name, textOf(item))
      }
    }
    return form
  })

/** `{ content, encoding, filename, contentType }`, or the content alone. */
const fileOf = (value: unknown, parameter: string, contentType: string | undefined): Made<File> => {
  const { contentType: given, filename } = fileParts(value)
  const bytes = bytesOf(value, parameter)
  if (Either.isLeft(bytes)) return Either.left(bytes.left)
  const type = typeof given === "string" ? given : (contentType ?? "application/octet-stream")
  return /[^\t\x20-\x7e]/.test(type)
    ? invalidRequest(`the content type of ${parameter} has a character that a header cannot carry`)
    : Either.right(new File([bytes.right.slice()], typeof filename === "string" ? filename : parameter, { type }))
}

const fileParts = (value: unknown): Json.JsonSchema => (Json.isObject(value) ? value : { content: value })

const bytesOf = (value: unknown, parameter: string): Made<Uint8Array> => {
  const { content = "", encoding } = fileParts(value)
  const bytes =
    encoding === "base64"
      ? Encoding.decodeBase64(textOf(content))
      : Either.right(new TextEncoder().encode(textOf(content)))
  return Either.isLeft(bytes) ? invalidRequest(`the content of ${parameter} is not base64`) : Either.right(bytes.right)
}
