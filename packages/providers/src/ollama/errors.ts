/** Ollama's chat API: errors, which have words and no codes. */
import { errorDecoders } from "../internal/errors.js"
import { stringField } from "../internal/wireField.js"
import { table } from "./format.js"

export const { decodeError, streamError } = errorDecoders(table, (body) => ({
  codes: [],
  words: stringField(body, "error")
}))
