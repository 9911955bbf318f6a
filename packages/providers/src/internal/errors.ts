/** What an error means: by the API's own codes, then by its words, then by the status. */
import {
  type ApiError,
  ContentFiltered,
  ContextOverflow,
  NotAuthorized,
  ProviderUnavailable,
  QuotaExceeded,
  RateLimited,
  RequestRejected
} from "../ApiError.js"
import type { ErrorResponse } from "./contract.js"
import { errorIn, statedWait, wordedWait } from "./errorWords.js"
import { jsonText } from "./json.js"

/** The kinds of errors that a program can do something about. */
export type ErrorKind = "request" | "overflow" | "filter" | "credentials" | "rate" | "quota" | "unavailable"

export interface ErrorTable {
  /** By the API's own codes, in lower case. */
  readonly codes: { readonly [code: string]: ErrorKind }
  /** Codes that say so little that the status of an error counts before them, in lower case; parted by spaces. */
  readonly genericCodes?: string
  /** What is said in words only, under a code or status that means one of these. */
  readonly wordings: ReadonlyArray<{
    readonly pattern: RegExp
    readonly among: ReadonlyArray<ErrorKind>
    readonly kind: ErrorKind
  }>
  /** Statuses that mean something else than they do everywhere. */
  readonly statuses?: { readonly [status: number]: ErrorKind }
  /** The API has no codes: its words count under every status. Otherwise they say nothing where the server failed. */
  readonly hasWordsOnly?: boolean
}

export interface FoundError {
  readonly format: string
  readonly status: number | undefined
  /** False if the status is not the API's own. It is left out of the error then. */
  readonly hasStatus?: boolean
  /** The API's own codes, the most precise first. */
  readonly codes: ReadonlyArray<string | undefined>
  /** The code to tell; the first of them unless given. */
  readonly code?: string | undefined
  readonly words: string | undefined
  readonly body: unknown
  /** The part of the request that is wrong. */
  readonly parameter?: string | undefined
  /** Milliseconds to wait. */
  readonly wait?: number | undefined
}

export const classifyError = (table: ErrorTable, found: FoundError): ApiError => {
  const { format, parameter, status, wait } = found
  const known = found.codes.filter((code): code is string => code !== undefined && code !== "")
  const code = found.code ?? known[0]
  const detail = errorDetail(found.words, found.body)
  const common = {
    format,
    detail,
    ...(status === undefined || found.hasStatus === false ? {} : { status }),
    ...(code === undefined ? {} : { code })
  }
  const waiting = wait === undefined ? common : { ...common, retryAfter: wait }
  const isGeneric = (each: string): boolean => (table.genericCodes ?? "").split(" ").includes(each.toLowerCase())
  const precise = kindOfCodes(
    table,
    known.filter((each) => !isGeneric(each))
  )
  const generic = kindOfCodes(table, known.filter(isGeneric))
  const isFailure = (status ?? 0) >= 400
  const base = precise ?? (isFailure ? undefined : generic) ?? kindOfStatus(table, status)
  const hasWords = precise !== undefined || generic !== undefined || table.hasWordsOnly === true || (status ?? 0) < 500
  const wording = hasWords
    ? table.wordings.find(({ among, pattern }) => among.includes(base) && pattern.test(detail))
    : undefined
  switch (wording?.kind ?? base) {
    case "request":
      return new RequestRejected(parameter === undefined ? common : { ...common, parameter })
    case "overflow":
      return new ContextOverflow(common)
    case "filter":
      return new ContentFiltered(common)
    case "credentials":
      return new NotAuthorized(common)
    case "rate":
      return new RateLimited(waiting)
    case "quota":
      return new QuotaExceeded(common)
    case "unavailable":
      return new ProviderUnavailable(waiting)
  }
}

const kindOfCodes = ({ codes }: ErrorTable, known: ReadonlyArray<string>): ErrorKind | undefined => {
  for (const code of known) {
    const word = code.toLowerCase()
    if (Object.hasOwn(codes, word)) return codes[word]
  }
  return undefined
}

/** An error without a status came within a stream whose request was fine. */
const kindOfStatus = ({ statuses }: ErrorTable, status: number | undefined): ErrorKind => {
  if (status === undefined) return "unavailable"
  const kind = statuses?.[status] ?? usualStatuses[status]
  return kind ?? (status >= 400 && status < 500 ? "request" : "unavailable")
}

const usualStatuses: { readonly [status: number]: ErrorKind | undefined } = {
  401: "credentials",
  402: "quota",
  403: "credentials",
  408: "unavailable",
  409: "unavailable",
  425: "unavailable",
  429: "rate"
}

/** An error's words, which may repeat a page of another server, or the beginning of a body that has none. */
const errorDetail = (words: string | undefined, body: unknown): string => {
  if (words !== undefined && words !== "") return words.slice(0, 2000)
  const text = typeof body === "string" ? body : (jsonText(body) ?? "")
  return text === "" ? "no details" : text.slice(0, 500)
}

type Headers = { readonly [name: string]: string | undefined }

/** What an API's error body says. */
type ErrorWords = Pick<FoundError, "codes" | "words" | "parameter"> & Partial<FoundError>

/** The decoders of an API's errors. `read` says what the body says; `status` is the response's, if there is one. */
export const errorDecoders = (
  table: { readonly name: string; readonly errors: ErrorTable },
  read: (body: unknown, status: number | undefined) => ErrorWords
) => {
  const errorOf = (body: unknown, status: number | undefined, stated: number | undefined): ApiError => {
    const said = read(body, status)
    const wait = statedWait(errorIn(body)) ?? stated ?? wordedWait(said.words ?? "")
    return classifyError(table.errors, { format: table.name, status, body, wait, ...said })
  }
  return {
    decodeError: ({ body, headers, status }: ErrorResponse): ApiError => errorOf(body, status, retryAfter(headers)),
    /** An error in a stream that had begun: there is no status. */
    streamError: (body: unknown): ApiError => errorOf(body, undefined, undefined)
  }
}

/**
 * How long an API asks to wait, in milliseconds. `retry-after-ms` is Azure's and
 * OpenAI's; `retry-after` is seconds, or a date that is read against the
 * server's own clock if it sends its time.
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
  // `Number` takes other notations too: 0x10 for sixteen.
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}
