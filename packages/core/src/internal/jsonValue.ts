/**
 * JSON text as a value, or why it is none.
 */
import * as Either from "effect/Either"

/** V8's setting, which other engines ignore. */
const traced = Error as { stackTraceLimit?: number | undefined }

/**
 * JSON.parse, without the stack trace of the error it throws, which takes longer
 * to make than most texts take to parse and which nobody reads.
 */
export const jsonValue = (text: string): Either.Either<unknown, string> => {
  const { stackTraceLimit } = traced
  traced.stackTraceLimit = 0
  // JSON.parse reports by throwing; no effect is involved.
  try {
    return Either.right(JSON.parse(text))
  } catch (error) {
    return Either.left(error instanceof Error ? error.message : "it cannot be parsed")
  } finally {
    traced.stackTraceLimit = stackTraceLimit
  }
}
