/** One call: its page, or all its pages as one answer, and of that what the model is given. */
import * as Facts from "@wield/core/Facts"
import * as Json from "@wield/core/Json"
import * as JsonPointer from "@wield/core/JsonPointer"
import * as Effect from "effect/Effect"
import { type ExecutorError, RequestFailed, StatusError } from "../ExecutorError.js"
import type { Arguments, Execute } from "../Executor.js"
import { factsOf } from "../load/facts.js"
import type { Api, ApiEntry } from "../ManifestEntry.js"
import type { Sending } from "./attempts.js"

interface Page {
  readonly value: unknown
  readonly size: number
}

type ReadPage = (parameters: Arguments, bytesLeft: number, sending: Sending) => Effect.Effect<Page, ExecutorError>

/** Runs an entry within its limits, or those of its API. */
export const execution = (
  entry: ApiEntry,
  kind: string,
  api: { readonly timeout: number; readonly maxBytes: number },
  page: ReadPage
): Execute => {
  const { limits, pagination, result } = entry.api
  const maxBytes = limits.maxBytes ?? api.maxBytes
  const mayRepeat = Facts.isRepeatable(factsOf(entry, kind))
  return (parameters) =>
    Effect.suspend(() => {
      const sending: Sending = { wasSent: false }
      const read = (given: Arguments, bytesLeft: number) => page(given, bytesLeft, sending)
      return (
        pagination === undefined
          ? Effect.map(read(parameters, maxBytes), ({ value }) => value)
          : readPages(pagination, read, parameters, maxBytes)
      ).pipe(
        Effect.flatMap((value) => partOf(value, result.path)),
        within(limits.timeout ?? api.timeout),
        Effect.mapError((error) => (sending.wasSent && !mayRepeat ? inDoubt(error) : error))
      )
    })
}

/** No answer, or one that says no reason why the request was not carried out. */
const inDoubt = (error: ExecutorError): ExecutorError => {
  const doubt = { mayHaveTakenEffect: true } as const
  switch (error._tag) {
    case "RequestFailed":
      return new RequestFailed({ reason: error.reason, detail: error.detail, ...doubt })
    case "StatusError":
      return error.status === 408 || error.status >= 500
        ? new StatusError({ status: error.status, body: error.body, ...doubt })
        : error
    default:
      return error
  }
}

export const within =
  (timeout: number) =>
  <A>(effect: Effect.Effect<A, ExecutorError>): Effect.Effect<A, ExecutorError> =>
    Effect.timeoutFail(effect, {
      duration: timeout,
      onTimeout: () => new RequestFailed({ reason: "timeout", detail: `there was no answer within ${timeout} ms` })
    })

const partOf = (value: unknown, pointer: string | undefined): Effect.Effect<unknown, RequestFailed> => {
  const found = pointer === undefined ? value : JsonPointer.at(value, pointer)
  return found === undefined && pointer !== undefined
    ? new RequestFailed({ reason: "invalid-answer", detail: `the answer has nothing at ${pointer}` })
    : Effect.succeed(found)
}

/** The first page with the items of all, and the last one's word on whether there is more. */
const readPages = (
  pagination: NonNullable<Api["pagination"]>,
  page: (parameters: Arguments, bytesLeft: number) => Effect.Effect<Page, ExecutorError>,
  parameters: Arguments,
  maxBytes: number
): Effect.Effect<unknown, ExecutorError> =>
  Effect.gen(function* () {
    const { from, items, maxPages, parameter } = pagination
    const asked = new Set<unknown>([yield* keyOf(parameters[parameter])])
    const all: Array<unknown> = []
    let first: unknown
    let current = parameters
    let bytesLeft = maxBytes
    for (let count = 1; ; count++) {
      const { size, value } = yield* page(current, bytesLeft)
      const found = JsonPointer.at(value, items)
      if (!Array.isArray(found)) {
        return yield* new RequestFailed({ reason: "invalid-answer", detail: `the answer has no items at ${items}` })
      }
      for (const item of found) all.push(item)
      if (count === 1) first = value
      const next = JsonPointer.at(value, from)
      const key = yield* keyOf(next)
      // An API that says the same again would be asked without end.
      const isEnd = next === undefined || next === null || next === "" || next === false || asked.has(key)
      bytesLeft -= size
      if (isEnd || count >= maxPages || bytesLeft <= 0) {
        return replaceAt(replaceAt(first, from, next ?? null), items, all)
      }
      asked.add(key)
      current = { ...current, [parameter]: next }
    }
  })

/** By value, for no two objects are the same. What nests too deep to be compared is too deep to be sent. */
const keyOf = (next: unknown): Effect.Effect<unknown, RequestFailed> =>
  typeof next !== "object" || next === null
    ? Effect.succeed(next)
    : Effect.try({
        try: () => `object ${JSON.stringify(next)}`,
        catch: () =>
          new RequestFailed({ reason: "invalid-answer", detail: "what the next page is asked with nests too deep" })
      })

const replaceAt = (value: unknown, pointer: string, by: unknown): unknown => {
  const go = (current: unknown, [key, ...rest]: ReadonlyArray<string>): unknown => {
    if (key === undefined) return by
    if (Array.isArray(current)) return current.map((item, index) => (String(index) === key ? go(item, rest) : item))
    if (!Json.isObject(current)) return current
    return Object.fromEntries(
      Object.entries(current).map(([name, item]) => [name, name === key ? go(item, rest) : item])
    )
  }
  return go(value, JsonPointer.keysOf(pointer))
}
