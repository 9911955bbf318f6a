/** Finds the recorded exchange for a request. */
import type { Json } from "@wield/core"
import { type Difference, firstDifference, renderDifference } from "../json/difference.js"
import { type Exchange, type Request, requestLine } from "./exchange.js"
import { placeholder } from "./secrets.js"

export interface Matching {
  /** `any`: the first unused exchange that matches. `strict`: the next one, or none. */
  readonly order: "any" | "strict"
  /** Changes both JSON bodies before they are compared. */
  readonly normalise: (body: Json.Json) => Json.Json
  readonly headers: ReadonlySet<string>
}

type Match = { readonly _tag: "Found"; readonly index: number } | { readonly _tag: "None"; readonly difference: string }

export const match = (
  exchanges: ReadonlyArray<Exchange>,
  used: ReadonlySet<number>,
  request: Request,
  matching: Matching
): Match => {
  const unused = exchanges.flatMap((exchange, index) => (used.has(index) ? [] : [{ exchange, index }]))
  const candidates = matching.order === "strict" ? unused.slice(0, 1) : unused
  const asked = comparable(request, matching)
  let nearest: { readonly difference: Difference; readonly index: number; readonly agreement: number } | undefined
  for (const { exchange, index } of candidates) {
    const recorded = comparable(exchange.request, matching)
    const difference = firstDifference(recorded, asked, isSame)
    if (difference === undefined) return { _tag: "Found", index }
    const agreement = agreementOf(exchange.request, request, difference)
    if (nearest === undefined || agreement > nearest.agreement) nearest = { difference, index, agreement }
  }
  if (nearest === undefined) {
    return { _tag: "None", difference: `all its ${exchanges.length} exchanges were used before` }
  }
  const other = exchanges[nearest.index]?.request
  return {
    _tag: "None",
    difference: `it differs from exchange ${nearest.index + 1}${other === undefined ? "" : ` (${requestLine(other)})`} ${renderDifference(nearest.difference, "recorded", "sent")}`
  }
}

/** The same address counts most, then the method, then the length of agreement. */
const agreementOf = (recorded: Request, asked: Request, { path }: Difference): number =>
  (recorded.method === asked.method ? 1000 : 0) +
  (recorded.url === asked.url ? 2000 : 0) +
  (path[0] === "body" ? path.reduce<number>((sum, key) => sum + (typeof key === "number" ? key : 1), 0) : 0)

const comparable = (request: Request, matching: Matching) => {
  const url = new URL(request.url)
  const query: { [name: string]: ReadonlyArray<string> } = {}
  for (const name of new Set(url.searchParams.keys())) query[name] = url.searchParams.getAll(name)
  const { body } = request
  return {
    method: request.method,
    url: `${url.protocol}//${url.host}${url.pathname}`,
    query,
    headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => matching.headers.has(name))),
    // Both bodies come from JSON text.
    body: body !== undefined && "json" in body ? matching.normalise(body.json as Json.Json) : body
  }
}

/** A removed secret matches any other. */
const isSame = (recorded: unknown, asked: unknown): boolean => {
  if (Object.is(recorded, asked)) return true
  if (recorded === placeholder) return typeof asked === "string" || typeof asked === "number"
  if (typeof recorded !== "string" || typeof asked !== "string" || !recorded.includes(placeholder)) return false
  const [first = "", ...rest] = recorded.split(placeholder)
  const last = rest.pop() ?? ""
  if (!asked.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = asked.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return asked.length >= at + last.length && asked.endsWith(last)
}
