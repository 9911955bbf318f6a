/** Where APIs and the gateways before them put an error, what its words are, and how long to wait. */
import { type Fields, isObject, listField, numberField, objectField, stringField } from "./wireField.js"

/** What a body says of its error. Google puts it in an array, or at the end of an array of chunks; most put it under `error`. */
export const errorIn = (body: unknown): unknown => {
  const bodies: ReadonlyArray<unknown> = Array.isArray(body) ? body : [body]
  const outer = bodies.find((each) => objectField(each, "error") !== undefined) ?? bodies[0]
  return objectField(outer, "error") ?? objectField(objectField(outer, "response"), "error") ?? outer
}

/** The words, and the part of the request that they are of. */
export const wordsOf = (error: unknown): { readonly words: string | undefined; readonly parameter?: string } => {
  if (!isObject(error)) return { words: undefined }
  for (const key of ["message", "Message", "error", "detail", "error_msg"]) {
    const words = textOf(error[key])
    if (words !== undefined) return { words }
  }
  return placesOf(error) ?? { words: listedWords(listField(error, "errors")[0]) }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const isKey = (value: unknown): boolean => typeof value === "string" || typeof value === "number"

/** FastAPI's list of what is wrong where; Mistral wraps it in `message`. */
const placesOf = (error: unknown): { readonly words: string; readonly parameter: string } | undefined => {
  const own = listField(error, "detail")
  const places = (own.length > 0 ? own : listField(objectField(error, "message"), "detail")).filter(isObject)
  if (places.length === 0) return undefined
  const pathOf = (place: Fields | undefined): string =>
    listField(place, "loc")
      .filter((key) => isKey(key) && key !== "body")
      .join(".")
  return {
    words: places.map((place) => `${pathOf(place)}: ${stringField(place, "msg") ?? "wrong"}`).join("; "),
    parameter: pathOf(places[0])
  }
}

/** Cloudflare and IBM: `{ errors: [{ message }] }`; Writer: `{ errors: [{ description }] }`. */
const listedWords = (first: unknown): string | undefined =>
  stringField(first, "message") ?? stringField(first, "description")

/** Google's RetryInfo and Hugging Face's time to load a model, in milliseconds. */
export const statedWait = (error: unknown): number | undefined => {
  for (const detail of listField(error, "details")) {
    const delay = stringField(detail, "retryDelay") ?? stringField(detail, "retry_delay")
    const seconds = /^([\d.]+)s$/.exec(delay ?? "")
    if (seconds !== null) return milliseconds(seconds[1], 1000)
  }
  return milliseconds(numberField(error, "estimated_time"), 1000)
}

/** What the words of OpenAI, Groq, Azure and Google ask to wait, in milliseconds. */
export const wordedWait = (words: string): number | undefined => {
  const after = /(?:retry after|try again in) ([\d.]+) seconds?/i.exec(words)
  if (after !== null) return milliseconds(after[1], 1000)
  const again = /(?:try again|retry) in (?:([\d.]+)h)?(?:([\d.]+)m(?!s))?(?:([\d.]+)(ms|s))?/i.exec(words)
  if (again === null || again.slice(1, 4).every((part) => part === undefined)) return undefined
  const [, hours, minutes, rest, unit] = again
  const parts = [
    milliseconds(hours, 3_600_000),
    milliseconds(minutes, 60_000),
    milliseconds(rest, unit === "ms" ? 1 : 1000)
  ]
  return parts.reduce<number>((total, part) => total + (part ?? 0), 0)
}

const milliseconds = (text: string | number | undefined, unit: number): number | undefined => {
  const value = Number(text ?? Number.NaN)
  return Number.isFinite(value) ? Math.ceil(value * unit) : undefined
}
