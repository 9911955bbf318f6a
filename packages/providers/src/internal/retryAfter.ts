/**
 * How long an API asks to wait, from the headers of its answer.
 */

type Headers = { readonly [name: string]: string | undefined }

/**
 * Milliseconds. `retry-after-ms` is Azure's and OpenAI's; `retry-after` is
 * seconds, or a date that is read against the server's own clock where it
 * tells its time.
 */
export const retryAfter = (headers: Headers | undefined): number | undefined => {
  const milliseconds = number(headers?.["retry-after-ms"])
  if (milliseconds !== undefined) return milliseconds
  const stated = headers?.["retry-after"]
  if (stated === undefined) return undefined
  const seconds = number(stated)
  if (seconds !== undefined) return seconds * 1000
  // `Date.parse` takes a bare number for a year.
  const at = /[a-z]/i.test(stated) ? Date.parse(stated) : Number.NaN
  if (Number.isNaN(at)) return undefined
  const now = Date.parse(headers?.["date"] ?? "")
  return Math.max(0, at - (Number.isNaN(now) ? Date.now() : now))
}

const number = (text: string | undefined): number | undefined => {
  if (text === undefined || text.trim() === "") return undefined
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}
