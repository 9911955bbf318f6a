/** Cohere's chat API: errors, which have words and no codes. */
import { errorDecoders } from "../internal/errors.js"
import { stringField, isObject } from "../internal/wireField.js"
import { table } from "./format.js"

export const { decodeError, streamError } = errorDecoders(table, (body) => {
  const fields = isObject(body) ? body : {}
  return { codes: [], words: stringField(fields, "message") ?? stringField(fields, "error") }
})
