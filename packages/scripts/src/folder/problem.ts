/**
 * Problems of files as a whole.
 */
import type { Problem } from "../Problem.js"

export const fileError = (file: string, rule: string, message: string): Problem => ({
  severity: "error",
  rule,
  message,
  file,
  place: undefined,
  subject: undefined
})

export const fileWarning = (file: string, rule: string, message: string): Problem => ({
  ...fileError(file, rule, message),
  severity: "warning"
})
