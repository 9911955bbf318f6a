/** What responses of OpenAI's two APIs have in common: token counts, and errors in their place. */
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import { WireError } from "../WireError.js"
import type { Fields } from "../internal/wireField.js"

/** Enough for any provider's error message; some echo the whole request. */
const maxMessage = 500

/** The error of an error body; `undefined` for another body. Servers put it under `error`, `message` or `detail`. */
export const errorBody = (format: string, body: Fields, expected: string): WireError | undefined => {
  for (const key of ["error", "message", "detail"]) {
    const error = body[key]
    if (error === undefined || error === null) continue
    return new WireError({ format, path: [key], expected, received: `an error: ${describe(error)}` })
  }
  return undefined
}

const describe = (error: unknown): string => {
  if (typeof error === "string") return cut(error)
  if (!Json.isObject(error)) return Issue.show(error)
  const code = [error["code"], error["type"], error["status"]].find(
    (word) => (typeof word === "string" && word !== "") || typeof word === "number"
  )
  const message = typeof error["message"] === "string" ? cut(error["message"]) : Issue.show(error)
  return code === undefined ? message : `${cut(String(code))}: ${message}`
}

const cut = (text: string): string => (text.length > maxMessage ? `${text.slice(0, maxMessage)}…` : text)
