/** Cohere's chat API: errors, which have words and no codes. */
import { errorDecoders } from "../internal/errors.js"
import { errorIn, wordsOf } from "../internal/errorWords.js"
import { table } from "./format.js"

export const { decodeError, streamError } = errorDecoders(table, (body) => ({ codes: [], ...wordsOf(errorIn(body)) }))
