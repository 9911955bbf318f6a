/** The pages of an answer, put together as one answer. */
import * as Effect from "effect/Effect"
import { type ExecutionError, RequestFailed } from "../ExecutionError.js"
import type { Arguments } from "../Executor.js"
import type { Api } from "../ManifestEntry.js"
import { at, replaceAt } from "./pointer.js"

export interface Page {
  readonly value: unknown
  /** Bytes. */
  readonly size: number
}

/**
 * The first page with the items of all, and with the last one's word on what
 * comes next: it shows whether there is more.
 */
export const readPages = (
  pagination: NonNullable<Api["pagination"]>,
  page: (parameters: Arguments, bytesLeft: number) => Effect.Effect<Page, ExecutionError>,
  parameters: Arguments,
  maxBytes: number
): Effect.Effect<unknown, ExecutionError> =>
  Effect.gen(function* () {
    const { from, items, maxPages, parameter } = pagination
    const asked = new Set<unknown>([yield* keyOf(parameters[parameter])])
    const all: Array<unknown> = []
    let first: unknown
    let current = parameters
    let bytesLeft = maxBytes
    for (let count = 1; ; count++) {
      const { size, value } = yield* page(current, bytesLeft)
      const found = at(value, items)
      if (!Array.isArray(found)) {
        return yield* new RequestFailed({ reason: "invalid-answer", detail: `the answer has no items at ${items}` })
      }
      for (const item of found) all.push(item)
      if (count === 1) first = value
      const next = at(value, from)
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
