/**
 * What an error body says, whichever of the compatible servers wrote it.
 */
import { Json } from "@wield/core"
import type { Fields } from "../../internal/wireField.js"
import { numberField, objectField, stringField } from "../../internal/wireField.js"

export interface ErrorWords {
  /** The most precise words first: Azure's inner code, the code, the type, Google's status. */
  readonly codes: ReadonlyArray<string>
  readonly words: string | undefined
  readonly parameter: string | undefined
  /** A status that the error itself states, as it does within a stream. */
  readonly status: number | undefined
  /** Milliseconds to wait, where the body says so. */
  readonly wait: number | undefined
  /** OpenRouter's moderation names what it flagged. */
  readonly isFlagged: boolean
}

/**
 * OpenAI, Azure, Groq and OpenRouter: `{ error: { message, type, code, param } }`.
 * Google's endpoint puts that in an array. Mistral and vLLM: the same without
 * `error`. xAI and Hugging Face: `{ code?, error: text }`. Servers of FastAPI:
 * `{ detail }`, with the places where the request is wrong.
 */
export const errorWords = (body: unknown): ErrorWords => {
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (!Json.isObject(first)) return { ...nothing, words: textOf(first) }
  const error = objectField(first, "error") ?? first
  const inner = objectField(error, "innererror") ?? {}
  const metadata = objectField(error, "metadata") ?? {}
  const places = placesOf(error)
  const words =
    textOf(error["message"]) ?? textOf(error["error"]) ?? textOf(error["detail"]) ?? places?.words ?? writerWords(error)
  return {
    codes: [inner["code"], error["code"], error["type"], error["status"]].flatMap((code) =>
      typeof code === "number" ? [String(code)] : typeof code === "string" && code !== "" ? [code] : []
    ),
    words,
    parameter: textOf(error["param"]) ?? places?.parameter,
    status: [error["status_code"], error["code"], error["raw_status_code"]].find(isStatus),
    wait: waitOf(error, words ?? ""),
    isFlagged: Array.isArray(metadata["reasons"])
  }
}

const nothing: ErrorWords = {
  codes: [],
  words: undefined,
  parameter: undefined,
  status: undefined,
  wait: undefined,
  isFlagged: false
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const isStatus = (value: unknown): value is number => typeof value === "number" && value >= 400 && value < 600

const isKey = (value: unknown): boolean => typeof value === "string" || typeof value === "number"

/** FastAPI's list of what is wrong where; Mistral wraps it in `message`. */
const placesOf = (error: Fields): { readonly words: string; readonly parameter: string } | undefined => {
  const list = error["detail"] ?? objectField(error, "message")?.["detail"]
  const places = (Array.isArray(list) ? list : []).filter(Json.isObject)
  if (places.length === 0) return undefined
  const pathOf = (place: Fields | undefined): string => {
    const path: unknown = place?.["loc"]
    return Array.isArray(path) ? path.filter((key) => isKey(key) && key !== "body").join(".") : ""
  }
  return {
    words: places.map((place) => `${pathOf(place)}: ${stringField(place, "msg") ?? "wrong"}`).join("; "),
    parameter: pathOf(places[0])
  }
}

/** Writer: `{ errors: [{ description, key }] }`. */
const writerWords = (error: Fields): string | undefined => {
  const list = error["errors"]
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  return Json.isObject(first) ? textOf(first["description"]) : undefined
}

/** Google's RetryInfo, Hugging Face's time to load a model, or the words of OpenAI, Groq and Azure. */
const waitOf = (error: Fields, words: string): number | undefined => {
  const details = error["details"]
  for (const detail of Array.isArray(details) ? details : []) {
    const seconds = /^([\d.]+)s$/.exec((Json.isObject(detail) ? stringField(detail, "retryDelay") : undefined) ?? "")
    if (seconds !== null) return milliseconds(seconds[1], 1000)
  }
  const loading = numberField(error, "estimated_time")
  if (loading !== undefined) return loading * 1000
  const again = /try again in (?:([\d.]+)h)?(?:([\d.]+)m(?!s))?(?:([\d.]+)(ms|s))?/i.exec(words)
  const after = /retry after ([\d.]+) seconds?/i.exec(words)
  if (after !== null) return milliseconds(after[1], 1000)
  if (again === null || again.slice(1, 4).every((part) => part === undefined)) return undefined
  const [, hours, minutes, rest, unit] = again
  return sum(
    milliseconds(hours, 3_600_000),
    milliseconds(minutes, 60_000),
    milliseconds(rest, unit === "ms" ? 1 : 1000)
  )
}

const milliseconds = (text: string | undefined, unit: number): number | undefined => {
  const value = Number(text ?? Number.NaN)
  return Number.isFinite(value) ? Math.ceil(value * unit) : undefined
}

const sum = (...parts: ReadonlyArray<number | undefined>): number =>
  parts.reduce<number>((total, part) => total + (part ?? 0), 0)
