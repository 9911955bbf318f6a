/** Checks on a response that does not stream: of a turn, or of an error. */
import { WireFormat } from "@wield/providers"
import { Either, Option } from "effect"
import { isDeepStrictEqual } from "node:util"
import type { Exchange, Expected } from "../exchanges.js"
import { attempt, Thrown } from "./attempt.js"
import { checkCalls } from "./calls.js"
import type { Case } from "./formats.js"
import { cases } from "./formats.js"
import type { Ledger } from "./Ledger.js"

export const checkResponse = (
  exchange: Exchange,
  { format }: Case,
  oracle: Expected | undefined,
  ledger: Ledger
): void => {
  const { body, file } = exchange
  ledger.counts.responses++
  const claims = cases.filter((other) => other.format.isFormatOf(body)).map((other) => other.format.name)
  const detected = Option.map(WireFormat.detect(body), (found) => found.name)
  const isDetected = isDeepStrictEqual(claims, [format.name]) && Option.contains(detected, format.name)
  ledger.check(isDetected, () => `${file}: claimed by ${claims.join(" and ") || "no format"}`)
  const decoded = attempt(() => format.decodeTurn(body))
  const problem =
    decoded instanceof Thrown
      ? `decodeTurn threw ${decoded.reason}`
      : Either.isLeft(decoded)
        ? decoded.left.message
        : undefined
  ledger.check(problem === undefined, () => `${file}: not decoded: ${problem}`)
  if (!(decoded instanceof Thrown) && Either.isRight(decoded)) checkCalls(file, decoded.right, oracle, ledger)
}

/** The tags of what a program can do something about. */
export const apiErrors: ReadonlySet<string> = new Set([
  "RequestRejected",
  "ContextOverflow",
  "ContentFiltered",
  "NotAuthorized",
  "RateLimited",
  "QuotaExceeded",
  "ProviderUnavailable"
])

/** What each status can mean at most; the body tells these apart. */
const meanings: ReadonlyMap<number, ReadonlySet<string>> = new Map([
  [400, new Set(["RequestRejected", "ContextOverflow", "ContentFiltered"])],
  [401, new Set(["NotAuthorized"])],
  [404, new Set(["RequestRejected"])],
  [429, new Set(["RateLimited", "QuotaExceeded"])],
  [500, new Set(["ProviderUnavailable"])]
])

export const checkError = (exchange: Exchange, status: number, { format }: Case, ledger: Ledger): void => {
  const { body, file, headers } = exchange
  ledger.counts.errors++
  const turn = attempt(() => format.decodeTurn(body))
  ledger.check(!(turn instanceof Thrown), () => `${file}: decodeTurn threw on an error body`)
  const error = attempt(() => format.decodeError({ status, headers, body }))
  ledger.check(
    !(error instanceof Thrown) &&
      apiErrors.has(error._tag) &&
      ((meanings.get(status)?.has(error._tag) ?? true) || isWrongKey(error)) &&
      error.detail !== "",
    () =>
      `${file}: status ${status} read as ${error instanceof Thrown ? error.reason : `${error._tag} ${error.detail}`}`
  )
}

/** xAI says so by 400. */
const isWrongKey = ({ _tag, detail }: { readonly _tag: string; readonly detail: string }): boolean =>
  _tag === "NotAuthorized" && /incorrect api key/i.test(detail)
