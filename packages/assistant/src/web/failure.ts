/**
 * What failed requests are to a model. It is told that an address is not
 * public, never which one it is: that would be a map of the network.
 */
import type { HttpClientError } from "@effect/platform/HttpClientError"
import { refusalOf } from "@wield/http/Refusal"
import * as Option from "effect/Option"
import { PageUnavailable, Refused, TooLarge } from "../WebError.js"

export const pageFailure =
  (url: string, maxBytes: number) =>
  (error: HttpClientError): PageUnavailable | Refused | TooLarge =>
    Option.match(refusalOf(error), {
      onNone: () => new PageUnavailable({ url, reason: isOfName(error) ? "name" : "connection" }),
      onSome: (refusal) => {
        switch (refusal._tag) {
          case "AddressRefused":
          case "ProtocolRefused":
            return new Refused({ url, reason: "address" })
          case "TooManyRedirects":
          case "RedirectRefused":
            return new Refused({ url, reason: "redirects" })
          case "BodyTooLarge":
            return new TooLarge({ url, limit: Math.min(maxBytes, refusal.limit) })
          case "EncodingRefused":
          case "StatusRefused":
            return new Refused({ url, reason: "answer" })
        }
      }
    })

/** What the system says of a name that has no address, or that nobody can tell one of now. */
const ofName = new Set<unknown>(["ENOTFOUND", "EAI_AGAIN", "ENODATA", "EAI_NONAME", "EAI_NODATA"])

const isOfName = (error: unknown): boolean => {
  let current = error
  // Causes may form a circle.
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    if ("code" in current && ofName.has(current.code)) return true
    current = current.cause
  }
  return false
}
