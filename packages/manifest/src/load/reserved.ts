/** Hidden fields that Wield fills: `requestid`, a UUID for each run, and `invocationid`, its calls from 0. */
import * as CallContext from "@wield/core/CallContext"
import * as CurrentCall from "@wield/core/CurrentCall"
import * as Json from "@wield/core/Json"
import * as Effect from "effect/Effect"
import { propertiesOf } from "./parameters.js"

const reserved: ReadonlySet<string> = new Set(["requestid", "invocationid"])

export const isReserved = (name: string): boolean => reserved.has(name.toLowerCase())

interface Request {
  readonly id: string
  /** The count of each call; a retry of a call has the same. */
  readonly counts: Map<string, number>
}

export type Fill = ReturnType<typeof filler>

/** One for all tools of a manifest: they count together. Runs that are over are forgotten. */
export const filler = () => {
  const requests = new WeakMap<object, Request>()
  const requestOf = (run: object): Request => {
    const known = requests.get(run)
    if (known !== undefined) return known
    const request = { id: crypto.randomUUID(), counts: new Map() }
    requests.set(run, request)
    return request
  }
  return (names: ReadonlyArray<string>, parameters: Json.JsonSchema) =>
    Effect.gen(function* () {
      const given = yield* CallContext.CallContext
      const call = yield* CurrentCall.CurrentCall
      const { counts, id } = requestOf(call.run)
      const count = counts.get(call.idempotencyKey) ?? counts.size
      counts.set(call.idempotencyKey, count)
      return Object.fromEntries(
        names.map((name) => {
          // What the application supplies itself is meant.
          const own = Object.keys(given).find((key) => key.toLowerCase() === name.toLowerCase())
          if (own !== undefined) return [name, given[own]]
          if (name.toLowerCase() === "requestid") return [name, id]
          const schema = propertiesOf(parameters)[name]
          return [name, Json.isObject(schema) && schema["type"] === "string" ? String(count) : count]
        })
      )
    })
}
