/** Cohere's chat API: errors, which have words and seldom a code. */
import { errorDecoders } from "../internal/errors.js"
import { errorIn, wordsOf } from "../internal/errorWords.js"
import { stringField } from "../internal/wireField.js"
import { table } from "./format.js"

export const { decodeError, streamError } = errorDecoders(table, (body) => {
  const error = errorIn(body)
  return { codes: [stringField(error, "error_type")], ...wordsOf(error) }
})
