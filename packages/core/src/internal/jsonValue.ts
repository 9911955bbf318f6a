/**
 * JSON text that a model wrote as a value, or why it is not JSON (`NotJson`).
 */
import { parse } from "../Json.js"
import { NotJson } from "./notJson.js"

/** V8's setting, which other engines ignore. */
const traced = Error as { stackTraceLimit?: number | undefined }

/**
 * `Json.parse` with rounded decimals, without the stack trace of the error it throws, which takes longer
 * to make than most texts take to parse and which is seldom read.
 */
export const jsonValue = (text: string): unknown => {
  const { stackTraceLimit } = traced
  traced.stackTraceLimit = 0
  // It reports by throwing; no effect is involved.
  try {
    return parse(text, { decimals: "rounded" })
  } catch (error) {
    return new NotJson(error instanceof Error ? error.message : "it cannot be parsed")
  } finally {
    traced.stackTraceLimit = stackTraceLimit
  }
}
